import { newId } from './ids.ts';
import { createStorage, isObject, type Storage } from './storage.ts';
import { idFault } from './text.ts';

interface Person {
  id: string;
  /** Whether `identify` gave the id. */
  isKnown: boolean;
}

export interface Identity {
  readonly id: string;
  readonly isKnown: boolean;
  /** Returns whether it is another person than the one who was identified before. */
  set(id: string): boolean;
  reset(): void;
}

/** The person, kept in localStorage; every tab has the same. */
export function createIdentity(storage: Storage | undefined): Identity {
  let person = read() ?? anonymous();
  function read(): Person | undefined {
    const kept = storage?.read('person');
    if (!isObject(kept) || typeof kept['id'] !== 'string' || idFault(kept['id']) !== undefined)
      return undefined;
    return { id: kept['id'], isKnown: kept['isKnown'] === true };
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
    set(id) {
      const before = current();
      keep({ id, isKnown: true });
      return before.isKnown && before.id !== id;
    },
    reset: () => keep(anonymous()),
  };
}

const anonymous = (): Person => ({ id: `anonymous-${newId()}`, isKnown: false });

const MAX_SESSION_MS = 24 * 3_600_000;

export interface Session {
  /** The id of the session; a new one after a pause. Counts as activity. */
  touch(): string;
  reset(): void;
  /** Leaves the session for the next page of this tab. */
  leave(): void;
  /** The page is shown again after it was left. */
  resume(): void;
}

/**
 * The session of one tab. It is in sessionStorage only between two pages, so that a duplicated tab, which starts with
 * a copy of it, has a session of its own.
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
      // A clock that was set back is no pause.
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
