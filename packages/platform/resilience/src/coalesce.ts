export interface CoalesceOptions {
  /** The maximum number of keys per call. Default 1000. */
  maxBatch?: number;
  /** How long a call may block waiting callers before another call runs concurrently. Default: without limit. */
  slowAfterMs?: number;
  /** The maximum number of concurrent calls, including slow ones. Default 1. */
  maxConcurrent?: number;
  /**
   * Whether a call begins only after all ready events are handled, so that their callers share it. Default: false.
   */
  gathers?: boolean;
}

interface Waiting<V> {
  resolve(value: V): void;
  reject(error: unknown): void;
}

/**
 * Turns a read of many keys into a read of one. A single caller is served immediately. Callers that arrive during a
 * read share the next one, each key once, so that the cost per caller falls as load rises. No caller joins a read
 * that began before its call, so results are never older than the call.
 *
 * @param readMany Resolves with one value per key, in the order of the keys. If it rejects, every caller of the
 *   batch is rejected with the same error.
 */
export function coalesce<K, V>(
  readMany: (keys: readonly K[]) => Promise<readonly V[]>,
  { maxBatch = 1_000, slowAfterMs, maxConcurrent = 1, gathers = false }: CoalesceOptions = {},
): (key: K) => Promise<V> {
  let waiting = new Map<K, Waiting<V>[]>();
  let reads = 0;
  let slowReads = 0;
  let isGathering = false;

  function gather(): void {
    if (isGathering) return;
    isGathering = true;
    setImmediate(() => {
      isGathering = false;
      readNext();
    });
  }

  function readNext(): void {
    if (waiting.size > 0 && reads === slowReads && reads < maxConcurrent) void read();
  }

  async function read(): Promise<void> {
    const batch = takeBatch();
    let isSlow = false;
    reads++;
    const timer =
      slowAfterMs === undefined
        ? undefined
        : setTimeout(() => {
            isSlow = true;
            slowReads++;
            readNext();
          }, slowAfterMs);
    await settle(batch);
    clearTimeout(timer);
    reads--;
    if (isSlow) slowReads--;
    readNext();
  }

  function takeBatch(): [K, Waiting<V>[]][] {
    if (waiting.size <= maxBatch) {
      const all = [...waiting];
      // A new map each time: see "tables" in The engine, ARCHITECTURE.md.
      waiting = new Map();
      return all;
    }
    const batch: [K, Waiting<V>[]][] = [];
    for (const entry of waiting) {
      if (batch.length === maxBatch) break;
      batch.push(entry);
    }
    for (const [key] of batch) waiting.delete(key);
    return batch;
  }

  async function settle(batch: readonly [K, Waiting<V>[]][]): Promise<void> {
    try {
      const values = await readMany(batch.map(([key]) => key));
      if (values.length !== batch.length) {
        throw new Error(`a coalesced read of ${batch.length} keys returned ${values.length} values`);
      }
      for (const [index, value] of values.entries()) {
        for (const { resolve } of batch[index]?.[1] ?? []) resolve(value);
      }
    } catch (error) {
      for (const { reject } of batch.flatMap(([, callers]) => callers)) reject(error);
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      const callers = waiting.get(key);
      if (callers === undefined) waiting.set(key, [{ resolve, reject }]);
      else callers.push({ resolve, reject });
      if (gathers) gather();
      else readNext();
    });
}
