import { PEOPLE_TOPIC, type PersonRecord, personKey } from '@switchboard/contracts';
import type { Database } from '@switchboard/database';
import type { EventLog } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import { createPersonIds } from '../person-ids.ts';

/** Publishes joins as flags does, and waits until a replica has applied them. */
export async function createPersonPublisher(log: EventLog, replica: Pick<Database, 'drizzle'>) {
  await log.createTopics([{ name: PEOPLE_TOPIC, partitions: 1, replication: 1, cleanup: 'compact' }]);
  const ids = createPersonIds(replica.drizzle);

  async function publish(projectId: string, distinctId: string, personId: string | undefined) {
    const record: PersonRecord | undefined =
      personId === undefined
        ? undefined
        : { projectId, distinctId, personId, joinedAt: new Date().toISOString(), by: { kind: 'identify' } };
    const value = record === undefined ? null : Buffer.from(JSON.stringify(record));
    await log.publish(PEOPLE_TOPIC, [
      { partition: 0, key: personKey(projectId, distinctId), value, headers: {} },
    ]);
    const expected = personId ?? distinctId;
    await eventually(async () => {
      const person = await ids.personOf(projectId, distinctId);
      if (person !== expected)
        throw new Error(`${distinctId} is of person ${person}, not yet of ${expected}`);
    });
  }

  return {
    async join({ id }: { id: string }, personId: string, ...distinctIds: string[]): Promise<void> {
      for (const distinctId of distinctIds) await publish(id, distinctId, personId);
    },
    part: ({ id }: { id: string }, distinctId: string) => publish(id, distinctId, undefined),
  };
}
