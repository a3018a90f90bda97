import type { Database } from '@switchboard/database';
import { TopicPaused } from '../errors.ts';
import {
  checkTopic,
  DEFAULT_TOMBSTONE_RETENTION_MS,
  longerRetention,
  tooFewPartitions,
  withDeadLetters,
} from '../topics.ts';
import type { LogEntry, TopicSpec } from '../types.ts';

/** Creates missing topics and checks the others. Raises a shorter retention and reports a longer one. */
export async function createPostgresTopics(
  { sql }: Database,
  wanted: TopicSpec[],
  onLog?: (entry: LogEntry) => void,
): Promise<void> {
  for (const spec of withDeadLetters(wanted)) {
    const retention = spec.cleanup === 'delete' ? (spec.retentionMs ?? null) : null;
    const tombstones = spec.cleanup === 'compact' ? (spec.tombstoneRetentionMs ?? null) : null;
    await sql.begin(async (tx) => {
      await tx`
        insert into event_log.topics as found (name, partitions, cleanup, retention_ms, tombstone_retention_ms)
        values (${spec.name}, ${spec.partitions}, ${spec.cleanup}, ${retention}, ${tombstones})
        on conflict (name) do update set retention_ms = excluded.retention_ms
        where found.retention_ms < excluded.retention_ms`;
      await tx`
        insert into event_log.partitions (topic, partition)
        select name, generate_series(0, partitions - 1) from event_log.topics where name = ${spec.name}
        on conflict do nothing`;
    });
    const [found] = await sql<FoundTopic[]>`
      select partitions, next_partitions, cleanup, retention_ms, tombstone_retention_ms
      from event_log.topics where name = ${spec.name}`;
    const keptMs = found?.retention_ms ?? Number.POSITIVE_INFINITY;
    if (retention !== null && keptMs > retention) {
      const command = `update event_log.topics set retention_ms = ${retention} where name = '${spec.name}'`;
      onLog?.(longerRetention(spec, keptMs, command));
    }
    if (!spec.anyPartitions) checkTopic(spec, 'partitions', found?.partitions, spec.partitions);
    const next = found?.next_partitions ?? undefined;
    if (next !== undefined) onLog?.({ level: 'warn', message: new TopicPaused(spec.name, next).message });
    const few = next === undefined ? tooFewPartitions(spec, found?.partitions ?? 0) : undefined;
    if (few !== undefined) onLog?.(few);
    checkTopic(spec, 'cleanup', found?.cleanup, spec.cleanup);
    const kept = Number(found?.tombstone_retention_ms ?? DEFAULT_TOMBSTONE_RETENTION_MS);
    if (tombstones !== null && kept < tombstones)
      checkTopic(spec, 'tombstone_retention_ms', kept, tombstones);
  }
}

interface FoundTopic {
  partitions: number;
  next_partitions: number | null;
  cleanup: string;
  retention_ms: number | bigint | null;
  tombstone_retention_ms: number | bigint | null;
}
