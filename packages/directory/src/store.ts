import type { Database } from '@switchboard/database';
import { and, eq, gt, inArray, sql } from 'drizzle-orm';
import type { Kind } from './record.ts';
import { applied, entries, replica } from './schema.ts';

export type Db = Database['drizzle'];
export type Tx = Parameters<Parameters<Db['transaction']>[0]>[0];

/** An applied change is announced here to every instance: a JSON array of record keys. */
export const changedChannel = 'directory_changed';

export interface EntryRow {
  id: string;
  value: string;
}

export async function readEntries(
  db: Db,
  kind: Kind,
  ids: readonly string[],
): Promise<Map<string, EntryRow>> {
  const rows = await db
    .select({ id: entries.id, value: entries.value })
    .from(entries)
    .where(and(eq(entries.kind, kind), sql`${entries.id} = any(${sql.param(ids)}::text[])`));
  return new Map(rows.map((row) => [row.id, row]));
}

/** Where to go on in a partition, held until the transaction ends, so that a partition has one writer. */
export async function lockPosition(tx: Tx, partition: number): Promise<bigint> {
  await tx.insert(applied).values({ partition, nextOffset: 0n }).onConflictDoNothing();
  const [row] = await tx.select().from(applied).where(eq(applied.partition, partition)).for('update');
  return row?.nextOffset ?? 0n;
}

export async function advance(tx: Tx, partition: number, nextOffset: bigint): Promise<void> {
  await tx.update(applied).set({ nextOffset }).where(eq(applied.partition, partition));
}

export async function upsertEntries(
  tx: Tx,
  rows: { kind: Kind; id: string; value: string }[],
): Promise<void> {
  const column = (values: string[]) => sql`${sql.param(values)}::text[]`;
  await tx.execute(sql`
    insert into ${entries} (kind, id, value)
    select * from unnest(
      ${column(rows.map(({ kind }) => kind))},
      ${column(rows.map(({ id }) => id))},
      ${column(rows.map(({ value }) => value))}
    )
    on conflict (kind, id) do update set value = excluded.value`);
}

export async function deleteEntries(tx: Tx, kind: Kind, ids: string[]): Promise<void> {
  await tx.delete(entries).where(and(eq(entries.kind, kind), inArray(entries.id, ids)));
}

export async function notifyChanged(tx: Tx | Db, payload: string): Promise<void> {
  await tx.execute(sql`select pg_notify(${changedChannel}, ${payload})`);
}

export interface Replica {
  id: string;
  isBootstrapped: boolean;
  /** It was behind for so long that the log may have dropped tombstones it never saw. */
  isStale: boolean;
}

/** Both event logs keep a tombstone for a day. */
const staleAfter = sql`interval '12 hours'`;

/** Announces that the replica with this id was given up. */
export const givenUp = (replicaId: string) => `*:${replicaId}`;

/** The replica of this database; made when there is none yet. */
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

export async function markCaughtUp(db: Db, id: string): Promise<void> {
  await db
    .update(replica)
    .set({ bootstrappedAt: sql`coalesce(${replica.bootstrappedAt}, now())`, caughtUpAt: sql`now()` })
    .where(eq(replica.id, id));
}

/** For each partition that something was applied of, where to go on. */
export async function readPositions(db: Db): Promise<Map<number, bigint>> {
  const rows = await db.select().from(applied).where(gt(applied.nextOffset, 0n));
  return new Map(rows.map(({ partition, nextOffset }) => [partition, nextOffset]));
}

/** Empties the replica, so that it is read again from the start of the topic under a new group. */
export async function resetReplica(db: Db, staleId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const gone = await tx.delete(replica).where(eq(replica.id, staleId)).returning();
    if (gone.length === 0) return;
    await tx.delete(entries);
    await tx.delete(applied);
    await notifyChanged(tx, JSON.stringify([givenUp(staleId)]));
  });
}
