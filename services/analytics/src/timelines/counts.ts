import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import { LRUCache } from 'lru-cache';
import { questionOf, type RowsOf } from '../kept/kept-rows.ts';
import type { PersonTimes } from './by-person.ts';

/** Counts people by their events. The order in which they are added makes no difference. */
export interface Counter<C> {
  /** Everything that `add` depends on, besides its arguments, as JSON. */
  key: readonly unknown[];
  empty(): C;
  /** Adds a person. With the sign -1, takes away what was added for a person with the same events. */
  add(counts: C, person: PersonTimes, sign: 1 | -1): Promise<void> | void;
}

/** Counts of the events of some files. */
export interface KeptCounts<C> {
  counts: C;
  /** The number of people when all were counted. */
  people: number;
  /** The keys of the files. */
  files: ReadonlySet<string>;
  /** The version of the joined ids. */
  joined: number;
}

const MAX_BYTES = 32_000_000;
/** How long data about people stays in memory, erased or not. */
export const DAY_MS = 86_400_000;

/** Keeps counts in memory for a day. The least recently used are forgotten first. */
export function createKeptCounts() {
  const all = new LRUCache<string, KeptCounts<unknown>>({
    ...{ maxSize: MAX_BYTES, ttl: DAY_MS, ttlAutopurge: true },
    sizeCalculation: ({ counts, files }) =>
      serialize(counts).byteLength + [...files].reduce((sum, { length }) => sum + length, 1),
  });
  return {
    keyOf: (projectId: string, queries: readonly RowsOf[], { key }: Counter<unknown>): string =>
      createHash('sha256')
        .update(JSON.stringify([projectId, queries.map(questionOf), key]))
        .digest('base64'),
    /** Returns counts that nothing else uses until they are kept again. */
    take<C>(key: string): KeptCounts<C> | undefined {
      const found = all.get(key);
      all.delete(key);
      // The key identifies the counter, and with it the type.
      return found as KeptCounts<C> | undefined;
    },
    keep(key: string, counted: KeptCounts<unknown>): void {
      all.set(key, counted);
    },
  };
}
