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

/** What lru-cache holds where there is no value, since it holds no `undefined`. */
class Nothing<V> {
  readonly value: V;

  constructor(value: V) {
    this.value = value;
  }
}

/** A value without an object around it: there may be millions. */
type Held<V> = NonNullable<V> | Nothing<V>;

const unwrapped = <V>(held: Held<V>): V => (held instanceof Nothing ? held.value : held);

/** Overhead of an entry in addition to key and value: map slot, list links, times, sizes. Measured with Node 24. */
const ENTRY_BYTES = 160;
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

  /** Of keys whose source is unavailable: until then the stale value is used without another attempt to load it. */
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
    // Callers that wait for a load get its result even if the key was invalidated; lru-cache does not keep it then.
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
  // Apart from the values, so that requests for keys that do not exist cannot evict those that do. Bounded by size
  // rather than by `max`, which would allocate the memory at once.
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
      // Gone if the key was dropped meanwhile.
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
      // lru-cache measures a value only when it comes in the place of another.
      entries.delete(key);
      entries.set(key, value, { ttl });
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
