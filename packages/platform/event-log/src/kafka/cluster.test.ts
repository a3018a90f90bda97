import { eventually, type KafkaCluster, startKafkaCluster } from '@switchboard/testkit';
import { Kafka } from 'kafkajs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EventLogUnavailable } from '../errors.ts';
import { openKafkaLog } from '../index.ts';
import { collect, newTopic } from '../testing/adapters.ts';
import { record } from '../testing/records.ts';
import type { EventLog, LogEntry } from '../types.ts';

const PARTITIONS = 6;

let cluster: KafkaCluster | undefined;
beforeAll(async () => {
  cluster = await startKafkaCluster();
});
afterAll(() => cluster?.stop());

/** Publishes to all partitions concurrently in a loop, and records the offset of each acknowledged record. */
function publishAlways(log: EventLog, topic: string, name: string) {
  const acknowledged = new Map<string, string>();
  const failures: unknown[] = [];
  let going = true;
  const done = (async () => {
    for (let round = 0; going; round++) {
      const records = Array.from({ length: PARTITIONS }, (_, n) => record(`${name}.${round}.${n}`, n));
      await log.publish(topic, records).then(
        (published) => {
          for (const [i, { partition, value }] of records.entries())
            acknowledged.set(String(value), `${partition} at ${published.offsetOf(i)}`);
        },
        (error) => failures.push(error),
      );
    }
  })();
  return {
    acknowledged,
    failures,
    async stop() {
      going = false;
      await done;
    },
  };
}

it('three brokers lose, duplicate and reorder no acknowledged record while each of them is away', async (test) => {
  if (!cluster) return test.skip();
  const { brokers, nodes } = cluster;
  const log = openKafkaLog({ brokers, clientId: 'cluster', publishTimeoutMs: 20_000 });
  const topic = await newTopic(log, { partitions: PARTITIONS, replication: 3 });
  const loads = ['a', 'b', 'c'].map((name) => publishAlways(log, topic, name));
  const count = () => loads.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
  const goOn = async () => {
    const before = count();
    await eventually(() => expect(count()).toBeGreaterThan(before + 300), { withinMs: 60_000 });
  };
  try {
    await goOn();
    for (const [i, node] of nodes.entries()) {
      if (i === 0) await node.stop();
      if (i === 1) await node.kill();
      if (i === 2) node.pause();
      await goOn();
      if (i === 2) node.resume();
      else await node.start();
      await goOn();
    }
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
  }
  for (const { failures } of loads)
    for (const failure of failures) expect(failure).toBeInstanceOf(EventLogUnavailable);
  const total = (await log.endOffsets(topic)).reduce((sum, end) => sum + end, 0n);
  const { records } = await collect(log, [topic], Number(total));
  const places = new Map<string, string[]>();
  for (const { value, partition, offset } of records) {
    const found = places.get(String(value)) ?? [];
    places.set(String(value), [...found, `${partition} at ${offset}`]);
  }
  for (const { acknowledged } of loads) {
    for (const [value, place] of acknowledged) expect([value, places.get(value)]).toEqual([value, [place]]);
  }
  await log.close();
}, 300_000);

it('a topic with one copy gets three on three brokers by the logged plan, and two confirm each record from then on', async (test) => {
  if (!cluster) return test.skip();
  const { brokers } = cluster;
  const said: LogEntry[] = [];
  const log = openKafkaLog({ brokers, clientId: 'plan', onLog: (entry) => said.push(entry) });
  const admin = new Kafka({ brokers, logCreator: () => () => {} }).admin();
  await admin.connect();
  try {
    const topic = await newTopic(log, { partitions: PARTITIONS, deadLetter: false });
    const start = () =>
      newTopic(log, { name: topic, partitions: PARTITIONS, deadLetter: false, replication: 3 });
    await start();
    const plan = JSON.parse(/plan.json is (.*), and restart/.exec(said[0]?.message ?? '')?.[1] ?? '');
    const assignment = plan.partitions.map(({ partition, replicas }: never) => ({ partition, replicas }));
    await admin.alterPartitionReassignments({ topics: [{ topic, partitionAssignment: assignment }] });
    await eventually(
      async () => {
        const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
        expect(topics[0]?.partitions.map(({ isr }) => isr.length)).toEqual(Array(PARTITIONS).fill(3));
      },
      { withinMs: 30_000 },
    );
    await start();
    expect(said.map(({ message }) => message).slice(1)).toEqual([
      `topic ${topic}: set min.insync.replicas=2`,
    ]);
    await log.publish(topic, [record('a')]);
  } finally {
    await admin.disconnect();
    await log.close();
  }
});
