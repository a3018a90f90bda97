import type { Database } from '@switchboard/database';
import { TopicMismatch } from '../errors.ts';
import { withDeadLetters } from '../topics.ts';
import type { TopicSpec } from '../types.ts';

/** Makes the missing topics and checks the others. */
export async function createPostgresTopics({ sql }: Database, wanted: TopicSpec[]): Promise<void> {
  for (const spec of withDeadLetters(wanted)) {
    const retention = spec.cleanup === 'delete' ? (spec.retentionMs ?? null) : null;
    await sql.begin(async (tx) => {
      await tx`
        insert into event_log.topics (name, partitions, cleanup, retention_ms)
        values (${spec.name}, ${spec.partitions}, ${spec.cleanup}, ${retention}) on conflict do nothing`;
      await tx`
        insert into event_log.partitions (topic, partition)
        select name, generate_series(0, partitions - 1) from event_log.topics where name = ${spec.name}
        on conflict do nothing`;
    });
    const [found] = await sql<{ partitions: number; cleanup: string }[]>`
      select partitions, cleanup from event_log.topics where name = ${spec.name}`;
    if (found?.partitions === spec.partitions && found.cleanup === spec.cleanup) continue;
    throw new TopicMismatch(
      `topic ${spec.name} has ${found?.partitions} partitions and cleanup ${found?.cleanup}, not ` +
        `${spec.partitions} and ${spec.cleanup}: set it alike, or move its records to a new topic`,
    );
  }
}
