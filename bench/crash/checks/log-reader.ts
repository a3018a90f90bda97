import { randomUUID } from 'node:crypto';
import { ingestionTopics } from '@switchboard/contracts';
import type { EventLog } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';

export interface LogReader {
  /** Returns the number of copies of each event, by `<project> <event_id>`, up to the end of the log at call time. */
  copies(): Promise<ReadonlyMap<string, number>>;
  stop(): Promise<void>;
}

/**
 * Reads the topic `events` independently of the archive, to tell events that the archive lost from those never
 * logged.
 */
export async function readLog(log: EventLog): Promise<LogReader> {
  const topic = ingestionTopics.events;
  const copies = new Map<string, number>();
  const reached: bigint[] = [];
  const consumption = await log.consume({
    group: `crash-${randomUUID()}`,
    topics: [topic],
    async handle(batch) {
      for (const { offset, key, value } of batch.records) {
        // Skips records that are redelivered after the log was killed: they are already counted.
        if (offset < (reached[batch.partition] ?? 0n)) continue;
        for (const line of (value?.toString() ?? '').split('\n')) {
          const { event_id: id }: { event_id: string } = JSON.parse(line);
          const name = `${key} ${id}`;
          copies.set(name, (copies.get(name) ?? 0) + 1);
        }
      }
      reached[batch.partition] = batch.nextOffset;
    },
  });
  return {
    async copies() {
      const ends = await eventually(() => log.endOffsets(topic), { withinMs: 60_000 });
      await eventually(
        () => {
          const missing = ends.findIndex((end, partition) => end > (reached[partition] ?? 0n));
          if (missing >= 0) throw new Error(`${topic}/${missing} was not read to its end`);
        },
        { withinMs: 120_000 },
      );
      return copies;
    },
    stop: () => consumption.stop(),
  };
}
