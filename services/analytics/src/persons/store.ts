import { type JoinedBy, joinedBy } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import type { RecordBatch } from '@switchboard/event-log';
import { createPersonIds, type DistinctId } from '@switchboard/person-ids';
import { executeOn, positionAfter, savePosition } from '@switchboard/user-state';
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { personIdChanges, personIds, personMaps, seenPeople } from '../schema/index.ts';

/** An id and its person; null if the id is a person of its own. */
export interface PersonOfId {
  distinctId: string;
  personId: string | null;
}

/** A distinct id of a person. Times are RFC 3339. */
export interface IdOnFile {
  distinctId: string;
  /** Null if no event or call is known. */
  firstSeenAt: string | null;
  lastSeenAt: string | null;
  /** Null for the id that names the person. */
  joinedAt: string | null;
  joinedBy: JoinedBy | null;
}

export interface PersonsStore {
  /** Returns the version of a project's map. Undefined if no person ever had several ids. */
  version(projectId: string): Promise<number | undefined>;
  /** Returns up to `limit` ids that belong to a person with another id, ordered, after this one. */
  page(projectId: string, after: string, limit: number): Promise<PersonOfId[]>;
  /** Returns the ids that changed after a version; undefined if they are no longer known. */
  changesAfter(projectId: string, version: number): Promise<PersonOfId[] | undefined>;
  /** Returns every id of the person of an id: the one that names the person, then the others in order. */
  idsOf(projectId: string, distinctId: string): Promise<string[]>;
  /** Returns when ids were seen and joined, in their order. */
  find(projectId: string, ids: readonly string[]): Promise<IdOnFile[]>;
  /** Removes ids of people, also from the changes. */
  erase(projectId: string, distinctIds: readonly string[]): Promise<void>;
  /** Removes the versions and changes of a project. */
  eraseProject(projectId: string): Promise<void>;
}

/** The number of changes kept for each project. A copy that is older is copied as a whole. */
const KEPT_CHANGES = 10_000;

const versionRows = z.array(z.object({ version: z.coerce.number(), complete_after: z.coerce.number() }));
const idRows = z.array(z.object({ distinct_id: z.string(), person_id: z.string().nullable() }));

const time = z
  .string()
  .transform((value) => new Date(value).toISOString())
  .nullable();
const onFileRows = z.array(
  z
    .object({
      distinct_id: z.string(),
      first_seen_at: time,
      last_seen_at: time,
      joined_at: time,
      joined_by: joinedBy.nullable(),
    })
    .transform((row) => ({
      distinctId: row.distinct_id,
      firstSeenAt: row.first_seen_at,
      lastSeenAt: row.last_seen_at,
      joinedAt: row.joined_at,
      joinedBy: row.joined_by,
    })),
);

export function createPersonsStore(db: Db): PersonsStore {
  const header = async (projectId: string) =>
    versionRows.parse([
      ...(await db.execute(sql`
        select version, complete_after from ${personMaps} where project_id = ${projectId}`)),
    ])[0];
  const idsOf = (rows: Iterable<unknown>): PersonOfId[] =>
    idRows.parse([...rows]).map((row) => ({ distinctId: row.distinct_id, personId: row.person_id }));

  return {
    version: async (projectId) => (await header(projectId))?.version,

    async page(projectId, after, limit) {
      const rows = await db.execute(sql`
        select distinct_id, person_id from ${personIds}
        where project_id = ${projectId} and distinct_id > ${after} order by distinct_id limit ${limit}`);
      return idsOf(rows);
    },

    async changesAfter(projectId, version) {
      const rows = await db.execute(sql`
        select distinct changed.distinct_id, person_id from ${personIdChanges} as changed
          left join ${personIds} as own
            on own.project_id = changed.project_id and own.distinct_id = changed.distinct_id
        where changed.project_id = ${projectId} and changed.version > ${version}`);
      // Read last, because changes are removed after this number has grown.
      const known = await header(projectId);
      return known === undefined || known.complete_after > version ? undefined : idsOf(rows);
    },

    idsOf: (projectId, distinctId) => createPersonIds(db).idsOf(projectId, distinctId),

    async find(projectId, ids) {
      const rows = await db.execute(sql`
        select named.id as distinct_id, first_seen_at::text, last_seen_at::text, joined_at::text, joined_by
        from unnest(${sql.param([...ids])}::text[]) with ordinality as named(id, place)
          left join ${seenPeople} as seen on seen.project_id = ${projectId} and seen.distinct_id = named.id
          left join ${personIds} as own on own.project_id = ${projectId} and own.distinct_id = named.id
        order by place`);
      return onFileRows.parse([...rows]);
    },

    async erase(projectId, distinctIds) {
      const erased = sql`${sql.param([...distinctIds])}::text[]`;
      await db.transaction(async (tx) => {
        // Copies start again, because they may not have seen the changes that are removed here.
        await tx.execute(sql`
          update ${personMaps} set version = version + 1, complete_after = version + 1
          where project_id = ${projectId}`);
        for (const table of [personIds, personIdChanges])
          await tx.execute(sql`
            delete from ${table} where project_id = ${projectId} and distinct_id = any(${erased})`);
        await tx.execute(sql`
          delete from ${personIds} where project_id = ${projectId} and person_id = any(${erased})`);
      });
    },

    async eraseProject(projectId) {
      for (const table of [personIdChanges, personMaps])
        await db.execute(sql`delete from ${table} where project_id = ${projectId}`);
    },
  };
}

/** Gives the changed ids a version, and saves the position of their batch, in the transaction that applies it. */
export async function saveChanges(tx: Tx, batch: RecordBatch, changed: readonly DistinctId[]): Promise<void> {
  const projects = Map.groupBy(changed, ({ projectId }) => projectId);
  for (const [projectId, ids] of [...projects].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const rows = await tx.execute(sql`
      insert into ${personMaps} as map (project_id, version) values (${projectId}, ${ids.length})
      on conflict (project_id) do update set version = map.version + excluded.version,
        complete_after = greatest(map.complete_after, map.version + excluded.version - ${KEPT_CHANGES}::bigint)
      returning version, complete_after`);
    const [{ version, complete_after: completeAfter }] = z.tuple([versionRows.element]).parse([...rows]);
    await tx.execute(sql`
      insert into ${personIdChanges} (project_id, version, distinct_id)
      select ${projectId}, ${version - ids.length}::bigint + number, id
      from unnest(${sql.param(ids.map(({ distinctId }) => distinctId))}::text[]) with ordinality as changed(id, number)`);
    await tx.execute(sql`
      delete from ${personIdChanges} where project_id = ${projectId} and version <= ${completeAfter}`);
  }
  await savePosition(executeOn(tx), positionAfter(batch));
}
