import { retry } from '@switchboard/resilience';
import kafkajs, { type Admin } from 'kafkajs';
import { messageOf } from '../errors.ts';
import { checkTopic, withDeadLetters } from '../topics.ts';
import type { TopicSpec } from '../types.ts';

const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

/** Metadata of a new topic reaches a busy broker with a delay. */
const UNKNOWN_TOPIC = 'UNKNOWN_TOPIC_OR_PARTITION';
const METADATA_ATTEMPTS = 40;

/**
 * Creates missing topics and checks the others. Partitions are never added, because a key would move to another
 * partition and its records would lose their order.
 */
export async function createKafkaTopics(admin: Admin, wanted: TopicSpec[]): Promise<void> {
  const specs = withDeadLetters(wanted);
  const { topics, configs } = await retry(
    async () => {
      await createMissing(admin, specs);
      return await describeTopics(admin, specs);
    },
    { isRetryable: (error) => typeOf(error) === UNKNOWN_TOPIC, maxAttempts: METADATA_ATTEMPTS, maxMs: 500 },
  );
  for (const spec of specs) {
    const partitions = topics.find((topic) => topic.name === spec.name)?.partitions.length ?? 0;
    const entries =
      configs.resources.find((resource) => resource.resourceName === spec.name)?.configEntries ?? [];
    const config = new Map(entries.map((entry) => [entry.configName, entry.configValue]));
    checkTopic(spec, 'partitions', partitions, spec.partitions);
    checkTopic(spec, 'cleanup.policy', config.get('cleanup.policy'), spec.cleanup);
    const maxBytes = Number(config.get('max.message.bytes'));
    const needed = spec.maxMessageBytes ?? MAX_MESSAGE_BYTES;
    if (maxBytes < needed) checkTopic(spec, 'max.message.bytes', maxBytes, needed);
    const kept = Number(config.get('delete.retention.ms'));
    const wantedMs = spec.cleanup === 'compact' ? (spec.tombstoneRetentionMs ?? 0) : 0;
    if (kept < wantedMs) checkTopic(spec, 'delete.retention.ms', kept, wantedMs);
  }
}

async function createMissing(admin: Admin, specs: TopicSpec[]): Promise<void> {
  const existing = new Set(await admin.listTopics());
  const missing = specs.filter((spec) => !existing.has(spec.name));
  if (missing.length === 0) return;
  // Another instance may be creating them; their settings are checked afterwards.
  await admin
    .createTopics({ waitForLeaders: true, topics: missing.map(topicConfig) })
    .catch((error) => ignoreHarmless(error));
}

/** Of a cluster, each request may be answered by another broker. */
async function describeTopics(admin: Admin, specs: TopicSpec[]) {
  const { topics } = await admin.fetchTopicMetadata({ topics: specs.map(({ name }) => name) });
  const configs = await admin.describeConfigs({
    includeSynonyms: false,
    resources: specs.map(({ name }) => ({
      type: kafkajs.ConfigResourceTypes.TOPIC,
      name,
      configNames: ['cleanup.policy', 'max.message.bytes', 'delete.retention.ms'],
    })),
  });
  return { topics, configs };
}

function topicConfig(spec: TopicSpec) {
  const entries: Record<string, unknown> = {
    'cleanup.policy': spec.cleanup,
    'max.message.bytes': spec.maxMessageBytes ?? MAX_MESSAGE_BYTES,
    'retention.ms': spec.cleanup === 'delete' ? spec.retentionMs : undefined,
    'delete.retention.ms': spec.cleanup === 'compact' ? spec.tombstoneRetentionMs : undefined,
    'min.insync.replicas': spec.minInSyncReplicas,
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

/** Ignores that another instance has created a topic, and that a new one is not known yet. */
function ignoreHarmless(error: unknown): void {
  const errors = error instanceof kafkajs.KafkaJSAggregateError ? error.errors : [error];
  for (const one of errors) {
    const type = typeOf(one);
    if (type === UNKNOWN_TOPIC || type === 'TOPIC_ALREADY_EXISTS') continue;
    if (!/already exists/i.test(messageOf(one))) throw one;
  }
}

function typeOf(error: unknown): unknown {
  return error instanceof Error && 'type' in error ? error.type : undefined;
}
