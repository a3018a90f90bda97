import { openKafkaLog } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';

/** Every record that a topic holds, until its end as of now. */
export async function readTopic(brokers: string[], topic: string): Promise<Buffer[]> {
  const log = openKafkaLog({ brokers, clientId: 'trial' });
  const values: Buffer[] = [];
  const reached = new Map<number, bigint>();
  const ends = await log.endOffsets(topic);
  const consumption = await log.consume({
    group: `trial-${process.pid}-${topic}`,
    topics: [topic],
    async handle({ partition, records, nextOffset }) {
      for (const { value } of records) if (value !== null) values.push(value);
      reached.set(partition, nextOffset);
    },
  });
  await eventually(
    () => {
      const open = ends.filter((end, partition) => (reached.get(partition) ?? 0n) < end);
      if (open.length > 0) throw new Error(`${open.length} partitions of ${topic} are not read to their end`);
    },
    { withinMs: 60_000 },
  );
  await consumption.stop();
  await log.close();
  return values;
}

/** How often each event id stands on the topic. */
export async function storedEvents(brokers: string[]): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (const value of await readTopic(brokers, 'events')) {
    for (const line of value.toString('utf8').split('\n')) {
      const id = /"event_id":"([^"]+)"/.exec(line)?.[1];
      if (id !== undefined) times.set(id, (times.get(id) ?? 0) + 1);
    }
  }
  return times;
}
