import { deadLetterTopic } from './deliver.ts';
import { TopicMismatch } from './errors.ts';
import type { LogEntry, TopicSpec } from './types.ts';

/** The default of Kafka. */
export const DEFAULT_TOMBSTONE_RETENTION_MS = 24 * 3_600_000;

const DEAD_LETTER_RETENTION_MS = 30 * 24 * 3_600_000;

/** Adds a dead-letter topic to each topic, with the same partitions and at least 30 days of retention. */
export function withDeadLetters(specs: TopicSpec[]): TopicSpec[] {
  return specs.flatMap((spec) => {
    if (spec.deadLetter === false) return [spec];
    const retentionMs = Math.max(spec.retentionMs ?? 0, DEAD_LETTER_RETENTION_MS);
    return [spec, { ...spec, name: deadLetterTopic(spec.name), cleanup: 'delete', retentionMs }];
  });
}

/**
 * Returns how many replicas must store a record before it is acknowledged. With three, one may fail without effect.
 */
export function minInSyncReplicas(replication: number): number {
  return replication >= 3 ? 2 : 1;
}

/**
 * Returns a log entry with the command that adds partitions, if a topic has fewer than the settings ask for. A
 * dead-letter topic and a compacted topic work with any number.
 */
export function tooFewPartitions(
  { name, cleanup, partitions }: TopicSpec,
  found: number,
): LogEntry | undefined {
  if (found >= partitions || cleanup === 'compact' || name.endsWith(deadLetterTopic(''))) return undefined;
  return {
    level: 'warn',
    message: `topic ${name} has ${found} partitions, TOPIC_PARTITIONS is ${partitions}: run switchboard topics repartition ${name} --to ${partitions}`,
  };
}

/** Throws TopicMismatch if a topic exists with a different setting. */
export function checkTopic(spec: TopicSpec, what: string, found: unknown, wanted: unknown): void {
  if (found === wanted) return;
  throw new TopicMismatch(
    `topic ${spec.name} has ${what} ${found}, not ${wanted}: change the setting, or move its records to a new topic`,
  );
}

/**
 * Returns a log entry with the command that shortens a retention. The operator decides, because it deletes records.
 */
export function longerRetention(
  spec: TopicSpec,
  foundMs: number | bigint | string,
  command: string,
): LogEntry {
  return {
    level: 'info',
    message: `topic ${spec.name} keeps records for ${foundMs} ms, longer than the ${spec.retentionMs} ms of the settings. To delete them earlier, run ${command}`,
  };
}
