export type Kind = 'event' | 'identify' | 'group';

/** An event or call that waits to be sent. */
export interface Item {
  kind: Kind;
  id: string;
  /** The JSON of the event or call. */
  body: string;
  /** When it was queued, in milliseconds. */
  at: number;
}

export interface Row {
  item: Item;
  /** Position in the queue. Negative for items in memory. */
  seq: number;
}

/** The data that tabs share. */
export interface Notes {
  /** The earliest time of the next request, in milliseconds. */
  retryAt?: number;
  /** The length of that wait when it was stored, in milliseconds. */
  retryMs?: number;
  /** The newest state token by call, and when it was received. */
  tokens?: { [kind: string]: string };
  tokensAt?: number;
}

export interface Queue {
  /** Resolves to the item's position, or to undefined if the queue is full. */
  add(item: Item): Promise<number | undefined>;
  /** Returns a batch of the oldest rows. */
  take(): Promise<Row[]>;
  remove(rows: readonly Row[], notes?: Notes): Promise<void>;
  notes(): Promise<Notes>;
  note(notes: Notes): Promise<void>;
  /** Allows access to the database, before the first use and after `clear`. */
  open(): void;
  /** Deletes everything, including the database. */
  clear(): Promise<void>;
  close(): void;
}

const MAX_COUNT = 10_000;
const MAX_BYTES = 8_000_000;
const BATCH_COUNT = 250;
const BATCH_BYTES = 500_000;

interface Size {
  count: number;
  bytes: number;
}

const fits = ({ count, bytes }: Size, { body }: Item) =>
  count < MAX_COUNT && bytes + body.length <= MAX_BYTES;

/** Returns the rows of a batch: up to 250, and up to 500 kB unless the first is larger. */
function batch(rows: Row[]): Row[] {
  let bytes = 0;
  const end = rows.findIndex(({ item }, at) => {
    bytes += item.body.length;
    return at > 0 && (at >= BATCH_COUNT || bytes > BATCH_BYTES);
  });
  return end < 0 ? rows : rows.slice(0, end);
}

function memoryQueue(): Queue {
  let rows: Row[] = [];
  let notes: Notes = {};
  let seq = 0;
  return {
    async add(item) {
      const bytes = rows.reduce((sum, row) => sum + row.item.body.length, 0);
      if (!fits({ count: rows.length, bytes }, item)) return undefined;
      seq -= 1;
      rows.push({ item, seq });
      return seq;
    },
    take: async () => batch(rows),
    async remove(removed, more) {
      rows = rows.filter((row) => !removed.some((one) => one.seq === row.seq));
      notes = { ...notes, ...more };
    },
    notes: async () => notes,
    async note(more) {
      notes = { ...notes, ...more };
    },
    async clear() {
      rows = [];
      notes = {};
    },
    open() {},
    close() {},
  };
}

/**
 * Creates a queue that every tab of the site shares. It is in IndexedDB, or in memory for items that IndexedDB
 * rejects.
 * @param name The name of the database. If undefined, everything is in memory.
 */
export function createQueue(name: string | undefined): Queue {
  const memory = memoryQueue();
  if (name === undefined) return memory;
  let opening: Promise<IDBDatabase> | undefined;
  let isAllowed = false;
  const close = () => {
    void opening?.then(
      (opened) => opened.close(),
      () => undefined,
    );
    opening = undefined;
  };
  const database = () => {
    if (!isAllowed) throw new Error('not allowed');
    opening ??= openDatabase(name, close);
    return opening;
  };

  /** Runs one transaction. Without IndexedDB, memory is used. */
  async function transact<T>(
    mode: IDBTransactionMode,
    use: (rows: IDBObjectStore, notes: IDBObjectStore) => Promise<T>,
    otherwise: () => Promise<T>,
  ): Promise<T> {
    try {
      const transaction = (await database()).transaction(['rows', 'notes'], mode);
      const done = new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error);
      });
      const [result] = await Promise.all([
        use(transaction.objectStore('rows'), transaction.objectStore('notes')),
        done,
      ]);
      return result;
    } catch {
      close();
      return otherwise();
    }
  }

  const merge = async (store: IDBObjectStore, more: Notes) =>
    void store.put({ ...(await answer(store.get('notes'))), ...more }, 'notes');

  return {
    add: (item) =>
      transact<number | undefined>(
        'readwrite',
        async (rows, notes) => {
          const size: Size = (await answer(notes.get('size'))) ?? { count: 0, bytes: 0 };
          if (!fits(size, item)) return undefined;
          notes.put({ count: size.count + 1, bytes: size.bytes + item.body.length }, 'size');
          return Number(await answer(rows.add(item)));
        },
        () => memory.add(item),
      ),
    async take() {
      const kept = await memory.take();
      if (kept.length > 0) return kept;
      return transact<Row[]>(
        'readonly',
        async (rows) => {
          const [items, seqs] = await Promise.all([
            answer<Item[]>(rows.getAll(null, BATCH_COUNT)),
            answer(rows.getAllKeys(null, BATCH_COUNT)),
          ]);
          return batch(items.map((item, at) => ({ item, seq: Number(seqs[at]) })));
        },
        async () => [],
      );
    },
    async remove(removed, more = {}) {
      await memory.remove(removed, more);
      await transact<void>(
        'readwrite',
        async (rows, notes) => {
          const size: Size = (await answer(notes.get('size'))) ?? { count: 0, bytes: 0 };
          for (const { seq, item } of removed) {
            // Without Web Locks, another tab may also have sent and removed it.
            if (seq < 0 || (await answer(rows.getKey(seq))) === undefined) continue;
            rows.delete(seq);
            size.count -= 1;
            size.bytes -= item.body.length;
          }
          notes.put(size, 'size');
          await merge(notes, more);
        },
        async () => undefined,
      );
    },
    notes: () =>
      transact<Notes>('readonly', async (_, notes) => (await answer(notes.get('notes'))) ?? {}, memory.notes),
    async note(more) {
      await memory.note(more);
      await transact<void>(
        'readwrite',
        (_, notes) => merge(notes, more),
        async () => undefined,
      );
    },
    open() {
      isAllowed = true;
    },
    async clear() {
      isAllowed = false;
      close();
      await memory.clear();
      try {
        indexedDB.deleteDatabase(name);
      } catch {
        // IndexedDB is not available.
      }
    },
    close,
  };
}

function openDatabase(name: string, onClose: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('rows', { autoIncrement: true });
      request.result.createObjectStore('notes');
    };
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error('blocked'));
    request.onsuccess = () => {
      const database = request.result;
      // Another tab or the visitor deletes it.
      database.onversionchange = onClose;
      database.onclose = onClose;
      resolve(database);
    };
  });
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
