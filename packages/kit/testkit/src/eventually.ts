import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Calls `check` until it does not throw, and returns its result. Throws the last error after `withinMs`, or as soon as
 * `while` returns false.
 */
export async function eventually<T>(
  check: () => Promise<T> | T,
  { withinMs = 45_000, while: goesOn = () => true }: { withinMs?: number; while?: () => boolean } = {},
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (let pause = 10; ; pause = Math.min(pause * 2, 200)) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() >= deadline || !goesOn()) throw error;
    }
    await sleep(pause);
  }
}
