import type { TokenUse } from './uses.ts';

/** Reports when tokens were used, without a write for each request. */
export interface UseReporter {
  used(tokenId: string): void;
  start(): void;
  /** Reports the remaining uses and stops. */
  stop(): Promise<void>;
}

const EVERY_MS = 60_000;

interface ReporterOptions {
  report(uses: TokenUse[]): Promise<void>;
  onError(error: unknown): void;
}

/** Reports the last use of each token at most once a minute. Uses that `report` rejects go into the next report. */
export function createUseReporter({ report, onError }: ReporterOptions): UseReporter {
  const lastUse = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    if (lastUse.size === 0) return;
    const uses = [...lastUse].map(([tokenId, at]) => ({ tokenId, at }));
    lastUse.clear();
    try {
      await report(uses);
    } catch (error) {
      onError(error);
      for (const { tokenId, at } of uses) if (!lastUse.has(tokenId)) lastUse.set(tokenId, at);
    }
  }

  return {
    used: (tokenId) => void lastUse.set(tokenId, new Date().toISOString()),
    start() {
      timer ??= setInterval(() => void flush(), EVERY_MS).unref();
    },
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
