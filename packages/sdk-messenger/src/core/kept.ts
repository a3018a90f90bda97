import { toJson } from '@switchboard/browser/transport';
import { type FileOfTurn, parseFile } from './turns.ts';
import { isObject, listOf, textOf } from './values.ts';

/** A conversation of this visitor, as it is kept for the next page and other tabs. */
export interface Thread {
  /** Its name on this side, from before the server knows it. */
  key: string;
  /** Undefined until it is opened. */
  id: string | undefined;
  token: string | undefined;
  status: string;
  /** The newest turn that the visitor has seen. */
  seen: string | undefined;
  /** The newest turn, for the list. */
  last: { text: string; author: string; at: number };
}

/** A turn on its way to the server. */
export interface Outgoing {
  /** Its idempotency key: however often it is sent, it is stored once. */
  key: string;
  thread: string;
  body: string;
  files: FileOfTurn[];
  page: { host: string; path: string; title: string };
  at: number;
  /** Set if the server refused it: it is not sent again until the visitor says so. */
  problem: string | undefined;
}

export interface Content {
  /** The distinct id of the person who has these conversations. */
  of: string;
  /** Whether `identify` gave that id. */
  isIdentified: boolean;
  threads: Thread[];
  outbox: Outgoing[];
}

export interface Kept {
  read(): Content;
  update(change: (content: Content) => Partial<Content>): void;
  /** Keeps it in this page alone from now on, or for other pages too. */
  persist(isKept: boolean): void;
  /** Calls the listener after another tab changed it. */
  onChange(listener: () => void): () => void;
}

const MAX_THREADS = 18;
const MAX_OUTGOING = 50;
const NOTHING: Content = { of: '', isIdentified: false, threads: [], outbox: [] };

/** The visitor's conversations: in localStorage, or in memory where that is not wanted or not possible. */
export function createKept(name: string): Kept {
  let memory = NOTHING;
  let isKept = false;
  /** What `memory` was read from, or written as. */
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
      // Blocked, or not ours.
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
      // Full or blocked: it lasts as long as the page.
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
        // Blocked: there is nothing in it.
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
    // Without a note of it, nobody else gets the conversations.
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
    last: { text: textOf(last['text']), author: textOf(last['author']), at: Number(last['at']) || 0 },
  };
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
