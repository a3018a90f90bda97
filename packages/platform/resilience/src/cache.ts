import { LRUCache } from 'lru-cache';
import { DeadlineExceeded, withDeadline } from './deadline.ts';
import { noReads, type Reads } from './reads.ts';

export interface CacheOptions<V> {
  /**
   * Reads the value of a key. `last` is the value to replace. Returning the same object keeps the data derived from
   * it. `undefined` means that the key has no value, which is cached for `missingForMs`.
   */
  load(key: string, last: V | undefined): Promise<V>;
  /** Returns whether an error of `load` means that the source is unavailable. Any other error reaches the caller. */
  isUnavailable(error: unknown): boolean;
  /**
   * The limit on the bytes of values, keys and internal structures. Least recently used entries are evicted first.
   */
  maxBytes: number;
  /** Returns the bytes that a value holds in memory. */
  sizeOf(value: NonNullable<V>): number;
  /** How long a value is used without checking the source, if no invalidation arrives. Default 30 s. */
  freshForMs?: number;
  /** How long the cache remembers that a key has no value. Default 5 s. */
  missingForMs?: number;
  /** How long a caller waits for the source if there is a stale value. Default 250 ms. */
  patienceMs?: number;
  /** How long a stale value is used before the source is tried again. Default 400 ms. */
  staleForMs?: number;
  /** How long a caller waits for the source if there is no value. Default 3 s. */
  loadTimeoutMs?: number;
}

/**
 * Values in memory. They are loaded on first use, and concurrent callers share a load. A value that is too old or
 * invalidated is loaded again before it is used. While the source is unavailable or slow, the stale value is used.
 * The result of a load is cached only if the key was neither invalidated nor dropped since the load began.
 */
export interface Cache<V> {
  /** Returns the value if it is in memory and fresh, otherwise a promise. Rejects with the error of `load`. */
  get(key: string): V | Promise<V>;
  /** Returns whether the last `get` of the key returned a current value rather than a stale one. */
  isFresh(key: string): boolean;
  /** Marks the value as changed. It may still be used while the source is unavailable. */
  invalidate(key: string): void;
  /** Invalidates all values, because changes may have been missed. Takes constant time. */
  invalidateAll(): void;
  /** Invalidates the keys that are cached as having no value. */
  invalidateMissing(): void;
  /** Removes a changed value. It must not be used again, even while the source is unavailable. */
  drop(key: string): void;
  /** Measures the size of the value in memory again after it has grown or shrunk. */
  resized(key: string): void;
  /** Returns the number of values in memory. */
  size(): number;
  /** Returns the bytes held in memory, as limited by `maxBytes`. */
  bytes(): number;
  /** Returns the calls of `get` so far. A call that does not use the source is a hit. */
  reads(): Readonly<Reads>;
}

/** Represents a missing value in lru-cache, which cannot store `undefined`. */
class Nothing<V> {
  readonly value: V;

  constructor(value: V) {
    this.value = value;
  }
}

/** A value without a wrapper object, because there may be millions. */
type Held<V> = NonNullable<V> | Nothing<V>;

const unwrapped = <V>(held: Held<V>): V => (held instanceof Nothing ? held.value : held);

/** The overhead of an entry besides key and value: map slot, list links, times, sizes. Measured with Node 24. */
const ENTRY_BYTES = 160;
const MAX_MISSING = 10_000;

/** Creates a cache on lru-cache that shares loads, evicts by size and falls back to stale values. */
export function createCache<V>(options: CacheOptions<V>): Cache<V> {
  const { load, isUnavailable, maxBytes, sizeOf, missingForMs = 5_000 } = options;
  const { freshForMs = 30_000, patienceMs = 250, staleForMs = 400, loadTimeoutMs = 3_000 } = options;
  const loads = new Set<{ key: string }>();
  const answers = new Map<string, Promise<V>>();
  const reads = noReads();
  let skippedMs = 0;
  /** Returns a clock that can be moved forward to make every entry stale at once. */
  const now = () => performance.now() + skippedMs;

  /** Keys with an unavailable source. Until then, the stale value is used without another load. */
  const usedStaleUntil = new Map<string, number>();
  const entries = new LRUCache<string, Held<V>>({
    maxSize: maxBytes,
    sizeCalculation: (held, key) =>
      Math.min(maxBytes, Math.ceil(ENTRY_BYTES + key.length + sizeOfHeld(held))),
    dispose: (_, key) => usedStaleUntil.delete(key),
    ttl: freshForMs,
    ttlResolution: 0,
    perf: { now },
    noDeleteOnStaleGet: true,
    noDeleteOnFetchRejection: true,
    // Callers that wait for a load get its result even if the key was invalidated. lru-cache then does not keep it.
    ignoreFetchAbort: true,
    async fetchMethod(key, last, { options: fetchOptions, signal }) {
      const current = { key };
      loads.add(current);
      try {
        const value = await load(key, last && unwrapped(last));
        return value ?? new Nothing(value);
      } catch (error) {
        const isStaleUsable = last !== undefined && !signal.aborted && isUnavailable(error);
        if (isStaleUsable) usedStaleUntil.set(key, now() + staleForMs);
        fetchOptions.allowStaleOnFetchRejection = isStaleUsable;
        throw error;
      } finally {
        loads.delete(current);
      }
    },
  });
  // Separate from the values, so that requests for missing keys cannot evict existing ones. Limited by size rather
  // than by `max`, which would allocate the memory immediately.
  const missing = new LRUCache<string, Nothing<V>>({
    maxSize: MAX_MISSING,
    sizeCalculation: () => 1,
    ttl: missingForMs,
  });

  function sizeOfHeld(held: Held<V>): number {
    return held instanceof Nothing ? 0 : sizeOf(held);
  }

  function peek(key: string): Held<V> | undefined {
    return entries.peek(key, { allowStale: true });
  }

  async function loadHeld(key: string): Promise<Held<V>> {
    const held = await entries.fetch(key);
    if (held === undefined) throw new Error('the cache loaded nothing');
    if (held instanceof Nothing && peek(key) === held) {
      entries.delete(key);
      missing.set(key, held);
    }
    return held;
  }

  async function answer(key: string, last: Held<V> | undefined): Promise<V> {
    const waitMs = last === undefined ? loadTimeoutMs : patienceMs;
    try {
      return unwrapped(await withDeadline(waitMs, loadHeld(key)));
    } catch (error) {
      // Undefined if the key was dropped during the load.
      const stale = peek(key);
      if (stale === undefined || !(error instanceof DeadlineExceeded || isUnavailable(error))) throw error;
      usedStaleUntil.set(key, now() + staleForMs);
      return unwrapped(stale);
    }
  }

  function startAnswer(key: string, last: Held<V> | undefined): Promise<V> {
    const started: Promise<V> = answer(key, last).finally(() => {
      if (answers.get(key) === started) answers.delete(key);
    });
    answers.set(key, started);
    return started;
  }

  function invalidate(key: string): void {
    const held = peek(key);
    answers.delete(key);
    missing.delete(key);
    usedStaleUntil.delete(key);
    if (held === undefined) entries.delete(key);
    else entries.set(key, held, { ttl: 1, start: now() - 2 });
  }

  return {
    get(key) {
      const fresh = entries.get(key) ?? missing.get(key);
      if (fresh !== undefined) {
        reads.hits++;
        return unwrapped(fresh);
      }
      const stale = peek(key);
      if (stale !== undefined && now() < (usedStaleUntil.get(key) ?? 0)) {
        reads.hits++;
        return unwrapped(stale);
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
      const { value, ttl } = entries.info(key) ?? {};
      if (value === undefined || ttl === undefined || ttl <= 0) return;
      // lru-cache measures a value only when it is inserted in place of another.
      entries.delete(key);
      entries.set(key, value, { ttl });
    },
    size: () => entries.size,
    bytes: () => entries.calculatedSize,
    reads: () => reads,
  };
}

/** Copies a key, because a slice of a request body would keep the whole body in memory. */
function copy(key: string): string {
  const own: unknown = JSON.parse(JSON.stringify(key));
  return typeof own === 'string' ? own : key;
}
