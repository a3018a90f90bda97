import { type Database, openDatabase } from '@switchboard/database';
import { pause } from '@switchboard/resilience';
import { EventLogUnavailable, messageOf, UnknownTopic } from '../errors.ts';
import { SETTLE_MS } from '../publisher.ts';
import { otherRun, POLL_MS, pausedMessage, type RepartitionOptions, reportWaiting } from '../repartition.ts';
import { GROUPS_CHANNEL } from './feed.ts';

/**
 * Changes the number of partitions of a topic. Publishers are rejected until it ends. If it is interrupted, run it
 * again. It pauses publishing, waits until every consumer group has read the topic, and changes the partitions in one
 * transaction. All partitions continue at the highest offset of any, so that a partition and an offset never name two
 * records.
 *
 * With the current number, ends the pause of an earlier run. Returns false if there was nothing to change. Throws
 * UnknownTopic and EventLogUnavailable.
 */
export async function repartitionPostgresTopic(
  url: string,
  { topic, partitions, settleMs = SETTLE_MS, onProgress = () => {} }: RepartitionOptions,
): Promise<boolean> {
  const database = openDatabase({ url, applicationName: 'event-log repartition', poolSize: 1 });
  const { sql } = database;
  try {
    return await repartition();
  } catch (error) {
    if (error instanceof UnknownTopic || error instanceof EventLogUnavailable) throw error;
    throw new EventLogUnavailable(`repartitioning: ${messageOf(error)}`, { cause: error });
  } finally {
    await database.close();
  }

  async function repartition(): Promise<boolean> {
    const [found] = await sql<{ partitions: number; next: number | null }[]>`
      select partitions, next_partitions as next from event_log.topics where name = ${topic}`;
    if (found === undefined) throw new UnknownTopic(`there is no topic ${topic}`);
    if (found.partitions === partitions) {
      await sql`update event_log.topics set next_partitions = null where name = ${topic}`;
      return false;
    }
    const planned = await sql`
      update event_log.topics set next_partitions = ${partitions}
      where name = ${topic} and coalesce(next_partitions, ${partitions}) = ${partitions} returning 1`;
    if (planned.length === 0) throw otherRun(topic, found.next ?? 0, found.partitions);
    onProgress(pausedMessage(topic));
    await pause(settleMs);
    const report = reportWaiting(topic, onProgress);
    for (;;) {
      const behind = await sql.begin((tx) => change(tx, topic, partitions));
      report(behind);
      if (behind.length === 0) return true;
      await pause(POLL_MS);
    }
  }
}

type Transaction = Parameters<Parameters<Database['sql']['begin']>[1]>[0];

/** Returns the groups that have not read the topic to its end. If there are none, changes the partitions. */
async function change(tx: Transaction, topic: string, partitions: number): Promise<string[]> {
  const [end] = await tx<{ end: number | bigint }[]>`
    with locked as (
      select next_offset from event_log.partitions where topic = ${topic} order by partition for update
    ) select max(next_offset) as end from locked`;
  const groups = await tx<{ group: string; behind: boolean }[]>`
    select "group", bool_or(coalesce(g.committed, first."offset", p.next_offset) < p.next_offset) as behind
    from (select distinct "group" from event_log.group_partitions where topic = ${topic}) reading
    cross join event_log.partitions p
    left join event_log.group_partitions g using ("group", topic, partition)
    left join lateral (
      select r."offset" from event_log.records r
      where r.topic = p.topic and r.partition = p.partition order by r."offset" limit 1
    ) first on true
    where p.topic = ${topic} group by "group"`;
  const behind = groups.filter((one) => one.behind).map(({ group }) => group);
  if (behind.length > 0) return behind;
  const next = String(end?.end ?? 0);
  await tx`delete from event_log.group_partitions where topic = ${topic} and partition >= ${partitions}`;
  await tx`delete from event_log.records where topic = ${topic} and partition >= ${partitions}`;
  await tx`delete from event_log.partitions where topic = ${topic} and partition >= ${partitions}`;
  await tx`update event_log.partitions set next_offset = ${next}::bigint where topic = ${topic}`;
  await tx`update event_log.group_partitions set committed = ${next}::bigint where topic = ${topic}`;
  await tx`
    insert into event_log.partitions (topic, partition, next_offset)
    select ${topic}, n, ${next}::bigint from generate_series(0, ${partitions}::integer - 1) as n on conflict do nothing`;
  await tx`
    update event_log.topics set partitions = ${partitions}, next_partitions = null where name = ${topic}`;
  for (const { group } of groups) await tx`select pg_notify(${GROUPS_CHANNEL}, ${group})`;
  return [];
}
