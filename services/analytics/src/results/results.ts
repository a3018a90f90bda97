import { etagOf, joinObjects, type Prepared } from '@switchboard/http';
import { noReads, type Reads } from '@switchboard/resilience';
import { LRUCache } from 'lru-cache';

/** A question with an answer of T and `asOf`. Its ETag identifies the answer before it is computed. */
export interface Asked<T> {
  etag: string;
  /** Whether the answer is in memory, or already being computed. */
  isKnown(): boolean;
  /** Throws what the computation throws. */
  answer(): Promise<Prepared<Json<T & { asOf: string }>>>;
}

/** The JSON of a value of type T. */
export type Json<T> = string & { readonly of?: T };

export const jsonOf = <T extends object>(value: T): Json<T> => JSON.stringify(value);

export interface Answers {
  /**
   * Returns the answer to a question that `parts` determine completely: `asOf` and the computed result. Concurrent
   * requests share one computation, and a changed part causes a new one.
   */
  to<T extends object>(parts: readonly unknown[], asOf: number, compute: () => Promise<Json<T>>): Asked<T>;
  /** Counts the answers so far, by whether they were in memory. */
  reads(): Readonly<Reads>;
}

/** Limited, because answers may be about people who are erased later. */
const KEPT_MS = 3_600_000;

/** Caches answers in memory, up to `cacheBytes`. The least recently used are evicted first. */
export function createAnswers({ cacheBytes }: { cacheBytes: number }): Answers {
  /** JSON by ETag. */
  const answered = new LRUCache<string, string>({
    maxSize: cacheBytes,
    sizeCalculation: (json) => json.length * 2 + 200,
    ttl: KEPT_MS,
  });
  const running = new Map<string, Promise<string>>();
  const reads = noReads();

  async function computed(etag: string, compute: () => Promise<string>): Promise<string> {
    try {
      const json = await compute();
      answered.purgeStale();
      answered.set(etag, json);
      return json;
    } finally {
      running.delete(etag);
    }
  }

  async function find(etag: string, compute: () => Promise<string>): Promise<string> {
    const kept = answered.get(etag);
    reads[kept === undefined ? 'misses' : 'hits']++;
    if (kept !== undefined) return kept;
    const found = running.get(etag) ?? computed(etag, compute);
    running.set(etag, found);
    return found;
  }

  return {
    reads: () => reads,
    to(parts, asOf, compute) {
      const etag = etagOf(JSON.stringify(parts));
      return {
        etag,
        isKnown: () => answered.has(etag) || running.has(etag),
        async answer() {
          const json = await find(etag, compute);
          return { body: joinObjects(`{"asOf":"${new Date(asOf).toISOString()}"}`, json), etag };
        },
      };
    },
  };
}

/** Adds already known properties to an answer. */
export function extended<T, M extends object>(
  { etag: of, isKnown, answer }: Asked<T>,
  known: Json<M>,
): Asked<T & M> {
  const etag = etagOf(of + known);
  return {
    etag,
    isKnown,
    async answer() {
      const { body } = await answer();
      return { body: joinObjects(known, body), etag };
    },
  };
}
