import type { Tx } from '@switchboard/database';
import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { type Change, type Entries, entryId, parseEntry } from '../record.ts';
import { entries } from '../schema.ts';

/** A removed report or member. A new one with the same identifiers may exist already. */
export type Removed =
  | { kind: 'report'; projectId: string; reportId: string }
  | { kind: 'member'; companyId: string; sub: string };

/** Removes a service's data about removed reports and members, in the transaction that removes their entries. */
export type OnRemoved = (tx: Tx, removed: readonly Removed[]) => Promise<void>;

type RemovableKind = Removed['kind'];
const isRemovable = (kind: string): kind is RemovableKind => kind === 'report' || kind === 'member';

/**
 * Returns the reports and members that these changes remove: entries that are gone, that follow a removed entry with
 * the same id, or that replace another entry. A replaced entry may have no tombstone, because the topic keeps only
 * the newest record of each entry.
 */
export async function findRemoved(tx: Tx, changes: readonly Change[]): Promise<Removed[]> {
  const removable = changes.filter(({ kind }) => isRemovable(kind));
  if (removable.length === 0) return [];
  const column = (values: (string | null)[]) => sql`${sql.param(values)}::text[]`;
  const given = sql`unnest(${column(removable.map(({ kind }) => kind))}, ${column(removable.map(({ id }) => id))},
    ${column(removable.map(({ revision }) => String(revision)))}::bigint[]) as given (kind, id, revision)`;
  const known = await tx
    .select({ kind: entries.kind, id: entries.id, value: entries.value })
    .from(entries)
    .innerJoin(given, sql`given.kind = ${entries.kind} and given.id = ${entries.id}`)
    .where(sql`${entries.revision} < given.revision`);
  const before = new Map(known.map(({ kind, id, value }) => [`${kind}:${id}`, value]));
  return removable.flatMap(({ kind, id, value }) => {
    const old = before.get(`${kind}:${id}`);
    if (old === undefined || !isRemovable(kind)) return [];
    const isKept = old !== null && value !== null && generationOf(kind, old) === generationOf(kind, value);
    return isKept ? [] : [removedOf(kind, id)];
  });
}

const generationOf = (kind: RemovableKind, value: string) => parseEntry(kind, value).generation;

function removedOf(kind: RemovableKind, id: string): Removed {
  const [parent = '', own = ''] = id.split('/').map(decodeURIComponent);
  return kind === 'report'
    ? { kind, projectId: parent, reportId: own }
    : { kind, companyId: parent, sub: own };
}

/**
 * Returns the report if the replica has it, and locks it against removal until the transaction ends. `OnRemoved`
 * therefore finds everything that was stored under its id.
 */
export async function holdReport(
  tx: Tx,
  projectId: string,
  reportId: string,
): Promise<Entries['report'] | undefined> {
  const [row] = await tx
    .select({ value: sql<string>`${entries.value}` })
    .from(entries)
    .where(
      and(eq(entries.kind, 'report'), eq(entries.id, entryId(projectId, reportId)), isNotNull(entries.value)),
    )
    .for('share');
  return row && parseEntry('report', row.value);
}

/** Returns the given projects that belong to the company in the replica. */
export async function projectsOfCompany(
  tx: Tx,
  companyId: string,
  projectIds: readonly string[],
): Promise<string[]> {
  const rows = await tx
    .select({ value: sql<string>`${entries.value}` })
    .from(entries)
    .where(
      and(
        eq(entries.kind, 'project'),
        sql`${entries.id} = any(${sql.param(projectIds.map((id) => entryId(id)))}::text[])`,
        isNotNull(entries.value),
      ),
    );
  return rows
    .map(({ value }) => parseEntry('project', value))
    .filter((project) => project.companyId === companyId)
    .map(({ id }) => id);
}
