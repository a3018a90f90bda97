import { openKafkaLog, readTopic, type StoredRecord } from '@switchboard/event-log';

/** Reads every record of these topics, up to their current ends. */
export async function readTopics(brokers: string[], topics: string[]): Promise<StoredRecord[]> {
  const log = openKafkaLog({ brokers, clientId: 'e2e' });
  const found: StoredRecord[] = [];
  for (const topic of topics) await readTopic(log, topic, { onRecord: (record) => found.push(record) });
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
