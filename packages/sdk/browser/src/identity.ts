import { newId } from './ids.ts';
import { createStorage, isObject, type Storage } from './storage.ts';
import { idFault } from './text.ts';

interface Person {
  id: string;
  /** Whether the id comes from `identify`. */
  isKnown: boolean;
  /** The anonymous id that `identify` replaced, until the call that joins it to the person is queued. */
  anonymousId?: string | undefined;
}

export interface Identity {
  readonly id: string;
  readonly isKnown: boolean;
  /** The anonymous id that the next `identify` call must name. */
  readonly anonymousId: string | undefined;
  /** Returns whether the id differs from that of the previously identified person. */
  set(id: string): boolean;
  /** Records that the call that names the anonymous id is queued. */
  joined(anonymousId: string | undefined): void;
  reset(): void;
}

/** Creates the identity of the person, stored in localStorage and shared by every tab. */
export function createIdentity(storage: Storage | undefined): Identity {
  let person = read() ?? anonymous();
  function read(): Person | undefined {
    const kept = storage?.read('person');
    if (!isObject(kept) || typeof kept['id'] !== 'string' || idFault(kept['id']) !== undefined)
      return undefined;
    const { id, anonymousId } = kept;
    return {
      id,
      isKnown: kept['isKnown'] === true,
      anonymousId: typeof anonymousId === 'string' ? anonymousId : undefined,
    };
  }
  const keep = (next: Person) => {
    person = next;
    storage?.write('person', person);
  };
  keep(person);
  // Another tab may have identified or reset the person.
  const current = () => {
    person = read() ?? person;
    return person;
  };
  return {
    get id() {
      return current().id;
    },
    get isKnown() {
      return current().isKnown;
    },
    get anonymousId() {
      return current().anonymousId;
    },
    set(id) {
      const before = current();
      keep({ id, isKnown: true, anonymousId: before.isKnown ? undefined : before.id });
      return before.isKnown && before.id !== id;
    },
    joined(anonymousId) {
      const { id, isKnown, anonymousId: waiting } = current();
      if (waiting === anonymousId) keep({ id, isKnown });
    },
    reset: () => keep(anonymous()),
  };
}

const anonymous = (): Person => ({ id: `anonymous-${newId()}`, isKnown: false });

const MAX_SESSION_MS = 24 * 3_600_000;

export interface Session {
  /** Returns the id of the session, or a new one after a pause. Counts as activity. */
  touch(): string;
  reset(): void;
  /** Stores the session for the next page of this tab. */
  leave(): void;
  /** Restores the session when the page is shown again. */
  resume(): void;
}

/**
 * Creates the session of one tab. The session is in sessionStorage only between two pages. A duplicated tab, which
 * starts with a copy of sessionStorage, therefore has a separate session.
 */
export function createSession(prefix: string | undefined, idleMs: number): Session {
  const storage = prefix === undefined ? undefined : createStorage('sessionStorage', prefix);
  const start = () => ({ id: newId(), startedAt: Date.now(), seenAt: Date.now() });
  let session = start();
  const left = storage?.read('session');
  if (isObject(left)) {
    const { id, startedAt, seenAt } = left;
    if (typeof id === 'string' && typeof startedAt === 'number' && typeof seenAt === 'number')
      session = { id, startedAt, seenAt };
  }
  storage?.remove('session');
  return {
    touch() {
      const now = Date.now();
      // A clock that was set back does not count as a pause.
      if (now - session.seenAt > idleMs || now - session.startedAt > MAX_SESSION_MS) session = start();
      session.seenAt = now;
      return session.id;
    },
    reset() {
      session = start();
    },
    leave: () => storage?.write('session', session),
    resume: () => storage?.remove('session'),
  };
}
