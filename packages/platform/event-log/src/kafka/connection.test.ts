import { expect, it } from 'vitest';
import { createConnection } from './connection.ts';

/** Creates clusters that know the given topics and track target topics as kafkajs does. */
function clientFor(known: Set<string>) {
  let opened = 0;
  const cluster = () => {
    opened += 1;
    const targets = new Set<string>();
    const refreshMetadata = async () => {
      for (const topic of targets) {
        if (!known.has(topic))
          throw Object.assign(new Error('unknown topic'), { type: 'UNKNOWN_TOPIC_OR_PARTITION' });
      }
    };
    return {
      connect: async () => undefined,
      disconnect: async () => undefined,
      refreshMetadata,
      async addMultipleTargetTopics([topic = '']: string[]) {
        const isNew = !targets.has(topic);
        targets.add(topic);
        await refreshMetadata().catch((error: unknown) => {
          if (isNew) targets.delete(topic);
          throw error;
        });
      },
      findTopicPartitionMetadata: () => [{ partitionId: 0, leader: 1 }],
    };
  };
  return { connection: createConnection({ cluster } as never), opened: () => opened };
}

it('keeps the connections of its topics when another topic does not exist', async () => {
  const { connection, opened } = clientFor(new Set(['a']));
  await connection.refresh('a');
  await expect(connection.refresh('missing')).rejects.toThrow('unknown topic');
  expect([connection.leaderOf('a', 0), opened()]).toEqual([1, 1]);
});

it('forgets a deleted topic, so that the other topics can be refreshed', async () => {
  const known = new Set(['a', 'b']);
  const { connection } = clientFor(known);
  await connection.refresh('a');
  await connection.refresh('b');
  known.delete('b');
  await expect(connection.refresh('missing')).rejects.toThrow('unknown topic');
  await connection.refresh('a');
  await expect(connection.refresh('b')).rejects.toThrow('unknown topic');
  await connection.refresh('a');
  expect(connection.leaderOf('a', 0)).toBe(1);
});
