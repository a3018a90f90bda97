import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from './logger.ts';

interface Line {
  level: 'error' | 'warn' | 'info' | 'debug';
  /** The cause of the line. Lines of the same cause and message share a limit. */
  cause: Record<string, string | number | undefined>;
  /** Called only when the line is written. */
  details(): object;
  message: string;
}

const MAX_LINES = 10;
const WINDOW_MS = 1_000;

/**
 * Limits log lines that anyone can trigger by sending requests: ten per second of each cause, then one that counts
 * the others. A flood of rejected requests neither fills the log nor spends time on writing it.
 */
export function boundedLines(logger: Logger): (line: Line) => void {
  const written = new Map<string, { lines: number; left: number }>();
  // The line with the count belongs to no request.
  const inOwnContext = AsyncLocalStorage.snapshot();

  function begin({ level, cause, message }: Line, key: string) {
    const window = { lines: 0, left: 0 };
    written.set(key, window);
    const end = () => {
      written.delete(key);
      if (window.left > 0) logger[level]({ ...cause, notLogged: window.left }, message);
    };
    inOwnContext(() => setTimeout(end, WINDOW_MS).unref());
    return window;
  }

  return (line) => {
    const { level, cause, details, message } = line;
    if (!logger.isLevelEnabled(level)) return;
    const key = [message, ...Object.values(cause)].join(' ');
    const window = written.get(key) ?? begin(line, key);
    if (window.lines === MAX_LINES) {
      window.left++;
      return;
    }
    window.lines++;
    logger[level]({ ...cause, ...details() }, message);
  };
}
