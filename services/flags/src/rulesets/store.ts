import type { Clause, FlagEntry } from '@switchboard/contracts';
import { and, eq, sql } from 'drizzle-orm';
import type { Db, Tx } from '../db.ts';
import { cohortPeople, cohorts, flags, rulesets } from '../schema.ts';

/** Every change of a project's ruleset is announced here; the payload is the project's id. */
export const changedChannel = 'ruleset_changed';

export interface StoredCohort {
  id: string;
  name: string;
  match: Clause[] | null;
}

export interface StoredRuleset {
  /** RFC 3339, UTC, milliseconds. */
  changedAt: string;
  /** By key. */
  flags: FlagEntry[];
  cohorts: StoredCohort[];
}

const byBytes = (column: typeof flags.key | typeof cohorts.id) => sql`${column} collate "C"`;

/** Waits until no other transaction changes the project's ruleset, and keeps others waiting until this one ends. */
export async function lockRuleset(tx: Tx, projectId: string): Promise<void> {
  await tx.insert(rulesets).values({ projectId }).onConflictDoNothing();
  await tx.select().from(rulesets).where(eq(rulesets.projectId, projectId)).for('update');
}

/** Moves the time of the last change, always forward, and announces the change when the transaction commits. */
export async function markChanged(tx: Tx, projectId: string): Promise<void> {
  await tx
    .update(rulesets)
    .set({
      changedAt: sql`greatest(date_trunc('milliseconds', clock_timestamp()), ${rulesets.changedAt} + interval '1 ms')`,
    })
    .where(eq(rulesets.projectId, projectId));
  await tx.execute(sql`select pg_notify(${changedChannel}, ${projectId})`);
}

/** A project's flags and cohorts as of one moment. */
export async function loadRuleset(db: Db, projectId: string): Promise<StoredRuleset> {
  const read = { isolationLevel: 'repeatable read', accessMode: 'read only' } as const;
  return db.transaction(async (tx) => {
    const [row] = await tx.select().from(rulesets).where(eq(rulesets.projectId, projectId));
    return {
      changedAt: (row?.changedAt ?? new Date(0)).toISOString(),
      flags: await listFlags(tx, projectId),
      cohorts: await listCohorts(tx, projectId),
    };
  }, read);
}

export async function listFlags(db: Db | Tx, projectId: string): Promise<FlagEntry[]> {
  const rows = await db
    .select({ entry: flags.entry })
    .from(flags)
    .where(eq(flags.projectId, projectId))
    .orderBy(byBytes(flags.key));
  return rows.map(({ entry }) => entry);
}

export async function findFlag(db: Db, projectId: string, key: string): Promise<FlagEntry | undefined> {
  const [row] = await db
    .select({ entry: flags.entry })
    .from(flags)
    .where(and(eq(flags.projectId, projectId), eq(flags.key, key)));
  return row?.entry;
}

export async function upsertFlag(tx: Tx, projectId: string, entry: FlagEntry): Promise<void> {
  await tx
    .insert(flags)
    .values({ projectId, key: entry.key, entry })
    .onConflictDoUpdate({ target: [flags.projectId, flags.key], set: { entry } });
}

export async function removeFlag(tx: Tx, projectId: string, key: string): Promise<void> {
  await tx.delete(flags).where(and(eq(flags.projectId, projectId), eq(flags.key, key)));
}

const cohortColumns = { id: cohorts.id, name: cohorts.name, match: cohorts.match };

export async function listCohorts(db: Db | Tx, projectId: string): Promise<StoredCohort[]> {
  return db
    .select(cohortColumns)
    .from(cohorts)
    .where(eq(cohorts.projectId, projectId))
    .orderBy(byBytes(cohorts.id));
}

export async function findCohort(
  db: Db | Tx,
  projectId: string,
  id: string,
): Promise<StoredCohort | undefined> {
  const [row] = await db
    .select(cohortColumns)
    .from(cohorts)
    .where(and(eq(cohorts.projectId, projectId), eq(cohorts.id, id)));
  return row;
}

export async function upsertCohort(
  tx: Tx,
  projectId: string,
  { id, ...content }: StoredCohort,
): Promise<void> {
  await tx
    .insert(cohorts)
    .values({ projectId, id, ...content })
    .onConflictDoUpdate({ target: [cohorts.projectId, cohorts.id], set: content });
}

export async function removeCohort(tx: Tx, projectId: string, id: string): Promise<boolean> {
  const gone = await tx
    .delete(cohorts)
    .where(and(eq(cohorts.projectId, projectId), eq(cohorts.id, id)))
    .returning({ id: cohorts.id });
  return gone.length > 0;
}

/** The ids that a cohort names, in the order of their UTF-8 bytes. */
export async function listCohortPeople(db: Db | Tx, projectId: string, cohortId: string): Promise<string[]> {
  const rows = await db
    .select({ distinctId: cohortPeople.distinctId })
    .from(cohortPeople)
    .where(and(eq(cohortPeople.projectId, projectId), eq(cohortPeople.cohortId, cohortId)))
    .orderBy(sql`${cohortPeople.distinctId} collate "C"`);
  return rows.map(({ distinctId }) => distinctId);
}

/** Makes a cohort name exactly these ids; true when that changed anything. */
export async function replaceCohortPeople(
  tx: Tx,
  projectId: string,
  cohortId: string,
  distinctIds: readonly string[],
): Promise<boolean> {
  const named = sql`${sql.param(distinctIds)}::text[]`;
  const gone = await tx
    .delete(cohortPeople)
    .where(
      and(
        eq(cohortPeople.projectId, projectId),
        eq(cohortPeople.cohortId, cohortId),
        sql`${cohortPeople.distinctId} <> all(${named})`,
      ),
    )
    .returning({ distinctId: cohortPeople.distinctId });
  const added = await tx.execute(sql`
    insert into ${cohortPeople} (project_id, distinct_id, cohort_id)
    select ${projectId}, id, ${cohortId} from unnest(${named}) as named(id)
    on conflict do nothing returning 1`);
  return gone.length + added.length > 0;
}
