import { pause } from '@switchboard/resilience';
import type { Admin } from 'kafkajs';
import { EventLogUnavailable, UnknownTopic } from '../../errors.ts';
import { within } from '../../timing.ts';
import { createAdmin } from '../admin.ts';
import { createClient, type KafkaConnection } from '../client.ts';
import { encodeBatch } from '../encoding/record-batch.ts';
import { createLink, type Link } from '../link.ts';
import { alterTopic, CLOSED, isClosed, OPEN, readConfigs } from './configs.ts';
import { type Range, rangeOf, rangesIn } from './range.ts';
import { NotYetKnown, untilKnown } from './until-known.ts';

export interface RepartitionOptions {
  topic: string;
  /** The number of partitions, from 1 to 1,000. */
  partitions: number;
  onProgress?(message: string): void;
}

const REQUEST_TIMEOUT_MS = 10_000;
const TIMEOUT_MS = 120_000;
/** A generous limit, because services return 503 until the step completes, and also if it is abandoned. */
const REFUSED_WITHIN_MS = 50_000;
const POLL_MS = 100;
/** The position of the CRC-32C in a record batch. */
const CHECKSUM_AT = 17;

/**
 * Changes the number of partitions of a topic while publishers and consumers run. Publishing is impossible for about
 * a second, between steps 2 and 3, and publishers are told to retry. Each step may be repeated, so run it again after
 * a crash.
 *
 * 1. Create the Kafka topic of the new partitions, closed.
 * 2. Close the old Kafka topic, and wait until the leader of each partition rejects records from any publisher.
 * 3. Open the new one. Its first record shows groups that the old partitions have ended; each reads them first.
 *
 * Returns false if the topic has this number of partitions already. Throws EventLogUnavailable.
 */
export async function repartitionKafkaTopic(
  connection: KafkaConnection,
  { topic, partitions, onProgress = () => {} }: RepartitionOptions,
): Promise<boolean> {
  const client = createClient(connection, REQUEST_TIMEOUT_MS);
  const admin = createAdmin(client, REQUEST_TIMEOUT_MS);
  const link = createLink(client);
  try {
    return await admin.use('repartitioning', (a) => untilKnown(() => repartition(a)), TIMEOUT_MS);
  } finally {
    await Promise.all([admin.close(), link.close()]);
  }

  async function repartition(a: Admin): Promise<boolean> {
    const ranges = await describe(a, topic);
    const last = ranges.at(-1);
    if (last === undefined) throw new UnknownTopic(`there is no topic ${topic}`);
    const before = ranges.at(-2);
    const isUnfinished = before !== undefined && (!before.isClosed || last.isClosed);
    if (!isUnfinished && last.count === partitions) return false;
    if (isUnfinished) requireSame(last);
    const [from, to] = isUnfinished ? [before, last] : [last, await create(a, last)];
    // Waits until busy brokers have created the partitions, so that the next step is short.
    if (to.isClosed) await untilRefused(to);
    onProgress(`${to.kafkaTopic} has ${partitions} partitions`);
    if (!from.isClosed) await alterTopic(a, from.kafkaTopic, CLOSED);
    await untilRefused(from);
    onProgress(`${from.kafkaTopic} takes no more records`);
    await alterTopic(a, to.kafkaTopic, OPEN);
    onProgress(`${to.kafkaTopic} takes the records from now on`);
    return true;
  }

  async function create(a: Admin, last: Described): Promise<Described> {
    const range = rangeOf(topic, last.first + last.count);
    await a.createTopics({
      waitForLeaders: true,
      topics: [
        {
          topic: range.kafkaTopic,
          numPartitions: partitions,
          replicationFactor: last.replicas,
          configEntries: [...new Map([...last.own, ...CLOSED])].map(([name, value]) => ({ name, value })),
        },
      ],
    });
    const found = (await describe(a, topic)).find(({ first }) => first === range.first);
    if (found === undefined) throw new NotYetKnown(`${range.kafkaTopic} is not known yet: run it again`);
    // Another run may have created it.
    requireSame(found);
    return found;
  }

  function requireSame({ count }: Described): void {
    if (count === partitions) return;
    throw new EventLogUnavailable(
      `${topic} is being given ${count} partitions by a run that did not end: run it again with that number first`,
    );
  }

  /**
   * Waits until the leader of each partition rejects records. It probes with a batch that has a wrong checksum, which
   * is never stored. The broker checks its size first.
   */
  async function untilRefused({ kafkaTopic, count }: Described): Promise<void> {
    const value = Buffer.from('probe');
    const identity = { producerId: '-1', producerEpoch: -1, firstSequence: -1 };
    const deadline = performance.now() + REFUSED_WITHIN_MS;
    for (let partition = 0; partition < count; partition++) {
      const records = [{ partition, key: null, value, headers: {} }];
      const recordBatch = await encodeBatch({ ...identity, records, compression: 0 });
      recordBatch.writeUInt32BE((recordBatch.readUInt32BE(CHECKSUM_AT) ^ 1) >>> 0, CHECKSUM_AT);
      const probe = { partition, ...identity, messages: [], recordBatch };
      for (
        let isAgain = false;
        (await answerTo(link, kafkaTopic, { probe, isAgain })) !== REFUSED;
        isAgain = true
      ) {
        if (performance.now() > deadline) {
          throw new EventLogUnavailable(`${kafkaTopic}/${partition} still takes records: run it again`);
        }
        await pause(POLL_MS);
      }
    }
  }
}

const REFUSED = 'MESSAGE_TOO_LARGE';

interface Attempt {
  probe: Parameters<Link['produce']>[1]['topicData'][number]['partitions'][number];
  /** Whether this is a repeated attempt. The leader may have changed. */
  isAgain: boolean;
}

/** Returns the error in the leader's response. */
async function answerTo(link: Link, kafkaTopic: string, { probe, isAgain }: Attempt): Promise<string> {
  const deadline = performance.now() + REQUEST_TIMEOUT_MS;
  try {
    if (isAgain || link.leaderOf(kafkaTopic, probe.partition) === undefined) {
      await within(deadline, 'looking up the leaders', link.refresh(kafkaTopic));
    }
    const leader = link.leaderOf(kafkaTopic, probe.partition);
    if (leader === undefined) return 'no leader';
    const topicData = [{ topic: kafkaTopic, partitions: [probe] }];
    await within(deadline, 'asking a leader', link.produce(leader, { acks: -1, timeout: 1_000, topicData }));
    return '';
  } catch (error) {
    return error instanceof Error && 'type' in error ? String(error.type) : '';
  }
}

interface Described extends Range {
  count: number;
  replicas: number;
  isClosed: boolean;
  /** The settings of the topic itself. */
  own: Map<string, string>;
}

async function describe(admin: Admin, topic: string): Promise<Described[]> {
  const ranges = rangesIn(await admin.listTopics(), topic);
  if (ranges.length === 0) return [];
  const names = ranges.map(({ kafkaTopic }) => kafkaTopic);
  const { topics } = await admin.fetchTopicMetadata({ topics: names });
  const configs = await readConfigs(admin, names);
  return ranges.map((range) => {
    const partitions = topics.find(({ name }) => name === range.kafkaTopic)?.partitions ?? [];
    const config = configs.get(range.kafkaTopic) ?? new Map();
    return {
      ...range,
      count: partitions.length,
      replicas: Math.min(...partitions.map(({ replicas }) => replicas.length)),
      isClosed: isClosed(config),
      own: new Map([...config].flatMap(([name, { value, isOwn }]) => (isOwn ? [[name, value]] : []))),
    };
  });
}
