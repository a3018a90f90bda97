import type { Terminal } from '../terminal/terminal.ts';

const SHOW_EVERY_MS = 200;

/** Shows how far an import is on an interactive standard error; `end` clears the line. */
export function progressLine<Progress>(
  { isInteractive, err }: Terminal,
  describe: (progress: Progress) => string,
) {
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show(progress: Progress): void {
      const now = performance.now();
      if (!isInteractive || now - shownAt < SHOW_EVERY_MS) return;
      shownAt = now;
      err(`\r\u001b[K${describe(progress)}`);
    },
    end(): void {
      if (shownAt > 0) err('\r\u001b[K');
    },
  };
}
