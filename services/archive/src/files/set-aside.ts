import type { KnownFile } from './store.ts';

const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 6 * 60 * 60 * 1000;

/** Excludes files after failed merges, for longer each time. */
export interface SetAside {
  /** Returns the files that may be merged now. */
  without(files: readonly KnownFile[]): KnownFile[];
  add(files: readonly KnownFile[]): void;
}

/** Creates the set. `elapsed` returns milliseconds on a monotonic clock. */
export function createSetAside(elapsed: () => number): SetAside {
  const known = new Map<string, { until: number; pauseMs: number }>();

  return {
    without(files) {
      const now = elapsed();
      // Forgets files that have been merged or deleted since.
      for (const [key, { until }] of known) if (until + LONGEST_PAUSE_MS < now) known.delete(key);
      return files.filter(({ key }) => (known.get(key)?.until ?? now) <= now);
    },
    add(files) {
      for (const { key } of files) {
        const last = known.get(key);
        const pauseMs = last === undefined ? FIRST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, last.pauseMs * 2);
        known.set(key, { until: elapsed() + pauseMs, pauseMs });
      }
    },
  };
}
