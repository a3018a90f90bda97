import { LRUCache } from 'lru-cache';
import { DeadlineExceeded, withDeadline } from './deadline.ts';
import { noReads, type Reads } from './reads.ts';

export interface CacheOptions<V> {
  /**
   * Reads the value of a key. `last` is the value it replaces; returning the same object keeps what was derived
   * from it. `undefined` means that there is none, which is remembered for `missingForMs`.
   */
  load(key: string, last: V | undefined): Promise<V>;
  /** Whether an error of `load` means that the source is unavailable. Any other error reaches the caller. */
  isUnavailable(error: unknown): boolean;
  /** Bound on the bytes held: of values, keys and the cache's own structures. Least recently used entries go first. */
  maxBytes: number;
  /** Bytes that a value holds in memory. */
  sizeOf(value: NonNullable<V>): number;
  /** How long a value is used without a look at the source, should no invalidation arrive. Default 30 s. */
  freshForMs?: number;
  /** How long it is remembered that a key has no value. Default 5 s. */
  missingForMs?: number;
  /** How long a caller waits for the source when there is a stale value to fall back on. Default 250 ms. */
  patienceMs?: number;
  /** How long a stale value is used before the source is tried again. Default 400 ms. */
  staleForMs?: number;
  /** How long a caller waits for the source when there is no value. Default 3 s. */
  loadTimeoutMs?: number;
}

/**
 * Values in memory, loaded on first use, once for all callers that ask meanwhile. A value that is too old or was
 * invalidated is loaded again before it is used; while the source is unavailable or slow, the stale value is used.
 * What a load returns is cached only if the key was neither invalidated nor dropped since the load began.
 */
export interface Cache<V> {
  /** The value itself when it is in memory and fresh, otherwise a promise. Rejects with the error of `load`. */
  get(key: string): V | Promise<V>;
  /** Whether the last `get` of the key was answered with a value that still holds, not with a stale one. */
  isFresh(key: string): boolean;
  /** The value has changed. It may still be used while the source is unavailable. */
  invalidate(key: string): void;
  /** Changes may have been missed: every value is loaded again before it is used. Takes constant time. */
  invalidateAll(): void;
  /** Keys may have got a value: those that are remembered to have none are loaded again. */
  invalidateMissing(): void;
  /** The value has changed and must not be used again, not even while the source is unavailable. */
  drop(key: string): void;
  /** The value in memory has grown or shrunk: its size is measured again. */
  resized(key: string): void;
  /** Values in memory. */
  size(): number;
  /** Bytes held in memory, as bounded by `maxBytes`. */
  bytes(): number;
  /** Calls of `get` so far; one that was answered without a look at the source is a hit. */
  reads(): Readonly<Reads>;
}

interface Entry<V> {
  readonly value: V;
  /** While the source is unavailable, the stale value is used until then without another attempt to load it. */
  usedStaleUntil: number;
}

/** Overhead of an entry in addition to key and value: map slot, list links, times, sizes. Measured with Node 24. */
const ENTRY_BYTES = 200;
const MAX_MISSING = 10_000;

/** Creates a cache on lru-cache, which joins loads, evicts by size and falls back on a stale value. */
export function createCache<V>(options: CacheOptions<V>): Cache<V> {
  const { load, isUnavailable, maxBytes, sizeOf, missingForMs = 5_000 } = options;
  const { freshForMs = 30_000, patienceMs = 250, staleForMs = 400, loadTimeoutMs = 3_000 } = options;
  const loads = new Set<{ key: string }>();
  const answers = new Map<string, Promise<V>>();
  const reads = noReads();
  let skippedMs = 0;
  /** Moved forward to make every entry stale at once. */
  const now = () => performance.now() + skippedMs;

  const entries = new LRUCache<string, Entry<V>>({
    maxSize: maxBytes,
    sizeCalculation: ({ value }, key) =>
      Math.min(maxBytes, Math.ceil(ENTRY_BYTES + key.length + sizeOfValue(value))),
    ttl: freshForMs,
    ttlResolution: 0,
    perf: { now },
    noDeleteOnStaleGet: true,
    noDeleteOnFetchRejection: true,
    // Callers that wait for a load get its result even if the key was invalidated; lru-cache does not keep it then.
    ignoreFetchAbort: true,
    async fetchMethod(key, last, { options: fetchOptions, signal }) {
      const current = { key };
      loads.add(current);
      try {
        return { value: await load(key, last?.value), usedStaleUntil: 0 };
      } catch (error) {
        const isStaleUsable = last !== undefined && !signal.aborted && isUnavailable(error);
        if (isStaleUsable) last.usedStaleUntil = now() + staleForMs;
        fetchOptions.allowStaleOnFetchRejection = isStaleUsable;
        throw error;
      } finally {
        loads.delete(current);
      }
    },
  });
  // Apart from the values, so that requests for keys that do not exist cannot evict those that do. Bounded by size
  // rather than by `max`, which would allocate the memory at once.
  const missing = new LRUCache<string, Entry<V>>({
    maxSize: MAX_MISSING,
    sizeCalculation: () => 1,
    ttl: missingForMs,
  });

  function sizeOfValue(value: V): number {
    return value === undefined || value === null ? 0 : sizeOf(value);
  }

  function peek(key: string): Entry<V> | undefined {
    return entries.peek(key, { allowStale: true });
  }

  async function loadEntry(key: string): Promise<Entry<V>> {
    const entry = await entries.fetch(key);
    if (entry === undefined) throw new Error('the cache loaded nothing');
    if (entry.value === undefined && peek(key) === entry) {
      entries.delete(key);
      missing.set(key, entry);
    }
    return entry;
  }

  async function answer(key: string, last: Entry<V> | undefined): Promise<V> {
    const waitMs = last === undefined ? loadTimeoutMs : patienceMs;
    try {
      return (await withDeadline(waitMs, loadEntry(key))).value;
    } catch (error) {
      // Gone if the key was dropped meanwhile.
      const stale = peek(key);
      if (stale === undefined || !(error instanceof DeadlineExceeded || isUnavailable(error))) throw error;
      stale.usedStaleUntil = now() + staleForMs;
      return stale.value;
    }
  }

  function startAnswer(key: string, last: Entry<V> | undefined): Promise<V> {
    const started: Promise<V> = answer(key, last).finally(() => {
      if (answers.get(key) === started) answers.delete(key);
    });
    answers.set(key, started);
    return started;
  }

  function invalidate(key: string): void {
    const entry = peek(key);
    answers.delete(key);
    missing.delete(key);
    if (entry === undefined) entries.delete(key);
    else entries.set(key, { value: entry.value, usedStaleUntil: 0 }, { ttl: 1, start: now() - 2 });
  }

  return {
    get(key) {
      const fresh = entries.get(key) ?? missing.get(key);
      if (fresh !== undefined) {
        reads.hits++;
        return fresh.value;
      }
      const stale = peek(key);
      if (stale !== undefined && now() < stale.usedStaleUntil) {
        reads.hits++;
        return stale.value;
      }
      reads.misses++;
      return answers.get(key) ?? startAnswer(copy(key), stale);
    },
    isFresh: (key) => entries.has(key) || missing.has(key),
    invalidate,
    invalidateAll() {
      for (const { key } of [...loads]) invalidate(key);
      skippedMs += Math.max(freshForMs, staleForMs) + 1;
      answers.clear();
      missing.clear();
    },
    invalidateMissing() {
      for (const { key } of [...loads]) if (peek(key) === undefined) invalidate(key);
      missing.clear();
    },
    drop(key) {
      answers.delete(key);
      missing.delete(key);
      entries.delete(key);
    },
    resized(key) {
      const entry = entries.peek(key);
      if (entry !== undefined) entries.set(key, { ...entry }, { noUpdateTTL: true });
    },
    size: () => entries.size,
    bytes: () => entries.calculatedSize,
    reads: () => reads,
  };
}

/** A key may be a slice of a request's body, which it would keep in memory as long as itself. */
function copy(key: string): string {
  const own: unknown = JSON.parse(JSON.stringify(key));
  return typeof own === 'string' ? own : key;
}
