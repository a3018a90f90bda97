import { createFlags } from './flags.ts';
import { createIdentity, createSession, type Identity, type Session } from './identity.ts';
import { newId } from './ids.ts';
import { createInbox } from './inbox.ts';
import { createListeners } from './listeners.ts';
import { systemOf, userAgent } from './page/device.ts';
import { pageProperties, watchPath } from './page/views.ts';
import { watchClicks } from './page/watch-clicks.ts';
import { createQueue, type Item, type Kind } from './queue.ts';
import { createSender } from './sender.ts';
import { createStorage, isObject } from './storage.ts';
import { idFault } from './text.ts';
import { createTransport, toJson } from './transport.ts';
import type { Client, Consent, Options, Properties, SwitchboardError } from './types.ts';

/** The version of this package, sent as `context.sdk_version`. */
export const VERSION = '0.1.0';

const MAX_HELD = 100;
const MAX_EVENT_LENGTH = 300_000;
const SETTLE_MS = 3_000;

/**
 * Starts Switchboard on this page. Call it once, when the page loads. It never throws, and neither do the client's
 * methods: problems go to `onError`.
 */
export function init(options: Options): Client {
  const { key, storage: kind = 'browser', sessionMinutes = 30, schemaVersion = 1 } = options;
  const addressOf = (address: string) => `${address}`.replace(/\/+$/, '');
  const host = addressOf(options.host);
  const eventsHost = addressOf(options.eventsHost ?? host);
  const prefix = `switchboard:${key}:`;
  const local = kind === 'browser' ? createStorage('localStorage', prefix) : undefined;

  const report = (error: SwitchboardError) => {
    try {
      options.onError?.(error);
    } catch {
      // An error in the page's own code.
    }
  };
  const failed = (error: unknown) => report({ code: 'internal', message: String(error) });
  const changes = createListeners(failed);
  const leaving = createListeners(failed);
  const tracked = createListeners<string>(failed);
  const isOptedOut =
    options.ignoreDoNotTrack !== true &&
    (navigator.doNotTrack === '1' ||
      ('globalPrivacyControl' in navigator && navigator.globalPrivacyControl === true));

  let consent = firstConsent();
  let person: { identity: Identity; session: Session } | undefined;
  let held: (() => unknown)[] = [];
  let isClosed = false;

  const transport = createTransport(key);
  const queue = createQueue(kind === 'browser' ? prefix.slice(0, -1) : undefined);
  const sender = createSender({
    key,
    url: eventsHost,
    flushMs: options.flushMs ?? 1000,
    queue,
    transport,
    report,
    onStateChange: () => flags.refresh(),
  });
  const distinctId = () => person?.identity.id ?? '';
  const flags = createFlags({
    key,
    host,
    bootstrap: options.bootstrap,
    usage: options.usage,
    transport,
    listeners: createListeners(failed),
    storage: local,
    distinctId,
    settle: async () => {
      if (!sender.hasCalls()) return;
      await Promise.race([sender.flush(), new Promise((resolve) => setTimeout(resolve, SETTLE_MS))]);
    },
    notes: queue.notes,
    note: queue.note,
  });
  const inbox = createInbox({ host, transport, listeners: createListeners(failed), distinctId });

  function keptConsent(): Consent | undefined {
    const kept = local?.read('consent');
    return kept === 'granted' || kept === 'pending' || kept === 'denied' ? kept : undefined;
  }

  function firstConsent(): Consent {
    return keptConsent() ?? (isOptedOut ? 'denied' : (options.consent ?? 'granted'));
  }

  function begin(): void {
    queue.open();
    person = {
      identity: createIdentity(local),
      session: createSession(kind === 'browser' ? prefix : undefined, sessionMinutes * 60_000),
    };
    // Items of a previous page that was closed before they were stored.
    const left = local?.read('left');
    local?.remove('left');
    for (const item of Array.isArray(left) ? left.filter(isItem) : []) void sender.add(item);
    for (const run of held) run();
    held = [];
    void sender.flush();
    flags.resume();
    inbox.refresh();
  }

  function end(): void {
    person = undefined;
    sender.clear();
    flags.pause();
    flags.forget();
    inbox.forget();
    local?.remove('person');
    local?.remove('left');
    if (kind === 'browser') createStorage('sessionStorage', prefix).remove('session');
    void queue.clear();
  }

  /** Runs a call once consent is granted. The result is undefined until then. */
  async function enqueue(
    make: (at: number) => Item | undefined,
    onQueued?: () => void,
  ): Promise<string | undefined> {
    if (isClosed || consent === 'denied') return undefined;
    const at = Date.now();
    const run = () => add(make, at, onQueued);
    if (consent === 'granted') return run();
    held = [...held.slice(1 - MAX_HELD), run];
    return undefined;
  }

  async function add(
    make: (at: number) => Item | undefined,
    at: number,
    onQueued?: () => void,
  ): Promise<string | undefined> {
    try {
      const item = make(at);
      if (item !== undefined && (await sender.add(item))) {
        onQueued?.();
        return item.id;
      }
    } catch (error) {
      // Circular properties, a BigInt, or a getter that throws.
      report({ code: 'invalid', message: String(error) });
    }
    return undefined;
  }

  function itemOf(kind: Kind, at: number, fields: (id: string) => object): Item | undefined {
    const id = newId(at);
    const body = toJson(fields(id));
    if (body.length <= MAX_EVENT_LENGTH) return { kind, id, body, at };
    report({ code: 'invalid', message: `Longer than ${MAX_EVENT_LENGTH} characters.`, eventId: id });
    return undefined;
  }

  /** Checks an id or a name, and reports one that the server would reject. */
  function isFit(what: string, text: unknown): boolean {
    const fault = idFault(text);
    if (fault !== undefined) report({ code: 'invalid', message: `${what} ${fault}` });
    return fault === undefined;
  }

  async function track(name: string, properties?: Properties | null): Promise<string | undefined> {
    if (!isFit('track: the name', name)) return undefined;
    return enqueue(
      (at) =>
        itemOf('event', at, (event_id) => ({
          distinct_id: distinctId(),
          event_id,
          event_name: name,
          schema_version: schemaVersion,
          timestamp: new Date(at).toISOString(),
          session_id: person?.session.touch(),
          properties: properties ?? {},
          context: context(),
        })),
      () => tracked.call(name),
    );
  }

  const page = (properties?: Properties | null) =>
    track('page viewed', { ...pageProperties(), ...properties });

  function call(kind: Kind, make: () => Properties, onQueued?: () => void): Promise<string | undefined> {
    const queued = enqueue((at) => {
      const properties = make();
      return itemOf(kind, at, (event_id) => ({
        distinct_id: distinctId(),
        event_id,
        timestamp: new Date(at).toISOString(),
        properties,
      }));
    }, onQueued);
    // The call is queued at this point, so the values are read after it is sent.
    flags.refresh();
    return queued;
  }

  function setPerson(id: string): void {
    if (person === undefined || person.identity.id === id) return;
    if (person.identity.set(id)) {
      // The next person must not see the values of the previous one.
      person.session.reset();
      flags.forget();
    }
    inbox.forget();
    inbox.refresh();
    changes.call();
  }

  const client: Client = {
    track,
    page,
    async identify(id, traits) {
      if (!isFit('identify: the id', id)) return undefined;
      let anonymous_id: string | undefined;
      return call(
        'identify',
        () => {
          setPerson(id);
          anonymous_id = person?.identity.anonymousId;
          return { ...traits, ...(anonymous_id && { anonymous_id }) };
        },
        () => person?.identity.joined(anonymous_id),
      );
    },
    async group(group_id, traits, type) {
      const group_type = type ?? 'company';
      if (!isFit('group: the type', group_type)) return undefined;
      if (group_id !== null && !isFit('group: the id', group_id)) return undefined;
      return call('group', () => ({ ...traits, group_id, group_type }));
    },
    reset() {
      if (person === undefined) return;
      person.identity.reset();
      person.session.reset();
      flags.forget();
      flags.refresh();
      inbox.forget();
      inbox.refresh();
      changes.call();
    },
    flush: () => (person === undefined ? Promise.resolve() : sender.flush()),
    get distinctId() {
      return distinctId();
    },
    get isIdentified() {
      return person?.identity.isKnown ?? false;
    },
    get sessionId() {
      return person?.session.touch() ?? '';
    },
    get consent() {
      return consent;
    },
    setConsent(next) {
      local?.write('consent', next);
      applyConsent(next);
    },
    onChange: changes.add,
    onLeave: leaving.add,
    onTrack: tracked.add,
    transport,
    flags: flags.client,
    inbox: inbox.client,
    options: { key, host, eventsHost, replayHost: addressOf(options.replayHost ?? host), storage: kind },
    close() {
      isClosed = true;
      for (const stop of stops) stop();
      person?.session.leave();
      sender.close();
      flags.pause();
      inbox.pause();
      queue.close();
    },
  };

  function applyConsent(next: Consent): void {
    if (next === consent || isClosed) return;
    const before = consent;
    consent = next;
    if (next === 'granted') begin();
    else if (before === 'granted' || next === 'denied') end();
    if (next === 'denied') held = [];
    changes.call();
  }

  function hide(): void {
    if (person === undefined) return;
    // Sends the data that is lost with the tab first. Events are stored.
    leaving.call();
    const unstored = sender.sendLast();
    if (unstored.length > 0 && local !== undefined) {
      const left = local.read('left');
      local.write('left', [...(Array.isArray(left) ? left : []), ...unstored].slice(-MAX_HELD));
    }
  }

  const on = (target: EventTarget, name: string, run: (event: Event) => void) => {
    const safe = (event: Event) => {
      try {
        run(event);
      } catch (error) {
        failed(error);
      }
    };
    target.addEventListener(name, safe);
    return () => target.removeEventListener(name, safe);
  };
  const stops = [
    on(window, 'online', () => {
      if (person === undefined) return;
      sender.retryNow();
      flags.wake();
      inbox.refresh();
    }),
    on(document, 'visibilitychange', () => {
      if (document.visibilityState === 'hidden') hide();
      else {
        flags.wake();
        inbox.refresh();
      }
    }),
    on(window, 'pagehide', () => {
      hide();
      person?.session.leave();
      flags.pause();
    }),
    on(window, 'pageshow', (event) => {
      if (!(event instanceof PageTransitionEvent && event.persisted)) return;
      person?.session.resume();
      flags.resume();
      void client.flush();
    }),
    on(window, 'storage', (event) => {
      if (!(event instanceof StorageEvent)) return;
      // Another tab has changed the consent or the person.
      if (event.key === `${prefix}consent`) applyConsent(firstConsent());
      if (event.key === `${prefix}person` && person !== undefined && event.newValue !== null) {
        inbox.refresh();
        flags.refresh();
        changes.call();
      }
    }),
  ];

  try {
    if (isOptedOut && keptConsent() === undefined)
      report({
        code: 'denied',
        message:
          'The browser sends Do Not Track or Global Privacy Control: nothing is tracked until setConsent("granted").',
      });
    if (consent === 'granted') begin();
    if (options.pageViews === true) {
      void page();
      stops.push(watchPath(() => void page()));
    }
    if (options.clicks === true) stops.push(watchClicks((name, properties) => void track(name, properties)));
  } catch (error) {
    failed(error);
  }
  return client;
}

function context(): Record<string, string | null> {
  const os = systemOf(userAgent(navigator));
  return { locale: navigator.language, os, sdk: 'browser', sdk_version: VERSION };
}

function isItem(value: unknown): value is Item {
  return (
    isObject(value) &&
    (value['kind'] === 'event' || value['kind'] === 'identify' || value['kind'] === 'group') &&
    typeof value['id'] === 'string' &&
    typeof value['body'] === 'string' &&
    typeof value['at'] === 'number'
  );
}
