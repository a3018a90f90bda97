import { type Merge, nextMerge } from './plan.ts';
import { createSetAside } from './set-aside.ts';
import type { FilesStore, KnownFile } from './store.ts';

interface DueMergesOptions {
  store: Pick<FilesStore, 'readable' | 'readableOf' | 'dayBefore'>;
  /** The maximum number of bytes merged at once. Default: 32 MiB. The written files take the same memory again. */
  mergeBytes?: number;
  /** Milliseconds on a monotonic clock. */
  elapsed?: () => number;
}

interface FindOptions {
  /** Milliseconds since 1970. */
  now(): number;
  /** Days to leave unmerged. */
  without: ReadonlySet<string>;
}

/** Finds the merges that are due. Remembers between searches which day is next and which files failed. */
export interface DueMerges {
  /**
   * Yields one merge at a time, and looks for the next once it has been carried out. Files of today and yesterday
   * come first. Earlier days take turns, so that a search reads few files regardless of their number.
   */
  find(options: FindOptions): AsyncGenerator<Merge>;
  /** Excludes files for a while after their merge failed. */
  setAside(files: readonly KnownFile[]): void;
}

const MERGE_BYTES = 32 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Files of a day may still arrive this long after its end. */
const CLOSES_AFTER_MS = 30 * 60 * 1000;
/** The maximum number of files read at once. */
const MAX_FILES = 20_000;
/** A search ends after checking this number of files of earlier days that need no merge. */
const FILES_OF_A_SEARCH = 1_000;

export function createDueMerges({
  store,
  mergeBytes = MERGE_BYTES,
  elapsed = () => performance.now(),
}: DueMergesOptions): DueMerges {
  const failed = createSetAside(elapsed);
  /** The earlier day that is searched next; undefined for the latest. */
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
