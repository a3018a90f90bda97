const MAX_AT_ONCE = 3;

/** Returns a function that runs at most three tasks at once, in order. An aborted task does not start. */
export function createTurns(): <T>(task: () => Promise<T>, signal: AbortSignal) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (task, signal) => {
    if (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
    running++;
    try {
      signal.throwIfAborted();
      return await task();
    } finally {
      running--;
      waiting.shift()?.();
    }
  };
}
