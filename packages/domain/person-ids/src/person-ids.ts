import type { JoinedBy, PersonRecord } from '@switchboard/contracts';
import { type Db, removeAll, type Tx } from '@switchboard/database';
import { sql } from 'drizzle-orm';
import { personIds } from './schema.ts';

/** A distinct id without its person. */
export interface DistinctId {
  projectId: string;
  distinctId: string;
}

/** A distinct id that is joined to the one that names its person. */
export interface JoinedId {
  distinctId: string;
  joinedAt: Date;
  by: JoinedBy;
}

export interface PersonIds {
  /** Returns the distinct id that names the person of a distinct id: itself if it is not joined to another one. */
  personOf(projectId: string, distinctId: string): Promise<string>;
  /** Returns all distinct ids of the person of a distinct id: the one that names the person, then the others in order. */
  idsOf(projectId: string, distinctId: string): Promise<string[]>;
  /** Returns the ids that are joined to the one that names the person. */
  joinedTo(projectId: string, personId: string): Promise<JoinedId[]>;
  /** Adds distinct ids to their persons, or moves them. */
  save(records: readonly PersonRecord[]): Promise<void>;
  /** Parts distinct ids from their persons. Returns those that were joined. */
  remove(distinctIds: readonly DistinctId[]): Promise<DistinctId[]>;
  /** Removes the distinct ids of a project. */
  removeProject(projectId: string, signal?: AbortSignal): Promise<void>;
}

/** Creates the look-ups of the table `person_ids`. */
export function createPersonIds(db: Db | Tx): PersonIds {
  const column = (values: readonly string[]) => sql`${sql.param([...values])}::text[]`;

  async function personOf(projectId: string, distinctId: string): Promise<string> {
    const [row] = await db.execute<{ person_id: string }>(sql`
      select person_id from ${personIds} where project_id = ${projectId} and distinct_id = ${distinctId}`);
    return row?.person_id ?? distinctId;
  }

  async function joinedTo(projectId: string, personId: string): Promise<JoinedId[]> {
    const rows = await db.execute<{ distinct_id: string; joined_at: string; joined_by: JoinedBy }>(sql`
      select distinct_id, joined_at, joined_by from ${personIds}
      where project_id = ${projectId} and person_id = ${personId} order by distinct_id collate "C"`);
    return rows.map((row) => ({
      distinctId: row.distinct_id,
      joinedAt: new Date(row.joined_at),
      by: row.joined_by,
    }));
  }

  return {
    personOf,
    joinedTo,

    async idsOf(projectId, distinctId) {
      const personId = await personOf(projectId, distinctId);
      const joined = await joinedTo(projectId, personId);
      return [personId, ...joined.map((one) => one.distinctId)];
    },

    async save(records) {
      if (records.length === 0) return;
      await db.execute(sql`
        insert into ${personIds} (project_id, distinct_id, person_id, joined_at, joined_by)
        select * from unnest(
          ${column(records.map(({ projectId }) => projectId))},
          ${column(records.map(({ distinctId }) => distinctId))},
          ${column(records.map(({ personId }) => personId))},
          ${column(records.map(({ joinedAt }) => joinedAt))}::timestamptz[],
          ${column(records.map(({ by }) => JSON.stringify(by)))}::json[])
        on conflict (project_id, distinct_id) do update set
          person_id = excluded.person_id, joined_at = excluded.joined_at, joined_by = excluded.joined_by`);
    },

    async remove(distinctIds) {
      if (distinctIds.length === 0) return [];
      const rows = await db.execute<{ project_id: string; distinct_id: string }>(sql`
        delete from ${personIds} using unnest(
          ${column(distinctIds.map(({ projectId }) => projectId))},
          ${column(distinctIds.map(({ distinctId }) => distinctId))}) as parted(project_id, distinct_id)
        where person_ids.project_id = parted.project_id and person_ids.distinct_id = parted.distinct_id
        returning person_ids.project_id, person_ids.distinct_id`);
      return rows.map((row) => ({ projectId: row.project_id, distinctId: row.distinct_id }));
    },

    removeProject: (projectId, signal) => removeAll(db, personIds, sql`project_id = ${projectId}`, signal),
  };
}
