import { setTimeout as sleep } from 'node:timers/promises';

/** Calls check until it does not throw and answers its result; after withinMs throws what check threw last. */
export async function eventually<T>(check: () => Promise<T> | T, { withinMs = 10_000 } = {}): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (let pause = 10; ; pause = Math.min(pause * 2, 200)) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() >= deadline) throw error;
    }
    await sleep(pause);
  }
}
