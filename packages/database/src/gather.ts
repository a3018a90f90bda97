/** Reads one thing; those asked for while a read is under way are read together, in one call, after it. */
export type Read<V> = (id: string) => Promise<V | undefined>;

interface Waiting<V> {
  id: string;
  resolve(value: V | undefined): void;
  reject(error: unknown): void;
}

const mostAtOnce = 1_000;

/**
 * Turns a read of many into a read of one, with a single call in flight: however many callers there are, the
 * database sees one query at a time. A caller never joins a call that had begun before it asked.
 */
export function gatherReads<V>(
  readMany: (ids: readonly string[]) => Promise<ReadonlyMap<string, V>>,
): Read<V> {
  let waiting: Waiting<V>[] = [];
  let reading = false;

  async function drain() {
    reading = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, mostAtOnce);
      waiting = waiting.slice(mostAtOnce);
      try {
        const found = await readMany([...new Set(batch.map(({ id }) => id))]);
        for (const { id, resolve } of batch) resolve(found.get(id));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    reading = false;
  }

  return (id) =>
    new Promise((resolve, reject) => {
      waiting.push({ id, resolve, reject });
      if (!reading) void drain();
    });
}
