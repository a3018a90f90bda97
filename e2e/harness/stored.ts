import { randomUUID } from 'node:crypto';
import { openKafkaLog, type StoredRecord } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';

/** Reads every record of these topics, up to their current ends. */
export async function readTopics(brokers: string[], topics: string[]): Promise<StoredRecord[]> {
  const log = openKafkaLog({ brokers, clientId: 'e2e' });
  const found: StoredRecord[] = [];
  const unread = new Map<string, bigint>();
  for (const topic of topics)
    for (const [partition, end] of (await log.endOffsets(topic)).entries())
      if (end > 0n) unread.set(`${topic}/${partition}`, end);
  const consumption = await log.consume({
    group: `e2e-${randomUUID()}`,
    topics,
    async handle({ topic, partition, records, nextOffset }) {
      found.push(...records);
      const place = `${topic}/${partition}`;
      if (nextOffset >= (unread.get(place) ?? 0n)) unread.delete(place);
    },
  });
  await eventually(
    () => {
      if (unread.size > 0) throw new Error(`not read to the end: ${[...unread.keys()].join(', ')}`);
    },
    { withinMs: 60_000 },
  );
  await consumption.stop();
  await log.close();
  return found;
}

/** Counts each event id on the topic. */
export async function storedEvents(brokers: string[]): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (const { value } of await readTopics(brokers, ['events'])) {
    for (const line of (value ?? '').toString().split('\n')) {
      const id = /"event_id":"([^"]+)"/.exec(line)?.[1];
      if (id !== undefined) times.set(id, (times.get(id) ?? 0) + 1);
    }
  }
  return times;
}
