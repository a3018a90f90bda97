import { ingestionTopics } from '@switchboard/contracts';
import type { TopicSpec } from '@switchboard/event-log';
import type { IngestionConfig } from '../config.ts';

const HOUR_MS = 3_600_000;

/** Returns the topics that this service publishes to. */
export function topicSpecs(config: IngestionConfig): TopicSpec[] {
  const topic = (name: string, retentionHours: number): TopicSpec => ({
    name,
    partitions: config.TOPIC_PARTITIONS,
    anyPartitions: true,
    replication: config.TOPIC_REPLICATION,
    cleanup: 'delete',
    retentionMs: retentionHours * HOUR_MS,
  });
  return [
    topic(ingestionTopics.events, config.EVENTS_RETENTION_HOURS),
    topic(ingestionTopics.identifies, config.CALLS_RETENTION_HOURS),
    topic(ingestionTopics.groups, config.CALLS_RETENTION_HOURS),
    topic(ingestionTopics.replays, config.REPLAYS_RETENTION_HOURS),
  ];
}
