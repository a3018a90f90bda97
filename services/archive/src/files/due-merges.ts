import { type Merge, nextMerge } from './plan.ts';
import { createSetAside } from './set-aside.ts';
import type { FilesStore, KnownFile } from './store.ts';

interface DueMergesOptions {
  store: Pick<FilesStore, 'readable' | 'readableOf' | 'dayBefore'>;
  /** Bytes of files merged at once. Default: 32 MiB, in memory those that are written as well. */
  mergeBytes?: number;
  /** Milliseconds on a clock that nobody sets. */
  elapsed?: () => number;
}

interface FindOptions {
  /** Milliseconds since 1970. */
  now(): number;
  /** Days whose files are left as they are. */
  without: ReadonlySet<string>;
}

/** The merges that are due. Remembers, from one search to the next, which day has its turn and which files failed. */
export interface DueMerges {
  /**
   * One at a time: the next is looked for once that before it is carried out. Those of today and yesterday come first.
   * Earlier days take turns, so that a search reads few files however many there are.
   */
  find(options: FindOptions): AsyncGenerator<Merge>;
  /** Leaves files out for a while, whose merge failed. */
  setAside(files: readonly KnownFile[]): void;
}

const MERGE_BYTES = 32 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Files of a day come until then after its end. */
const CLOSES_AFTER_MS = 30 * 60 * 1000;
/** Of those that are known at once. */
const MAX_FILES = 20_000;
/** A search ends when it has looked at so many files of earlier days that need no merge. */
const FILES_OF_A_SEARCH = 1_000;

export function createDueMerges({
  store,
  mergeBytes = MERGE_BYTES,
  elapsed = () => performance.now(),
}: DueMergesOptions): DueMerges {
  const failed = createSetAside(elapsed);
  /** The earlier day whose turn it is; undefined: the latest of them. */
  let turn: string | undefined;

  async function* find({ now, without }: FindOptions): AsyncGenerator<Merge> {
    let looked = 0;

    function mergeOf(files: readonly KnownFile[]): Merge | undefined {
      const free = failed.without(files).filter(({ day }) => !without.has(day));
      const isClosed = (day: string) => Date.parse(day) + DAY_MS + CLOSES_AFTER_MS <= now();
      return nextMerge(free, { isClosed, mergeBytes });
    }

    async function earlier(yesterday: string): Promise<Merge | undefined> {
      turn ??= await store.dayBefore(yesterday);
      while (turn !== undefined && looked < FILES_OF_A_SEARCH) {
        const files = await store.readableOf(turn, MAX_FILES);
        const merge = mergeOf(files);
        if (merge !== undefined) return merge;
        looked += files.length;
        turn = await store.dayBefore(turn);
      }
      return undefined;
    }

    for (;;) {
      const yesterday = new Date(now() - DAY_MS).toISOString().slice(0, 10);
      const merge = mergeOf(await store.readable(yesterday, MAX_FILES)) ?? (await earlier(yesterday));
      if (merge === undefined) return;
      yield merge;
    }
  }

  return { find, setAside: failed.add };
}
