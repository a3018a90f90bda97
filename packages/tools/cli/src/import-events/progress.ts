import type { Terminal } from '../terminal/terminal.ts';

const SHOW_EVERY_MS = 200;

/** Shows how far an import is on an interactive standard error; `end` clears the line. */
export function progressLine({ isInteractive, err }: Terminal) {
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show({ place, lines, events }: { place: string; lines: number; events: number }): void {
      const now = performance.now();
      if (!isInteractive || now - shownAt < SHOW_EVERY_MS) return;
      shownAt = now;
      err(`\r\u001b[K${events} events imported, ${lines} lines read, at ${place.slice(-80)}`);
    },
    end(): void {
      if (shownAt > 0) err('\r\u001b[K');
    },
  };
}
