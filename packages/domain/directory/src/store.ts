import type { Db, Tx } from '@switchboard/database';
import { and, eq, gt, isNotNull, sql } from 'drizzle-orm';
import {
  type Change,
  DIRECTORY_TOMBSTONE_RETENTION_MS,
  entryId,
  type Kind,
  parseEntry,
  type Report,
} from './record.ts';
import { applied, entries, replica, subOf } from './schema.ts';

/** The notification channel that announces applied changes to every instance, as a JSON array of record keys. */
export const CHANGED_CHANNEL = 'directory_changed';

/** Returns the JSON of the existing entries by id. */
export async function readEntries(db: Db, kind: Kind, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db
    .select({ id: entries.id, value: sql<string>`${entries.value}` })
    .from(entries)
    .where(
      and(
        eq(entries.kind, kind),
        isNotNull(entries.value),
        sql`${entries.id} = any(${sql.param(ids)}::text[])`,
      ),
    );
  return new Map(rows.map(({ id, value }) => [id, value]));
}

/** Returns whether the person is a member of any company. */
export async function hasMember(db: Db, sub: string): Promise<boolean> {
  const rows = await db
    .select({ id: entries.id })
    .from(entries)
    .where(
      and(sql`${entries.kind} = 'member'`, isNotNull(entries.value), eq(subOf(entries.id), entryId(sub))),
    )
    .limit(1);
  return rows.length > 0;
}

/** Matches the JSON of a report that refreshes automatically. Quotes inside JSON strings are escaped. */
const REFRESHED = '%"refresh":"%';
const REPORTS_PAGE = 500;

/** Returns up to 500 automatically refreshed reports that follow this one. An empty page is the last. */
export async function readRefreshedReports(
  db: Db,
  after?: { projectId: string; reportId: string },
): Promise<Report[]> {
  const rows = await db
    .select({ value: sql<string>`${entries.value}` })
    .from(entries)
    .where(
      and(
        eq(entries.kind, 'report'),
        sql`${entries.value} like ${REFRESHED}`,
        after && gt(entries.id, entryId(after.projectId, after.reportId)),
      ),
    )
    .orderBy(entries.id)
    .limit(REPORTS_PAGE);
  return rows.map(({ value }) => parseEntry('report', value));
}

/** Returns the next offset of a partition. */
export async function readPosition(db: Db, partition: number): Promise<bigint> {
  const [row] = await db.select().from(applied).where(eq(applied.partition, partition));
  return row?.nextOffset ?? 0n;
}

/**
 * Returns the next offset of a partition and locks it until the transaction ends, so that only one writer applies.
 */
export async function lockPosition(tx: Tx, partition: number): Promise<bigint> {
  await tx.insert(applied).values({ partition, nextOffset: 0n }).onConflictDoNothing();
  const [row] = await tx.select().from(applied).where(eq(applied.partition, partition)).for('update');
  return row?.nextOffset ?? 0n;
}

export async function advance(tx: Tx, partition: number, nextOffset: bigint): Promise<void> {
  await tx.update(applied).set({ nextOffset }).where(eq(applied.partition, partition));
}

/** Stores each change that is newer than its entry. Returns the record keys of the stored changes. */
export async function applyChanges(tx: Tx, changes: readonly Change[]): Promise<Set<string>> {
  const rows = await tx.execute<{ key: string }>(sql`
    insert into ${entries} (kind, id, value, revision) select * from ${changeRows(changes)}
    on conflict (kind, id) do update set value = excluded.value, revision = excluded.revision
    where ${entries.revision} < excluded.revision
    returning ${recordKey} as key`);
  return new Set([...rows].map(({ key }) => key));
}

const recordKey = sql<string>`${entries.kind} || ':' || ${entries.id}`;

/** Returns the record keys of the changes that are older than their entry. */
export async function findLate(tx: Tx, changes: readonly Change[]): Promise<string[]> {
  const given = sql`${changeRows(changes)} as given (kind, id, value, revision)`;
  const rows = await tx
    .select({ key: recordKey })
    .from(entries)
    .innerJoin(given, sql`given.kind = ${entries.kind} and given.id = ${entries.id}`)
    .where(sql`${entries.revision} > given.revision`);
  return rows.map(({ key }) => key);
}

function changeRows(changes: readonly Change[]) {
  const column = (values: (string | null)[]) => sql`${sql.param(values)}::text[]`;
  return sql`unnest(
    ${column(changes.map(({ kind }) => kind))},
    ${column(changes.map(({ id }) => id))},
    ${column(changes.map(({ value }) => value))},
    ${column(changes.map(({ revision }) => String(revision)))}::bigint[]
  )`;
}

export async function notifyChanged(tx: Tx | Db, payload: string): Promise<void> {
  await tx.execute(sql`select pg_notify(${CHANGED_CHANNEL}, ${payload})`);
}

export interface Replica {
  id: string;
  isBootstrapped: boolean;
  /** Whether the replica was behind for so long that it may have missed tombstones. */
  isStale: boolean;
}

/** Half of the retention, so that catching up ends before tombstones are removed. */
const staleAfter = sql`make_interval(secs => ${DIRECTORY_TOMBSTONE_RETENTION_MS / 2_000})`;

/**
 * Replaces the catch-up time while a replica is emptied. It marks the replica as stale, so the next open continues.
 */
const EMPTYING = sql`'-infinity'::timestamptz`;

/** Returns the announcement that the replica with this id is no longer in use. */
export const replicaReset = (replicaId: string) => `*:${replicaId}`;

/** Returns the replica of this database and creates it if it does not exist. */
export async function openReplica(db: Db): Promise<Replica> {
  await db.insert(replica).values({}).onConflictDoNothing();
  const [row] = await db
    .select({
      id: replica.id,
      isBootstrapped: sql<boolean>`${replica.bootstrappedAt} is not null`,
      isStale: sql<boolean>`coalesce(${replica.caughtUpAt} < now() - ${staleAfter}, false)`,
    })
    .from(replica);
  return row ?? openReplica(db);
}

/** Records that the replica has caught up, unless it is being emptied. */
export async function markCaughtUp(db: Db, id: string): Promise<void> {
  await db
    .update(replica)
    .set({ bootstrappedAt: sql`coalesce(${replica.bootstrappedAt}, now())`, caughtUpAt: sql`now()` })
    .where(and(eq(replica.id, id), sql`${replica.caughtUpAt} is distinct from ${EMPTYING}`));
}

/** Returns the next offset of each partition with applied records. */
export async function readPositions(db: Db): Promise<Map<number, bigint>> {
  const rows = await db.select().from(applied).where(gt(applied.nextOffset, 0n));
  return new Map(rows.map(({ partition, nextOffset }) => [partition, nextOffset]));
}

const RESET_BATCH = 5_000;
const FROM_THE_START = { kind: '', id: '' };

/**
 * Empties the replica, so that it is read again from the start of the topic under a new group. Deletes in short
 * transactions regardless of the replica's size. After an interruption, the next call continues.
 */
export async function resetReplica(db: Db, staleId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const marked = await tx
      .update(replica)
      .set({ bootstrappedAt: null, caughtUpAt: EMPTYING })
      .where(eq(replica.id, staleId))
      .returning({ id: replica.id });
    if (marked.length > 0) await notifyChanged(tx, JSON.stringify([replicaReset(staleId)]));
  });
  let after: Place | undefined = FROM_THE_START;
  while (after !== undefined) {
    const from: Place = after;
    after = await db.transaction(async (tx) => {
      // Allows one process at a time.
      const held = await tx.select().from(replica).where(eq(replica.id, staleId)).for('update');
      if (held.length === 0) return undefined;
      const last = await removeEntries(tx, from);
      if (last !== undefined) return last;
      // An instance that had not stopped yet may have applied more records.
      if (from !== FROM_THE_START) return FROM_THE_START;
      await tx.delete(applied);
      await tx.delete(replica);
      return undefined;
    });
  }
}

/** The key of the entry where the next batch begins. */
interface Place extends Record<string, unknown> {
  kind: string;
  id: string;
}

/**
 * Deletes entries after the given one, up to a limit. Returns the last deleted entry, or undefined if none remain.
 */
async function removeEntries(tx: Tx, after: Place): Promise<Place | undefined> {
  const [last] = await tx.execute<Place>(sql`
    with batch as (
      select kind, id from ${entries} where (kind, id) > (${after.kind}, ${after.id})
      order by kind, id limit ${RESET_BATCH}
    ), gone as (
      delete from ${entries} using batch where ${entries.kind} = batch.kind and ${entries.id} = batch.id
    )
    select kind, id from batch order by kind desc, id desc limit 1`);
  return last;
}
