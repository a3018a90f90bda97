import type { Connection } from './connection.ts';
import type { Refusal } from './socket.ts';

interface WatchOptions {
  connections: Iterable<Connection>;
  refusalOf(credential: string): Promise<Refusal | undefined>;
  everyMs: number;
  onError(error: unknown): void;
}

/** Closes sockets with a credential that is no longer valid. While validity cannot be checked, they stay open. */
export function watchCredentials({ connections, refusalOf, everyMs, onError }: WatchOptions) {
  let isChecking = false;

  async function check(): Promise<void> {
    const sockets = Map.groupBy(connections, ({ credential }) => credential);
    const closing = [...sockets].map(async ([credential, sharing]) => {
      const refusal = credential === undefined ? undefined : await refusalOf(credential);
      if (refusal === undefined) return;
      for (const connection of sharing) connection.close(refusal.code, refusal.reason);
    });
    await Promise.all(closing);
  }

  const timer = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    check()
      .catch(onError)
      .finally(() => {
        isChecking = false;
      });
  }, everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
