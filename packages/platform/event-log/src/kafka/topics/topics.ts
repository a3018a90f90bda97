import kafkajs, { type Admin, type ITopicMetadata } from 'kafkajs';
import { messageOf, TopicPaused } from '../../errors.ts';
import {
  checkTopic,
  longerRetention,
  minInSyncReplicas,
  tooFewPartitions,
  withDeadLetters,
} from '../../topics.ts';
import type { LogEntry, TopicSpec } from '../../types.ts';
import { alterCommand, alterTopics, MAX_MESSAGE_BYTES, readConfigs, type TopicConfig } from './configs.ts';
import { nextOf } from './listing.ts';
import { reassignmentOf } from './reassignment.ts';
import { isUnknownTopic, untilKnown } from './until-known.ts';

const UNLIMITED = -1;

interface CreateOptions {
  /** The brokers to name in commands. */
  brokers: readonly string[];
  onLog?: ((entry: LogEntry) => void) | undefined;
}

/**
 * Creates missing topics and compares the others. Applies changes that neither lose nor reject records, or logs their
 * command if this user may not apply them. For other differences, it logs the command. Leaves topics alone that are
 * being repartitioned. Only `repartitionKafkaTopic` adds partitions, because keys move to other partitions and their
 * records must stay in order.
 */
export async function createKafkaTopics(
  admin: Admin,
  wanted: TopicSpec[],
  { brokers, onLog }: CreateOptions,
): Promise<void> {
  const { specs, paused, topics, configs } = await untilKnown(async () => {
    const names = await admin.listTopics();
    const free = withDeadLetters(wanted).filter(({ name }) => !names.includes(nextOf(name)));
    const paused = wanted.filter(({ name }) => names.includes(nextOf(name)));
    await createMissing(
      admin,
      free.filter(({ name }) => !names.includes(name)),
    );
    return { specs: free, paused, ...(await describeTopics(admin, free, paused)) };
  });
  const changes = new Map<string, ReadonlyMap<string, string>>();
  for (const spec of specs) {
    const partitions = topics.find((topic) => topic.name === spec.name)?.partitions ?? [];
    const config: TopicConfig = configs.get(spec.name) ?? new Map();
    if (!spec.anyPartitions) checkTopic(spec, 'partitions', partitions.length, spec.partitions);
    const few = tooFewPartitions(spec, partitions.length);
    if (few !== undefined) onLog?.(few);
    checkTopic(spec, 'cleanup.policy', config.get('cleanup.policy')?.value, spec.cleanup);
    // Raising it would hide that readers may have missed tombstones.
    const kept = Number(config.get('delete.retention.ms')?.value);
    const wantedMs = spec.cleanup === 'compact' ? (spec.tombstoneRetentionMs ?? 0) : 0;
    if (kept < wantedMs) checkTopic(spec, 'delete.retention.ms', kept, wantedMs);
    const raised = raisedSettings(spec, config, copiesOf(partitions));
    if (raised.size > 0) changes.set(spec.name, raised);
    const retentionMs = retentionBeyond(spec, config);
    if (retentionMs !== undefined) {
      const command = alterCommand(brokers, spec.name, new Map([['retention.ms', String(spec.retentionMs)]]));
      onLog?.(longerRetention(spec, retentionMs, command));
    }
  }
  await alterTopics(admin, changes, { brokers, onLog });
  for (const { name } of paused) {
    const next = topics.find((topic) => topic.name === nextOf(name))?.partitions.length ?? 0;
    onLog?.({ level: 'warn', message: new TopicPaused(name, next).message });
  }
  const short = topics.filter(({ name, partitions }) => {
    return copiesOf(partitions) < (specs.find((spec) => spec.name === name)?.replication ?? 0);
  });
  if (short.length > 0) await reportReplication(admin, short, specs, { brokers, onLog });
}

/** Returns the settings to raise. Raising them neither deletes records nor makes brokers reject any. */
function raisedSettings(spec: TopicSpec, config: TopicConfig, copies: number): Map<string, string> {
  const raised = new Map<string, string>();
  const raise = (name: string, wanted: number | undefined) => {
    const found = Number(config.get(name)?.value ?? UNLIMITED);
    if (wanted !== undefined && found !== UNLIMITED && found < wanted) raised.set(name, String(wanted));
  };
  raise('max.message.bytes', spec.maxMessageBytes ?? MAX_MESSAGE_BYTES);
  if (spec.cleanup === 'delete') raise('retention.ms', spec.retentionMs);
  // With fewer replicas than the settings require, a broker would reject every record.
  raise('min.insync.replicas', minInSyncReplicas(Math.min(copies, spec.replication)));
  return raised;
}

/** Returns undefined unless the topic keeps its records for longer than specified. */
function retentionBeyond(spec: TopicSpec, config: TopicConfig): string | undefined {
  if (spec.cleanup !== 'delete' || spec.retentionMs === undefined) return undefined;
  const found = config.get('retention.ms')?.value;
  const isLonger = Number(found) === UNLIMITED || Number(found) > spec.retentionMs;
  return isLonger ? found : undefined;
}

/**
 * Reports missing replicas. The operator decides when to add them, because copying loads the network and the disks.
 */
async function reportReplication(
  admin: Admin,
  short: readonly ITopicMetadata[],
  specs: readonly TopicSpec[],
  { brokers, onLog }: CreateOptions,
): Promise<void> {
  const nodes = (await admin.describeCluster()).brokers.map(({ nodeId }) => nodeId);
  for (const { name, partitions } of short) {
    const wanted = specs.find((spec) => spec.name === name)?.replication ?? 0;
    const has = `topic ${name} has ${copiesOf(partitions)} replicas, TOPIC_REPLICATION is ${wanted}`;
    const next =
      nodes.length < wanted
        ? `the cluster has ${nodes.length} brokers: add ${wanted - nodes.length}, then restart`
        : `run kafka-reassign-partitions.sh --bootstrap-server ${brokers.join()} --execute --reassignment-json-file plan.json, where plan.json is ${JSON.stringify(reassignmentOf(name, partitions, nodes, wanted))}, and restart after it`;
    onLog?.({ level: 'warn', message: `${has}: ${next}` });
  }
}

function copiesOf(partitions: ITopicMetadata['partitions']): number {
  return Math.min(...partitions.map(({ replicas }) => replicas.length));
}

async function createMissing(admin: Admin, missing: TopicSpec[]): Promise<void> {
  if (missing.length === 0) return;
  // Another instance may be creating them; their settings are checked afterwards.
  await admin
    .createTopics({ waitForLeaders: true, topics: missing.map(topicConfig) })
    .catch((error) => ignoreHarmless(error));
}

/** Describes the topics. In a cluster, a different broker may respond to each request. */
async function describeTopics(admin: Admin, specs: TopicSpec[], paused: TopicSpec[]) {
  const names = specs.map(({ name }) => name);
  const next = paused.map(({ name }) => nextOf(name));
  const { topics } = await admin.fetchTopicMetadata({ topics: [...names, ...next] });
  return { topics, configs: await readConfigs(admin, names) };
}

function topicConfig(spec: TopicSpec) {
  const entries: Record<string, unknown> = {
    'cleanup.policy': spec.cleanup,
    'max.message.bytes': spec.maxMessageBytes ?? MAX_MESSAGE_BYTES,
    'retention.ms': spec.cleanup === 'delete' ? spec.retentionMs : undefined,
    'delete.retention.ms': spec.cleanup === 'compact' ? spec.tombstoneRetentionMs : undefined,
    'min.insync.replicas': minInSyncReplicas(spec.replication),
  };
  return {
    topic: spec.name,
    numPartitions: spec.partitions,
    replicationFactor: spec.replication,
    configEntries: Object.entries(entries)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => ({ name, value: String(value) })),
  };
}

/** Ignores that another instance has created a topic, and that a new topic is not known yet. */
function ignoreHarmless(error: unknown): void {
  const errors = error instanceof kafkajs.KafkaJSAggregateError ? error.errors : [error];
  for (const one of errors) {
    if (!isUnknownTopic(one) && !/already exists/i.test(messageOf(one))) throw one;
  }
}
