import { etagOf, joinObjects, type Prepared } from '@switchboard/http';
import { noReads, type Reads } from '@switchboard/resilience';
import { LRUCache } from 'lru-cache';

/** The result of a query: T and `asOf`. Its ETag identifies it before it is computed. */
export interface Result<T> {
  etag: string;
  /** Whether the result is in memory, or already being computed. */
  isKnown(): boolean;
  /** Throws what the computation throws. */
  prepare(): Promise<Prepared<Json<T & { asOf: string }>>>;
}

/** The JSON of a value of type T. */
export type Json<T> = string & { readonly of?: T };

export const jsonOf = <T extends object>(value: T): Json<T> => JSON.stringify(value);

export interface Results {
  /**
   * Returns the result of a query that `parts` determine completely: `asOf` and the computed result. Concurrent
   * requests share one computation, and a changed part causes a new one.
   */
  of<T extends object>(parts: readonly unknown[], asOf: number, compute: () => Promise<Json<T>>): Result<T>;
  /** Counts the results so far, by whether they were in memory. */
  reads(): Readonly<Reads>;
}

/** Limited, because results may be about people who are erased later. */
const KEPT_MS = 3_600_000;

/** Caches results in memory, up to `cacheBytes`. The least recently used are evicted first. */
export function createResults({ cacheBytes }: { cacheBytes: number }): Results {
  /** JSON by ETag. */
  const known = new LRUCache<string, string>({
    maxSize: cacheBytes,
    sizeCalculation: (json) => json.length * 2 + 200,
    ttl: KEPT_MS,
  });
  const running = new Map<string, Promise<string>>();
  const reads = noReads();

  async function computed(etag: string, compute: () => Promise<string>): Promise<string> {
    try {
      const json = await compute();
      known.purgeStale();
      known.set(etag, json);
      return json;
    } finally {
      running.delete(etag);
    }
  }

  async function find(etag: string, compute: () => Promise<string>): Promise<string> {
    const kept = known.get(etag);
    reads[kept === undefined ? 'misses' : 'hits']++;
    if (kept !== undefined) return kept;
    const found = running.get(etag) ?? computed(etag, compute);
    running.set(etag, found);
    return found;
  }

  return {
    reads: () => reads,
    of(parts, asOf, compute) {
      const etag = etagOf(JSON.stringify(parts));
      return {
        etag,
        isKnown: () => known.has(etag) || running.has(etag),
        async prepare() {
          const json = await find(etag, compute);
          return { body: joinObjects(`{"asOf":"${new Date(asOf).toISOString()}"}`, json), etag };
        },
      };
    },
  };
}

/** Adds already known properties to a result. */
export function extended<T, M extends object>(
  { etag: of, isKnown, prepare }: Result<T>,
  known: Json<M>,
): Result<T & M> {
  const etag = etagOf(of + known);
  return {
    etag,
    isKnown,
    async prepare() {
      const { body } = await prepare();
      return { body: joinObjects(known, body), etag };
    },
  };
}
