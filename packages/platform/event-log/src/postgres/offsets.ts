import type { Database } from '@switchboard/database';
import { UnknownTopic } from '../errors.ts';
import type { PartitionLag } from '../types.ts';

interface Partitions {
  partitions: number;
  /** The number that a repartition is giving the topic. */
  next: number | null;
}

export async function readPartitions({ sql }: Database, topic: string): Promise<Partitions> {
  const [row] = await sql<Partitions[]>`
    select partitions, next_partitions as next from event_log.topics where name = ${topic}`;
  if (!row) throw unknown(topic);
  return row;
}

const unknown = (topic: string) => new UnknownTopic(`there is no topic ${topic}`);

export async function readEnds({ sql }: Database, topic: string): Promise<bigint[]> {
  const rows = await sql<{ end: number | bigint }[]>`
    select next_offset as end from event_log.partitions where topic = ${topic} order by partition`;
  if (rows.length === 0) throw unknown(topic);
  return rows.map(({ end }) => BigInt(end));
}

interface Row {
  topic: string;
  partition: number;
  end: number | bigint;
  committed: number | bigint;
}

export async function readLag({ sql }: Database, group: string, topics: string[]): Promise<PartitionLag[]> {
  const rows = await sql<Row[]>`
    select p.topic, p.partition, p.next_offset as end, coalesce(g.committed, first."offset", p.next_offset) as committed
    from event_log.partitions p
    left join event_log.group_partitions g
      on g."group" = ${group} and g.topic = p.topic and g.partition = p.partition
    left join lateral (
      select r."offset" from event_log.records r
      where r.topic = p.topic and r.partition = p.partition order by r."offset" limit 1
    ) first on true
    where p.topic in (select jsonb_array_elements_text(${JSON.stringify(topics)}::jsonb))
    order by p.topic, p.partition`;
  return rows.map((row) => {
    const committed = BigInt(row.committed);
    const end = BigInt(row.end);
    return { topic: row.topic, partition: row.partition, committed, end, behind: end - committed };
  });
}

/** Returns the number of members of each group that has had one. */
export async function readMembers({ sql }: Database, groups: string[]): Promise<Map<string, number>> {
  const rows = await sql<{ group: string; members: number }[]>`
    select known."group", (
      select count(*)::integer from event_log.group_members m
      where m."group" = known."group" and m.lease_until between now() and now() + interval '1 minute'
    ) as members
    from (
      select distinct "group" from event_log.group_partitions
      where "group" in (select jsonb_array_elements_text(${JSON.stringify(groups)}::jsonb))
    ) known`;
  return new Map(rows.map(({ group, members }) => [group, members]));
}
