import type { Database, Listening } from '@switchboard/database';
import { backoffDelay, pause } from '@switchboard/resilience';

export const RECORDS_CHANNEL = 'event_log_records';
export const GROUPS_CHANNEL = 'event_log_groups';

/** Wakes readers when records are stored, and groups when their members change. */
export interface Feed {
  onRecords(topic: string, partition: number, wake: () => void): () => void;
  onGroup(group: string, wake: () => void): () => void;
  close(): Promise<void>;
}

/** Listens from the first subscription on. While it cannot listen, and after a gap, it wakes every subscriber. */
export function createFeed(database: () => Database): Feed {
  const listeners = new Map<string, Set<() => void>>();
  const stopping = new AbortController();
  let listening: Promise<Listening[]> | undefined;

  function subscribe(key: string, wake: () => void): () => void {
    listening ??= listen();
    const set = listeners.get(key) ?? new Set();
    listeners.set(key, set.add(wake));
    return () => {
      set.delete(wake);
      if (set.size === 0 && listeners.get(key) === set) listeners.delete(key);
    };
  }

  async function listen(): Promise<Listening[]> {
    let records: Listening | undefined;
    for (let failures = 1; !stopping.signal.aborted; failures++) {
      try {
        records ??= await database().listen(RECORDS_CHANNEL, onRecordsMessage, wakeAll);
        const groups = await database().listen(GROUPS_CHANNEL, (group) => wake(groupKey(group)), wakeAll);
        wakeAll();
        return [records, groups];
      } catch {
        await pause(backoffDelay(failures - 1, { baseMs: 100, maxMs: 2_000 }), stopping.signal);
      }
    }
    return records === undefined ? [] : [records];
  }

  function onRecordsMessage(payload: string): void {
    for (const [topic, partitions] of Object.entries(parse(payload))) {
      for (const partition of partitions) wake(recordsKey(topic, partition));
    }
  }

  function wake(key: string): void {
    for (const listener of listeners.get(key) ?? []) listener();
  }

  function wakeAll(): void {
    for (const set of listeners.values()) for (const listener of set) listener();
  }

  return {
    onRecords: (topic, partition, wake) => subscribe(recordsKey(topic, partition), wake),
    onGroup: (group, wake) => subscribe(groupKey(group), wake),
    async close() {
      stopping.abort();
      for (const one of (await listening) ?? []) await one.stop();
    },
  };
}

const recordsKey = (topic: string, partition: number): string => `records ${topic}/${partition}`;
const groupKey = (group: string): string => `group ${group}`;

function parse(payload: string): Record<string, number[]> {
  return JSON.parse(payload);
}
