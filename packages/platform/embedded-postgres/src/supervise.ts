import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from './server.ts';

/** Restarts a server when it ends unexpectedly, after a pause that grows to 5 s. */
export function supervise(first: Server, start: () => Promise<Server>, onLog: (line: string) => void) {
  const stopping = new AbortController();
  let current = first;

  async function run(): Promise<void> {
    for (let pause = 100; !stopping.signal.aborted; pause = 100) {
      await current.exited;
      for (
        let again = !stopping.signal.aborted;
        again && !stopping.signal.aborted;
        pause = Math.min(pause * 2, 5000)
      ) {
        onLog('PostgreSQL ended unexpectedly, restarting');
        await sleep(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
        if (!stopping.signal.aborted) again = await restart();
      }
    }
    await current.stop();
  }

  /** Returns whether another attempt is needed. */
  async function restart(): Promise<boolean> {
    try {
      current = await start();
      return false;
    } catch (error) {
      onLog(error instanceof Error ? error.message : String(error));
      return true;
    }
  }

  const running = run();
  return {
    async stop(): Promise<void> {
      stopping.abort();
      await current.stop();
      await running;
    },
  };
}
