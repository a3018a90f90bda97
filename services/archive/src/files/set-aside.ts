import type { KnownFile } from './store.ts';

const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 6 * 60 * 60 * 1000;

/** Files whose merge failed, which are left out for a while, longer each time. */
export interface SetAside {
  /** Those of the files that may be merged now. */
  without(files: readonly KnownFile[]): KnownFile[];
  add(files: readonly KnownFile[]): void;
}

/** `elapsed` is in milliseconds, on a clock that nobody sets. */
export function createSetAside(elapsed: () => number): SetAside {
  const known = new Map<string, { until: number; pauseMs: number }>();

  return {
    without(files) {
      const now = elapsed();
      // Merged since, or gone.
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
