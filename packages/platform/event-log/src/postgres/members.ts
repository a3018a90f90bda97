import type { Database } from '@switchboard/database';
import { pause } from '@switchboard/resilience';
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

/** Renews the leases of a member, and returns its assignment. */
export type Renew = (membership: Membership) => Promise<GroupView>;

/** How long a renewal waits for those of other members. */
const TOGETHER_MS = 10;

/** Renews the leases of members that ask at about the same time by one statement. */
export function createRenewals(database: () => Database): Renew {
  let next: { members: Membership[]; views: Promise<View[]> } | undefined;

  async function renewNext(members: readonly Membership[]): Promise<View[]> {
    await pause(TOGETHER_MS);
    next = undefined;
    return renew(database(), members);
  }

  return async (membership) => {
    if (next === undefined) {
      const members: Membership[] = [];
      next = { members, views: renewNext(members) };
    }
    const { members, views } = next;
    members.push(membership);
    const view = (await views).find(({ member }) => member === membership.member);
    if (view === undefined) throw new Error('no lease was renewed');
    return assign(membership, view);
  };
}

/**
 * Renews the leases of members and returns what each sees. A lease is over once it has ended, or if it ends later than
 * any lease granted now, because then the clock was set back.
 */
async function renew({ sql }: Database, memberships: readonly Membership[]): Promise<View[]> {
  // One statement, because every process sends it several times a lease. It sees the members from before it. It skips
  // expired members that are renewing their leases, which would otherwise deadlock with this one.
  const views = await sql<View[]>`
    with mine as (
      select * from jsonb_to_recordset(${JSON.stringify(memberships)}::jsonb)
        as mine("group" text, member uuid, topics jsonb, "leaseMs" integer)),
    joined as (
      insert into event_log.group_members ("group", member, topics, lease_until)
      select "group", member, topics, now() + "leaseMs" * interval '1 ms' from mine
      on conflict ("group", member) do update set lease_until = excluded.lease_until, topics = excluded.topics
      returning member, xmax = 0 as fresh),
    expired as (
      delete from event_log.group_members where ("group", member) in (
        select "group", member from event_log.group_members
        where "group" in (select "group" from mine) and member not in (select member from mine)
          and lease_until not between now() and now() + interval '1 minute'
        for update skip locked)
      returning "group", member),
    held as (
      update event_log.group_partitions held set lease_until = now() + mine."leaseMs" * interval '1 ms' from mine
      where held."group" = mine."group" and held.owner = mine.member returning held.owner, topic, partition, epoch)
    select "group", member,
      (select fresh from joined where joined.member = mine.member)
        or exists (select from expired where expired."group" = mine."group") as changed,
      array(
        select json_build_object('topic', topic, 'partition', partition, 'epoch', epoch::text) from held
        where owner = mine.member
      ) as held,
      array(
        select json_build_object('member', other.member, 'topics', other.topics) from event_log.group_members other
        where other."group" = mine."group" and other.member <> mine.member
          and other.member not in (select member from expired)
      ) as others,
      array(
        select json_build_object('topic', topic, 'partition', partition, 'end', next_offset::text)
        from event_log.partitions where topic in (select jsonb_array_elements_text(mine.topics))
      ) as partitions
    from mine`;
  const changed = views.filter((view) => view.changed);
  for (const group of new Set(changed.map((view) => view.group))) await notifyGroup(sql, group);
  return views;
}

/** Spreads partitions evenly over the live members of a group. */
function assign({ member, topics }: Membership, view: View): GroupView {
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
  group: string;
  member: string;
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
