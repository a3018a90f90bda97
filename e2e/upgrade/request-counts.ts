/** The number of requests and failures, by kind of request. */
export interface RequestCounts {
  /** Sends a request and counts it. No response, or a status of 400 or more, is a failure and returns undefined. */
  count<T extends { status: number; body: unknown }>(
    kind: string,
    ask: () => Promise<T>,
  ): Promise<T | undefined>;
  failed(kind: string, what: string): void;
  totals(): Record<string, number>;
  failures(): string[];
}

export function createRequestCounts(): RequestCounts {
  const totals: Record<string, number> = {};
  const failures: string[] = [];
  const startedAt = performance.now();
  const failed = (kind: string, what: string) =>
    void failures.push(`${((performance.now() - startedAt) / 1000).toFixed(1)} s, ${kind}: ${what}`);
  return {
    async count(kind, ask) {
      totals[kind] = (totals[kind] ?? 0) + 1;
      try {
        const answer = await ask();
        if (answer.status < 400) return answer;
        failed(kind, `${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
      } catch (error) {
        failed(
          kind,
          error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : String(error),
        );
      }
      return undefined;
    },
    failed,
    totals: () => ({ ...totals }),
    failures: () => [...failures],
  };
}
