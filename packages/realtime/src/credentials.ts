import type { Connection } from './connection.ts';
import type { Refusal } from './hub.ts';

interface WatchOptions {
  connections: Iterable<Connection>;
  refusalOf(credential: string): Promise<Refusal | undefined>;
  everyMs: number;
  onError(error: unknown): void;
}

/** Closes sockets whose credential is no longer good. While that cannot be told they stay. */
export function watchCredentials({ connections, refusalOf, everyMs, onError }: WatchOptions) {
  let isLooking = false;

  async function look(): Promise<void> {
    const sockets = Map.groupBy(connections, ({ credential }) => credential);
    const closing = [...sockets].map(async ([credential, sharing]) => {
      const refusal = credential === undefined ? undefined : await refusalOf(credential);
      if (refusal === undefined) return;
      for (const connection of sharing) connection.close(refusal.code, refusal.reason);
    });
    await Promise.all(closing);
  }

  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch(onError)
      .finally(() => {
        isLooking = false;
      });
  }, everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
