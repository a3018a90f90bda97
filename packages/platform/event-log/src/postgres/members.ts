import type { Database } from '@switchboard/database';
import { GROUPS_CHANNEL } from './feed.ts';

export interface Membership {
  group: string;
  member: string;
  topics: string[];
  leaseMs: number;
}

export interface GroupView {
  /** The partitions assigned to this member. */
  wanted: { topic: string; partition: number; end: bigint }[];
  /** The partitions it holds, with renewed leases. */
  held: { topic: string; partition: number; epoch: bigint }[];
}

/**
 * Renews this member's leases and returns its assignment. Partitions are spread evenly over live members. A lease is
 * over once it has ended, or if it ends later than any lease granted now, because then the clock was set back.
 */
export async function renew({ sql }: Database, membership: Membership): Promise<GroupView> {
  const { group, member, topics, leaseMs } = membership;
  const names = JSON.stringify(topics);
  // One statement, because every member sends it several times a lease. It sees the members from before it. It skips
  // expired members that are renewing their leases, which would otherwise deadlock with this one.
  const [view] = await sql<[View]>`
    with joined as (
      insert into event_log.group_members ("group", member, topics, lease_until)
      values (${group}, ${member}, ${names}::jsonb, now() + ${leaseMs} * interval '1 ms')
      on conflict ("group", member) do update set lease_until = excluded.lease_until, topics = excluded.topics
      returning xmax = 0 as fresh),
    expired as (
      delete from event_log.group_members where "group" = ${group} and member in (
        select member from event_log.group_members where "group" = ${group} and member <> ${member}
          and lease_until not between now() and now() + interval '1 minute'
        for update skip locked)
      returning member),
    held as (
      update event_log.group_partitions set lease_until = now() + ${leaseMs} * interval '1 ms'
      where "group" = ${group} and owner = ${member} returning topic, partition, epoch)
    select (select fresh from joined) or exists (select from expired) as changed,
      array(select json_build_object('topic', topic, 'partition', partition, 'epoch', epoch::text) from held) as held,
      array(
        select json_build_object('member', member, 'topics', topics) from event_log.group_members
        where "group" = ${group} and member <> ${member} and member not in (select member from expired)
      ) as others,
      array(
        select json_build_object('topic', topic, 'partition', partition, 'end', next_offset::text)
        from event_log.partitions where topic in (select jsonb_array_elements_text(${names}::jsonb))
      ) as partitions`;
  if (view.changed) await notifyGroup(sql, group);
  const members = [...view.others, { member, topics }].sort((one, other) =>
    one.member < other.member ? -1 : 1,
  );
  const wanted = view.partitions.filter(({ topic, partition }) => {
    const readers = members.filter((one) => one.topics.includes(topic));
    return readers[partition % readers.length]?.member === member;
  });
  return {
    wanted: wanted.map((one) => ({ ...one, end: BigInt(one.end) })),
    held: view.held.map((one) => ({ ...one, epoch: BigInt(one.epoch) })),
  };
}

/** The row of `renew`, with 64-bit integers as texts. */
interface View {
  changed: boolean;
  held: { topic: string; partition: number; epoch: string }[];
  others: { member: string; topics: string[] }[];
  partitions: { topic: string; partition: number; end: string }[];
}

/** Claims a free partition with a new epoch. Returns undefined while another member holds it. */
export async function claim(
  { sql }: Database,
  { group, member, leaseMs }: Membership,
  topic: string,
  partition: number,
): Promise<{ epoch: bigint; committed: bigint } | undefined> {
  const [row] = await sql<{ epoch: number | bigint; committed: number | bigint | null }[]>`
    insert into event_log.group_partitions as held ("group", topic, partition, owner, epoch, lease_until)
    values (${group}, ${topic}, ${partition}, ${member}, 1, now() + ${leaseMs} * interval '1 ms')
    on conflict ("group", topic, partition) do update
      set owner = excluded.owner, epoch = held.epoch + 1, lease_until = excluded.lease_until
      where held.owner is null or held.lease_until not between now() and now() + interval '1 minute'
    returning epoch, committed`;
  return row && { epoch: BigInt(row.epoch), committed: BigInt(row.committed ?? 0) };
}

export interface Claim {
  group: string;
  member: string;
  topic: string;
  partition: number;
  epoch: bigint;
}

/** Commits an offset. Returns false if the partition has a new owner. A lower offset than committed has no effect. */
export async function commitOffset({ sql }: Database, claimed: Claim, offset: bigint): Promise<boolean> {
  const { group, member, topic, partition, epoch } = claimed;
  const rows = await sql`
    update event_log.group_partitions set committed = greatest(committed, ${String(offset)}::bigint)
    where "group" = ${group} and topic = ${topic} and partition = ${partition}
      and owner = ${member} and epoch = ${String(epoch)}::bigint
    returning 1`;
  return rows.length > 0;
}

export async function release(
  { sql }: Database,
  { group, member, topic, partition, epoch }: Claim,
): Promise<void> {
  await sql`
    update event_log.group_partitions set owner = null, lease_until = null
    where "group" = ${group} and topic = ${topic} and partition = ${partition}
      and owner = ${member} and epoch = ${String(epoch)}::bigint`;
  await notifyGroup(sql, group);
}

/** Releases the partition and resets its committed offset. */
export async function rewind({ sql }: Database, claimed: Claim): Promise<void> {
  const { group, member, topic, partition, epoch } = claimed;
  await sql`
    update event_log.group_partitions set committed = 0, owner = null, lease_until = null
    where "group" = ${group} and topic = ${topic} and partition = ${partition}
      and owner = ${member} and epoch = ${String(epoch)}::bigint`;
  await notifyGroup(sql, group);
}

export async function leave({ sql }: Database, { group, member }: Membership): Promise<void> {
  await sql`delete from event_log.group_members where "group" = ${group} and member = ${member}`;
  await notifyGroup(sql, group);
}

async function notifyGroup(sql: Database['sql'], group: string): Promise<void> {
  await sql`select pg_notify(${GROUPS_CHANNEL}, ${group})`;
}
