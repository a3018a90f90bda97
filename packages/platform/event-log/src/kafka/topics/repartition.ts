import { pause } from '@switchboard/resilience';
import kafkajs, { type Admin } from 'kafkajs';
import { UnknownTopic } from '../../errors.ts';
import { SETTLE_MS } from '../../publisher.ts';
import {
  otherRun,
  POLL_MS,
  pausedMessage,
  type RepartitionOptions,
  reportWaiting,
} from '../../repartition.ts';
import { createAdmin } from '../admin.ts';
import { createClient, type KafkaConnection } from '../client.ts';
import { readLag } from '../offsets.ts';
import { alterTopic, CLOSED, MAX_MESSAGE_BYTES, ownSettings, readConfigs, SIZE_LIMIT } from './configs.ts';
import { nextOf } from './listing.ts';
import { untilKnown } from './until-known.ts';

const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;

const REQUEST_TIMEOUT_MS = 10_000;
const STEP_TIMEOUT_MS = 60_000;

/**
 * Changes the number of partitions of a topic. Publishers are rejected until it ends. Each step may be repeated, so run
 * it again after a crash.
 *
 * 1. Create the topic `<topic>.next` with the new number of partitions and the settings of the topic. Publishers pause
 *    while it exists. Make brokers reject records of publishers that do not notice.
 * 2. Wait until every consumer group has read the topic. Delete it.
 * 3. Wait until no group member has the topic and Kafka has forgotten its offsets. Create it from `<topic>.next`.
 * 4. Delete `<topic>.next`.
 *
 * With the current number, ends the pause of an earlier run. Returns false if there was nothing to change. Throws
 * UnknownTopic and EventLogUnavailable.
 */
export async function repartitionKafkaTopic(
  connection: KafkaConnection,
  { topic, partitions, settleMs = SETTLE_MS, onProgress = () => {} }: RepartitionOptions,
): Promise<boolean> {
  const admin = createAdmin(createClient(connection, REQUEST_TIMEOUT_MS), REQUEST_TIMEOUT_MS);
  const step = <T>(what: string, work: (a: Admin) => Promise<T>) =>
    admin.use(what, (a) => untilKnown(() => work(a)), STEP_TIMEOUT_MS);
  const next = nextOf(topic);
  try {
    return await repartition();
  } finally {
    await admin.close();
  }

  async function repartition(): Promise<boolean> {
    const current = await find(topic);
    const planned = await find(next);
    if (current?.partitions === partitions) {
      if (planned === undefined) return false;
      await resume(planned);
      return planned.partitions === partitions;
    }
    if (planned !== undefined && planned.partitions !== partitions) {
      throw otherRun(topic, planned.partitions, current?.partitions);
    }
    if (current === undefined && planned === undefined) throw new UnknownTopic(`there is no topic ${topic}`);
    if (current !== undefined) await drain(current);
    await whileAny((a) => membersOf(a, topic));
    const spec = await step('describing the topic', (a) => describe(a, next));
    await step('creating the topic', (a) => create(a, topic, spec));
    await resume(spec);
    return true;
  }

  /** Pauses publishing, and deletes the topic once its consumers have read everything. */
  async function drain(current: Described): Promise<void> {
    const planned = await step('pausing the topic', async (a) => {
      await create(a, next, { ...current, partitions });
      await alterTopic(a, topic, CLOSED);
      return await describe(a, next);
    });
    // Another run may have created it.
    if (planned.partitions !== partitions) throw otherRun(topic, planned.partitions, current.partitions);
    onProgress(pausedMessage(topic));
    await pause(settleMs);
    await whileAny((a) => groupsBehind(a, topic));
    await step('deleting the topic', (a) => a.deleteTopics({ topics: [topic] }));
    onProgress(`every consumer has read ${topic}`);
  }

  /** Waits while there are such groups. */
  async function whileAny(find: (a: Admin) => Promise<string[]>): Promise<void> {
    const report = reportWaiting(topic, onProgress);
    for (;;) {
      const groups = await step('reading the consumer groups', find);
      report(groups);
      if (groups.length === 0) return;
      await pause(POLL_MS);
    }
  }

  /** Lets publishers continue. */
  async function resume({ config }: Described): Promise<void> {
    const limit = config.get(SIZE_LIMIT) ?? String(MAX_MESSAGE_BYTES);
    await step('resuming publishing', async (a) => {
      await alterTopic(a, topic, new Map([[SIZE_LIMIT, limit]]));
      await a.deleteTopics({ topics: [next] });
    });
  }

  async function find(name: string): Promise<Described | undefined> {
    return await step('describing the topic', async (a) => {
      return (await a.listTopics()).includes(name) ? await describe(a, name) : undefined;
    });
  }
}

interface Described {
  partitions: number;
  replicas: number;
  /** The settings of the topic itself. */
  config: ReadonlyMap<string, string>;
}

async function describe(admin: Admin, name: string): Promise<Described> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [name] });
  const partitions = topics.find((topic) => topic.name === name)?.partitions ?? [];
  const config = (await readConfigs(admin, [name])).get(name) ?? new Map();
  return {
    partitions: partitions.length,
    replicas: Math.min(...partitions.map(({ replicas }) => replicas.length)),
    config: ownSettings(config),
  };
}

/** Creates a topic unless it exists. */
async function create(
  admin: Admin,
  topic: string,
  { partitions, replicas, config }: Described,
): Promise<void> {
  await admin.createTopics({
    waitForLeaders: true,
    topics: [
      {
        topic,
        numPartitions: partitions,
        replicationFactor: replicas,
        configEntries: [...config].map(([name, value]) => ({ name, value })),
      },
    ],
  });
}

interface Reader {
  group: string;
  /** Whether the topics of members are not known because the group is rebalancing. */
  isRebalancing: boolean;
  /** The topics in which the group has committed an offset. */
  committed: string[];
  /** The topics that members want to read, and that they read. */
  subscribed: string[];
  assigned: string[];
}

/** Returns all consumer groups. */
async function readGroups(admin: Admin): Promise<Reader[]> {
  const { groups: listed } = await admin.listGroups();
  const names = listed
    .filter(({ protocolType }) => protocolType === 'consumer')
    .map(({ groupId }) => groupId);
  if (names.length === 0) return [];
  const { groups } = await admin.describeGroups(names);
  return await Promise.all(
    groups.map(async ({ groupId, state, members: all }) => {
      const members = state === 'Stable' ? all : [];
      const offsets = await admin.fetchOffsets({ groupId });
      const isCommitted = ({ partitions }: (typeof offsets)[number]) =>
        partitions.some(({ offset }) => Number(offset) >= 0);
      return {
        group: groupId,
        isRebalancing: state === 'PreparingRebalance' || state === 'CompletingRebalance',
        committed: offsets.filter(isCommitted).map(({ topic }) => topic),
        subscribed: members.flatMap((one) => MemberMetadata.decode(one.memberMetadata)?.topics ?? []),
        assigned: members.flatMap((one) =>
          Object.keys(MemberAssignment.decode(one.memberAssignment)?.assignment ?? {}),
        ),
      };
    }),
  );
}

/** Returns the groups that have not read a topic to its end. */
async function groupsBehind(admin: Admin, topic: string): Promise<string[]> {
  const behind = await Promise.all(
    (await readGroups(admin)).map(async ({ group, isRebalancing, committed, subscribed }) => {
      if (isRebalancing) return [group];
      if (!committed.includes(topic) && !subscribed.includes(topic)) return [];
      const lags = await readLag(admin, group, [topic]);
      return lags.some((one) => one.behind > 0n) ? [group] : [];
    }),
  );
  return behind.flat();
}

/** Returns the groups with a member that reads a deleted topic, or with an offset in it. */
async function membersOf(admin: Admin, topic: string): Promise<string[]> {
  const groups = await readGroups(admin);
  return groups
    .filter((one) => one.isRebalancing || one.committed.includes(topic) || one.assigned.includes(topic))
    .map(({ group }) => group);
}
