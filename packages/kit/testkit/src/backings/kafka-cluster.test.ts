import { Kafka } from 'kafkajs';
import { expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { startKafkaCluster } from './kafka-cluster.ts';

it('a cluster elects another leader when a broker stops or is killed, and accepts the broker again', async (test) => {
  const cluster = await startKafkaCluster();
  if (!cluster) return test.skip();
  const client = new Kafka({ brokers: cluster.brokers, logCreator: () => () => {} });
  const admin = client.admin();
  try {
    await admin.connect();
    await admin.createTopics({ waitForLeaders: false, topics: [{ topic: 'places', numPartitions: 1 }] });
    const place = async () => {
      const { topics } = await admin.fetchTopicMetadata({ topics: ['places'] });
      return topics[0]?.partitions[0];
    };
    await eventually(async () => expect((await place())?.isr).toHaveLength(3));
    for (const how of ['stop', 'kill'] as const) {
      const leader = (await place())?.leader;
      const node = cluster.nodes.find(({ id }) => id === leader);
      await node?.[how]();
      await eventually(async () => expect([leader, -1]).not.toContain((await place())?.leader), {
        withinMs: 30_000,
      });
      await node?.start();
      await eventually(async () => expect((await place())?.isr).toHaveLength(3), { withinMs: 30_000 });
    }
  } finally {
    await admin.disconnect();
    await cluster.stop();
  }
}, 180_000);
