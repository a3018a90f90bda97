import type { Client, InboxMessage } from '@switchboard/browser';
import { backoffMs } from '@switchboard/browser/transport';
import { type Access, type Answer, type Api, isTemporary } from './api.ts';
import { type Config, parseConfig } from './config.ts';
import { type Content, createKept, MAX_THREADS, type Outgoing, parseOwn, type Thread } from './kept.ts';
import { createLive, type Message } from './live.ts';
import { createOutbox } from './outbox.ts';
import { type FileOfTurn, merged, parseFile, parseTurn, type Turn } from './turns.ts';
import { listOf, newKey, sendable, startOf, textOf, timeOf } from './values.ts';

/** A conversation as the visitor sees it. */
export interface Conversation extends Thread {
  turns: readonly Turn[];
  /** Whether all turns are loaded. Otherwise only the new ones are. */
  isWhole: boolean;
  /** Turns that the server has not stored yet. */
  waiting: readonly Outgoing[];
  unread: number;
  /** The rating of the last resolution. Undefined unless the visitor is asked for one. */
  rating: Rating | undefined;
  /** The name of the teammate who types, empty if the project's team does not name them. */
  typing: string | undefined;
}

export interface Rating {
  /** Undefined until the visitor rates. */
  score: number | undefined;
  comment: string;
}

export interface State {
  /** Undefined while it is unknown, or if the messenger is off. */
  config: Config | undefined;
  isOnline: boolean;
  /** The conversations, latest first. */
  conversations: readonly Conversation[];
  messages: readonly InboxMessage[];
  /** The number of turns and messages that the visitor has not seen. */
  unread: number;
}

/** The parts of the client that the messenger uses. */
export type Visitor = Pick<
  Client,
  'options' | 'consent' | 'distinctId' | 'isIdentified' | 'onChange' | 'inbox'
>;

interface StoreOptions {
  client: Visitor;
  api: Api;
  /** The languages in the visitor's order of preference. */
  locale: string;
  userId: string | undefined;
  userHash: string | undefined;
  email: string | undefined;
  onRefused(problem: string, status: number): void;
}

export type Store = ReturnType<typeof createStore>;

interface Read {
  turns: readonly Turn[];
  isWhole: boolean;
  /** The last turn that was read. Turns received through the socket may have unread ones before them. */
  upTo?: string | undefined;
}

const POLL_MS = 30_000;
/** The time between two lists of a verified user's conversations. */
const OWN_MS = 60_000;
/** The time over which all visitors read a message to everyone, in milliseconds. */
const INBOX_SPAPART_MS = 1_000;
/** The time between two signals that the visitor types. */
const TYPING_MS = 3_000;
/** The time between two signals that the server does not ignore. */
const APART_MS = 1_000;
/** A teammate who types is shown for this long after the last signal. */
const TYPED_MS = 6_000;
const MAX_PREVIEW = 200;
const MAX_PATH = 2048;
const MAX_TITLE = 500;
const UNAUTHORIZED = 401;
const UNREAD: Read = { turns: [], isWhole: false };

/** Creates the visitor's side of the messenger, which keeps configuration, conversations and inbox up to date. */
export function createStore({ client, api, locale, userId, userHash, email, onRefused }: StoreOptions) {
  const { key, storage } = client.options;
  const name = `switchboard:${key}:messenger`;
  const kept = createKept(name);
  const stranger = `visitor-${newKey()}`;
  const listeners = new Set<() => void>();
  const reads = new Map<string, Read>();
  /** Turns of the outbox that were received through the socket before the response. */
  const arrived = new Set<string>();
  const timers = new Set<ReturnType<typeof setTimeout>>();
  let config: Config | undefined;
  let configFailures = 0;
  let isUsed = false;
  /** Whether the person is still the one whom the options verify. */
  let isVerified = false;
  let ownAt = Number.NEGATIVE_INFINITY;
  let renewing: Promise<boolean> | undefined;
  /** The conversations with a new token that was not used yet. If the server refuses it, there is no other. */
  const renewed = new Set<string>();
  let isClosed = false;
  let viewed: string | undefined;
  /** The names and the times of teammates who type, by conversation. */
  const typing = new Map<string, { author: string; at: number }>();
  /** The time of the last turn that the server knows the visitor has seen, by conversation. */
  const told = new Map<string, number>();
  /** The ratings that the visitor is asked for; undefined where not. */
  const ratings = new Map<string, Rating | undefined>();
  let typedAt = Number.NEGATIVE_INFINITY;
  let isTelling = false;
  let state: State = { config: undefined, isOnline: true, conversations: [], messages: [], unread: 0 };

  const live = createLive(hear);
  const outbox = createOutbox({
    api,
    kept,
    lock: name,
    opening: () => ({
      distinctId: distinctId(),
      ...(userId !== undefined && { userId, ...(userHash !== undefined && { userHash }) }),
      ...(email !== undefined && { email }),
    }),
    onSent(thread, turn) {
      add(thread, [turn]);
    },
    onChange: changed,
    onRefused: ({ problem, status }) => onRefused(problem, status),
  });

  /** A visitor may ask for help without consent. Nothing of that is stored. */
  const distinctId = () => client.distinctId || stranger;

  function later(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      run();
    }, ms);
    timers.add(timer);
  }

  /** Updates the state and calls the listeners. */
  function changed(): void {
    if (isClosed) return;
    const { threads, outbox: waiting } = kept.read();
    const conversations = threads.map((thread): Conversation => {
      const { turns, isWhole } = reads.get(thread.key) ?? UNREAD;
      return {
        ...thread,
        turns,
        isWhole,
        waiting: waiting.filter((item) => item.thread === thread.key && !arrived.has(item.key)),
        unread: unreadOf(turns, thread.seen),
        rating: ratings.get(thread.key),
        typing: typing.get(thread.key)?.author,
      };
    });
    const messages = client.inbox.messages();
    const unread =
      conversations.reduce((sum, one) => sum + one.unread, 0) + messages.filter(({ read }) => !read).length;
    state = { config, isOnline: navigator.onLine, conversations, messages, unread };
    follow();
    for (const listener of [...listeners]) listener();
  }

  function follow(): void {
    const conversations = kept
      .read()
      .threads.flatMap(({ id, token }) => (id === undefined || token === undefined ? [] : [{ id, token }]));
    // While the messenger is off, an open socket stays open to receive the change that turns it on.
    if (config === undefined || !/^wss?:\/\//.test(config.socketUrl)) return;
    if (document.visibilityState === 'hidden') return;
    // The person who receives in-app messages. Each person has a separate socket.
    const person = client.distinctId === '' ? {} : { distinct_id: client.distinctId };
    const query = new URLSearchParams({ api_key: key, locale, ...person });
    live.follow(`${config.socketUrl}?${query}`, conversations);
  }

  function hear(message: Message): void {
    if (message.type === 'config') {
      // A random delay spreads the requests of all visitors.
      later(Math.random() * 500, () => void readConfig());
      return;
    }
    if (message.type === 'inbox') {
      later(Math.random() * INBOX_SPAPART_MS, () => void client.inbox.refresh());
      return;
    }
    const thread = kept.read().threads.find(({ id }) => id === message.id);
    if (thread === undefined) return;
    const { key: threadKey } = thread;
    if (message.type === 'status') change(threadKey, { status: message.status });
    else if (message.type === 'typing') showTyping(threadKey, message.author);
    else if (message.type === 'read') {
      if (message.isOwn) markSeen(threadKey, message.at);
      else change(threadKey, { readAt: Math.max(thread.readAt, message.at) });
    } else if (message.type !== 'turn') void read(threadKey);
    else {
      const turn = parseTurn(message.turn);
      if (turn === undefined) return;
      if (turn.kind !== 'visitor') typing.delete(threadKey);
      add(threadKey, [turn]);
    }
  }

  function showTyping(threadKey: string, author: string): void {
    const shown = { author, at: performance.now() };
    typing.set(threadKey, shown);
    later(TYPED_MS, () => {
      if (typing.get(threadKey) === shown && typing.delete(threadKey)) changed();
    });
    changed();
  }

  /** Marks the turns up to a time as seen, here or on another device. */
  function markSeen(threadKey: string, at: number): void {
    if (at > (told.get(threadKey) ?? 0)) told.set(threadKey, at);
    const { turns } = reads.get(threadKey) ?? UNREAD;
    const { seen } = kept.read().threads.find((one) => one.key === threadKey) ?? {};
    const index = turns.findLastIndex((turn) => turn.at <= at);
    if (index > turns.findIndex(({ id }) => id === seen)) change(threadKey, { seen: turns[index]?.id });
  }

  /** Tells the server how far the visitor has read the conversation in view. */
  function tellRead(): void {
    if (isTelling || viewed === undefined || document.visibilityState !== 'visible') return;
    const id = kept.read().threads.find(({ key: one }) => one === viewed)?.id;
    const newest = reads.get(viewed)?.turns.findLast(({ kind }) => kind !== 'visitor');
    if (id === undefined || newest === undefined || newest.at <= (told.get(viewed) ?? 0)) return;
    if (!live.isOpen) return;
    live.tell({ type: 'read', conversationId: id, at: new Date(newest.at).toISOString() });
    told.set(viewed, newest.at);
    isTelling = true;
    later(APART_MS, () => {
      isTelling = false;
      tellRead();
    });
  }

  function change(threadKey: string, next: Partial<Thread>): void {
    kept.update(({ threads }) => ({
      threads: threads.map((one) => (one.key === threadKey ? { ...one, ...next } : one)),
    }));
    if (next.status !== undefined) void readRating(threadKey, next.status);
    changed();
  }

  /** Reads whether the visitor is asked to rate a conversation in view that is resolved. */
  async function readRating(threadKey: string, status: string): Promise<void> {
    if (status !== 'resolved') ratings.delete(threadKey);
    else if (viewed === threadKey && !ratings.has(threadKey)) {
      const access = accessOf(threadKey);
      if (access === undefined) return;
      ratings.set(threadKey, undefined);
      keepRating(threadKey, await api.satisfaction(access));
    }
  }

  /** Returns whether the server answered. */
  function keepRating(threadKey: string, { status, body }: Answer): boolean {
    if (status !== 200) return false;
    const rating = { score: Number(body['score']) || undefined, comment: textOf(body['comment']) };
    ratings.set(threadKey, body['asked'] === true ? rating : undefined);
    changed();
    return true;
  }

  function accessOf(threadKey: string): Access | undefined {
    const { id, token } = kept.read().threads.find((one) => one.key === threadKey) ?? {};
    return id === undefined || token === undefined ? undefined : { id, token };
  }

  /** Adds turns to a conversation. */
  function add(threadKey: string, more: readonly Turn[], isWhole?: boolean): void {
    const before = reads.get(threadKey) ?? UNREAD;
    const turns = merged(before.turns, more);
    reads.set(threadKey, { ...before, turns, isWhole: isWhole ?? before.isWhole });
    for (const turn of more) {
      if (turn.kind !== 'visitor' || before.turns.some(({ id }) => id === turn.id)) continue;
      const item = kept
        .read()
        .outbox.find((one) => one.thread === threadKey && !arrived.has(one.key) && isSame(one, turn));
      if (item !== undefined) arrived.add(item.key);
    }
    const newest = turns.at(-1);
    const seen = viewed === threadKey && document.visibilityState === 'visible' ? newest?.id : undefined;
    change(threadKey, {
      ...(newest !== undefined && { last: lastOf(newest) }),
      ...(seen !== undefined && { seen }),
    });
    tellRead();
  }

  /** Reads the new turns of a conversation, or all of them. */
  async function read(threadKey: string, isAll = false): Promise<void> {
    const thread = kept.read().threads.find((one) => one.key === threadKey);
    if (thread?.id === undefined || thread.token === undefined) return;
    const known = reads.get(threadKey) ?? UNREAD;
    const after = isAll && !known.isWhole ? undefined : (known.upTo ?? thread.seen);
    const { id, token } = thread;
    const answer = await api.read({ id, token }, after);
    if (isClosed || !kept.read().threads.some((one) => one.id === id)) return;
    if (answer.status === 200) {
      const turns = listOf(answer.body['turns']).flatMap((one) => parseTurn(one) ?? []);
      renewed.delete(threadKey);
      change(threadKey, {
        status: textOf(answer.body['status']) || thread.status,
        readAt: timeOf(answer.body['teammateReadAt']),
      });
      // A signal may have been lost with a connection.
      const readAt = timeOf(answer.body['visitorReadAt']);
      told.set(threadKey, readAt);
      add(threadKey, turns, after === undefined ? true : undefined);
      markSeen(threadKey, readAt);
      const upTo = turns.at(-1)?.id ?? after;
      reads.set(threadKey, { ...(reads.get(threadKey) ?? UNREAD), upTo });
    } else if (answer.status === UNAUTHORIZED) {
      if (isVerified && !renewed.has(threadKey)) await renew(thread);
      else forget(threadKey);
    } else if (answer.status === 400 && after !== undefined) {
      reads.delete(threadKey);
      change(threadKey, { seen: undefined });
      await read(threadKey, true);
    } else if (isTemporary(answer) && viewed === threadKey)
      later(answer.waitMs + backoffMs(3), () => void (viewed === threadKey && read(threadKey, isAll)));
  }

  /** Gets a new token for a conversation of a verified user. Removes the conversation if the server has none. */
  async function renew({ key: threadKey, token: refused }: Thread): Promise<void> {
    renewed.add(threadKey);
    renewing ??= listOwn().finally(() => {
      renewing = undefined;
    });
    if (!(await renewing)) return;
    const thread = kept.read().threads.find((one) => one.key === threadKey);
    if (thread?.token === refused) forget(threadKey);
    else await read(threadKey);
  }

  async function readOwn(): Promise<void> {
    if (performance.now() - ownAt >= OWN_MS) await listOwn();
  }

  /**
   * Adds the conversations that a verified user has on other devices, and keeps the new tokens of all. Returns whether
   * the server listed them.
   */
  async function listOwn(): Promise<boolean> {
    if (!isVerified) return false;
    ownAt = performance.now();
    const answer = await api.own({ userId, userHash });
    if (isClosed || !isVerified || answer.status !== 200) return false;
    const own = listOf(answer.body['conversations']).flatMap((one) => parseOwn(one) ?? []);
    const tokens = new Map(own.map(({ id, token }) => [id, token]));
    const known = new Set(kept.read().threads.map(({ id }) => id));
    const added = own.filter(({ id }) => !known.has(id));
    kept.update(({ threads }) => ({
      threads: [...threads.map((one) => ({ ...one, token: tokens.get(one.id) ?? one.token })), ...added],
    }));
    changed();
    for (const { key } of added) {
      await read(key, true);
      // Answers to the latest turn of the visitor are unread, unless another device has shown them.
      const written = reads.get(key)?.turns.findLast(({ kind }) => kind === 'visitor')?.at ?? 0;
      if (isVerified) markSeen(key, Math.max(written, told.get(key) ?? 0));
    }
    return true;
  }

  /** Removes a conversation that has an invalid token. Unsent turns move to a new one. */
  function forget(threadKey: string): void {
    reads.delete(threadKey);
    kept.update(({ threads, outbox: waiting }) => ({
      threads: threads.flatMap((one) => {
        if (one.key !== threadKey) return [one];
        const hasMore = waiting.some((item) => item.thread === threadKey) || viewed === threadKey;
        return hasMore ? [{ ...one, id: undefined, token: undefined, seen: undefined }] : [];
      }),
    }));
    changed();
  }

  async function readConfig(): Promise<void> {
    const answer = await api.config(locale);
    if (isClosed) return;
    if (answer.status === 200) {
      configFailures = 0;
      config = parseConfig(answer.body);
      changed();
    } else if (isTemporary(answer))
      later(answer.waitMs + backoffMs(configFailures++), () => void readConfig());
    else onRefused(answer.problem, answer.status);
  }

  /** Separates persons: the next person on this device does not see the conversations of the previous one. */
  function meet(): void {
    kept.persist(storage === 'browser' && client.consent === 'granted');
    const current = { of: distinctId(), isIdentified: client.isIdentified };
    const { of, isIdentified } = kept.read();
    if (of === current.of) return;
    // The visitor has just given consent or has just been identified.
    const isSamePerson = of === '' || of === stranger || (!isIdentified && current.isIdentified);
    if (!isSamePerson) {
      reads.clear();
      isVerified = false;
    }
    kept.update((): Partial<Content> => (isSamePerson ? current : { ...current, threads: [], outbox: [] }));
  }

  function readAll(): void {
    for (const { key } of kept.read().threads) void read(key);
  }

  function poll(): void {
    later(POLL_MS, () => {
      if (!live.isOpen && document.visibilityState === 'visible') readAll();
      poll();
    });
  }

  /** Reads missed updates when the page becomes visible or online again, even if the socket appears to be open. */
  function look(): void {
    if (document.visibilityState !== 'visible') return;
    follow();
    live.wake();
    if (viewed !== undefined) store.view(viewed);
    readAll();
    void readOwn();
  }

  const onPerson = () => {
    meet();
    changed();
  };
  const onTab = () => {
    changed();
    outbox.deliver();
  };
  const onOnline = () => {
    changed();
    outbox.retryNow();
    void readConfig();
    look();
  };
  const stops: (() => void)[] = [];
  const on = (target: EventTarget, type: string, run: () => void) => {
    target.addEventListener(type, run);
    stops.push(() => target.removeEventListener(type, run));
  };

  const store = {
    get state(): State {
      return state;
    },
    api,
    readConfig,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    start(): void {
      meet();
      isVerified = userId !== undefined && userHash !== undefined;
      stops.push(client.onChange(onPerson), client.inbox.onChange(changed), kept.onChange(onTab));
      on(window, 'online', onOnline);
      on(window, 'offline', changed);
      on(window, 'pagehide', live.pause);
      on(window, 'pageshow', follow);
      on(document, 'visibilitychange', look);
      void readConfig();
      void readOwn();
      outbox.deliver();
      poll();
    },

    /** Called when the panel is opened. */
    use(): void {
      void readOwn();
      if (isUsed) return;
      isUsed = true;
      changed();
      if (!live.isOpen) readAll();
    },

    /** Creates a conversation for its first turn, or takes the latest if too many are open. Returns its key. */
    begin(): string {
      const empty = state.conversations.find(
        ({ id, turns, waiting }) => id === undefined && turns.length + waiting.length === 0,
      );
      if (empty !== undefined) return empty.key;
      const open = state.conversations.filter(({ status }) => status !== 'resolved');
      if (open[0] !== undefined && open.length >= MAX_THREADS) return open[0].key;
      const thread: Thread = {
        key: newKey(),
        id: undefined,
        token: undefined,
        status: 'open',
        seen: undefined,
        readAt: 0,
        last: { text: '', author: '', at: Date.now() },
      };
      kept.update(({ threads }) => ({ threads: [thread, ...threads] }));
      reads.set(thread.key, { turns: [], isWhole: true });
      changed();
      return thread.key;
    },

    /** Sets the conversation that the visitor views, if any. */
    view(threadKey: string | undefined): void {
      viewed = threadKey;
      const found = state.conversations.find((one) => one.key === threadKey);
      if (found === undefined) return;
      if (!found.isWhole) void read(found.key, true);
      void readRating(found.key, found.status);
      const newest = found.turns.at(-1)?.id;
      if (newest !== undefined && newest !== found.seen) change(found.key, { seen: newest });
      tellRead();
    },

    /** Rates a conversation. Returns whether the server stored it. */
    async rate(threadKey: string, score: number, comment: string): Promise<boolean> {
      const access = accessOf(threadKey);
      if (access === undefined) return false;
      const request = { score, comment: sendable(comment).trim() || null };
      return keepRating(threadKey, await api.rate(access, request));
    },

    /** Tells agents that the visitor types. */
    type(threadKey: string): void {
      const id = kept.read().threads.find((one) => one.key === threadKey)?.id;
      if (id === undefined || performance.now() - typedAt < TYPING_MS) return;
      typedAt = performance.now();
      live.tell({ type: 'typing', conversationId: id });
    },

    /** Queues a turn. It is sent when there is a connection, if necessary by another tab or the next page. */
    send(threadKey: string, body: string, files: readonly FileOfTurn[] = []): void {
      const page = {
        host: location.host,
        path: startOf(location.pathname, MAX_PATH),
        title: startOf(document.title, MAX_TITLE),
      };
      const item: Outgoing = {
        key: newKey(),
        thread: threadKey,
        body: sendable(body),
        files: [...files],
        page,
        at: Date.now(),
        problem: undefined,
      };
      // The next turn is announced at once, but the server ignores signals within a second.
      typedAt += APART_MS - TYPING_MS;
      kept.update(({ outbox: waiting, threads }) => ({
        outbox: [...waiting, item],
        threads: threads.map((one) =>
          one.key === threadKey
            ? { ...one, last: { text: previewOf(body, files), author: '', at: Date.now() } }
            : one,
        ),
      }));
      changed();
      outbox.deliver();
    },

    retry(itemKey: string): void {
      kept.update(({ outbox: waiting }) => ({
        outbox: waiting.map((one) => (one.key === itemKey ? { ...one, problem: undefined } : one)),
      }));
      changed();
      outbox.retryNow();
    },

    discard(itemKey: string): void {
      kept.update(({ outbox: waiting }) => ({ outbox: waiting.filter((one) => one.key !== itemKey) }));
      changed();
    },

    /** Uploads a file for the next turn. */
    async upload(
      threadKey: string,
      file: { blob: Blob; name: string; onProgress(part: number): void; signal: AbortSignal },
    ): Promise<{ file: FileOfTurn } | { status: number }> {
      const answer = await outbox.upload(threadKey, file);
      const uploaded = answer?.status === 201 ? parseFile(answer.body) : undefined;
      return uploaded === undefined ? { status: answer?.status ?? 0 } : { file: uploaded };
    },

    /** Marks the message as read. */
    markRead: (id: string) => void client.inbox.markRead(id).then(changed),

    close(): void {
      isClosed = true;
      for (const stop of stops) stop();
      for (const timer of timers) clearTimeout(timer);
      live.pause();
      outbox.pause();
    },
  };
  return store;
}

function unreadOf(turns: readonly Turn[], seen: string | undefined): number {
  const index = turns.findIndex(({ id }) => id === seen);
  return turns.slice(index + 1).filter(({ kind }) => kind === 'teammate' || kind === 'bot').length;
}

const isSame = (item: Outgoing, turn: Turn) =>
  item.body === turn.body &&
  item.files.length === turn.files.length &&
  item.files.every(({ id }, index) => turn.files[index]?.id === id);

const previewOf = (body: string, files: readonly FileOfTurn[]) =>
  startOf(body.trim() || files.map((file) => file.name).join(', '), MAX_PREVIEW);

const lastOf = ({ body, files, kind, author, at }: Turn) => ({
  text: previewOf(body, files),
  author: kind === 'visitor' ? '' : author,
  at,
});
