import { toJson } from '@switchboard/browser/transport';
import { type FileOfTurn, parseFile } from './turns.ts';
import { isObject, listOf, textOf } from './values.ts';

/** A conversation of this visitor, as stored for the next page and other tabs. */
export interface Thread {
  /** The local key, which exists before the server knows the conversation. */
  key: string;
  /** Undefined until the conversation is opened. */
  id: string | undefined;
  token: string | undefined;
  status: string;
  /** The newest turn that the visitor has seen. */
  seen: string | undefined;
  /** The time of the last turn that a teammate has read. */
  readAt: number;
  /** The newest turn, for the list. */
  last: { text: string; author: string; at: number };
}

/** A turn on its way to the server. */
export interface Outgoing {
  /** The idempotency key. However often the turn is sent, it is stored once. */
  key: string;
  thread: string;
  body: string;
  files: FileOfTurn[];
  page: { host: string; path: string; title: string };
  at: number;
  /** Set if the server rejected the turn. It is not sent again until the visitor requests it. */
  problem: string | undefined;
}

export interface Content {
  /** The distinct id of the person who owns these conversations. */
  of: string;
  /** Whether the distinct id comes from `identify`. */
  isIdentified: boolean;
  threads: Thread[];
  outbox: Outgoing[];
}

export interface Kept {
  read(): Content;
  update(change: (content: Content) => Partial<Content>): void;
  /** Sets whether the data is stored for other pages, or only in this page. */
  persist(isKept: boolean): void;
  /** Calls the listener after another tab changes the data. */
  onChange(listener: () => void): () => void;
}

/** The most conversations of a visitor that are kept and followed. */
export const MAX_THREADS = 20;
const MAX_OUTGOING = 50;
const NOTHING: Content = { of: '', isIdentified: false, threads: [], outbox: [] };

/**
 * Creates the store of the visitor's conversations: in localStorage, or in memory if that is not wanted or not
 * possible.
 */
export function createKept(name: string): Kept {
  let memory = NOTHING;
  let isKept = false;
  /** The text that `memory` was read from or written as. */
  let known: string | undefined;

  function read(): Content {
    if (!isKept) return memory;
    try {
      const text = localStorage.getItem(name);
      if (text !== null && text !== known) {
        memory = parseContent(JSON.parse(text));
        known = text;
      }
    } catch {
      // Storage is blocked, or the data has another format.
    }
    return memory;
  }

  function write(content: Content): void {
    memory = content;
    if (!isKept) return;
    const text = toJson(content);
    if (text === known) return;
    try {
      localStorage.setItem(name, text);
      known = text;
    } catch {
      // Storage is full or blocked, so the data lasts only as long as the page.
    }
  }

  return {
    read,
    update(change) {
      const before = read();
      const next = { ...before, ...change(before) };
      const threads = [...next.threads].sort((a, b) => b.last.at - a.last.at).slice(0, MAX_THREADS);
      write({ ...next, threads, outbox: next.outbox.slice(-MAX_OUTGOING) });
    },
    persist(next) {
      if (next === isKept) return;
      if (next) {
        const inMemory = memory;
        isKept = true;
        if (inMemory.threads.length > 0) write(inMemory);
        else read();
        return;
      }
      isKept = false;
      known = undefined;
      try {
        localStorage.removeItem(name);
      } catch {
        // Storage is blocked, so it is empty.
      }
    },
    onChange(listener) {
      const onStorage = (event: StorageEvent) => {
        if (event.key !== name || !isKept) return;
        if (event.newValue === null) {
          memory = NOTHING;
          known = undefined;
        }
        listener();
      };
      window.addEventListener('storage', onStorage);
      return () => window.removeEventListener('storage', onStorage);
    },
  };
}

function parseContent(value: unknown): Content {
  if (!isObject(value)) return NOTHING;
  return {
    of: textOf(value['of']),
    // A missing value counts as identified, so that no other person gets the conversations.
    isIdentified: value['isIdentified'] !== false,
    threads: listOf(value['threads']).flatMap((one) => parseThread(one) ?? []),
    outbox: listOf(value['outbox']).flatMap((one) => parseOutgoing(one) ?? []),
  };
}

function parseThread(value: unknown): Thread | undefined {
  if (!isObject(value) || typeof value['key'] !== 'string') return undefined;
  const last = isObject(value['last']) ? value['last'] : {};
  return {
    key: value['key'],
    id: textOf(value['id']) || undefined,
    token: textOf(value['token']) || undefined,
    status: textOf(value['status']) || 'open',
    seen: textOf(value['seen']) || undefined,
    readAt: Number(value['readAt']) || 0,
    last: { text: textOf(last['text']), author: textOf(last['author']), at: Number(last['at']) || 0 },
  };
}

/** Parses a conversation that the server lists to a verified user. */
export function parseOwn(value: unknown): Thread | undefined {
  if (!isObject(value) || typeof value['conversationId'] !== 'string') return undefined;
  const { conversationId: id, token, status, subject, lastTurnAt } = value;
  const last = { text: textOf(subject), author: '', at: Date.parse(textOf(lastTurnAt)) };
  return parseThread({ key: id, id, token, status, last });
}

function parseOutgoing(value: unknown): Outgoing | undefined {
  if (!isObject(value) || typeof value['key'] !== 'string') return undefined;
  const page = isObject(value['page']) ? value['page'] : {};
  return {
    key: value['key'],
    thread: textOf(value['thread']),
    body: textOf(value['body']),
    files: listOf(value['files']).flatMap((one) => parseFile(one) ?? []),
    page: { host: textOf(page['host']), path: textOf(page['path']), title: textOf(page['title']) },
    at: Number(value['at']) || Date.now(),
    problem: textOf(value['problem']) || undefined,
  };
}
