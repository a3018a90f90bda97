import {
  type Clause,
  type CohortRecord,
  type Combination,
  combination,
  storedClause,
} from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { foldedPerson, peopleInOrder } from '../schema/folded.ts';
import { appliedPositions, cohortLists, cohorts, groups, people, savedReports } from '../schema/index.ts';

/** The traits that queries read. */
export interface WantedTraits {
  traits: readonly string[];
  /** Traits of groups, by type and name. */
  groups: readonly (readonly [type: string, trait: string])[];
}

/** The requested traits of a person as JSON: `{"<trait>": ...}` and `{"<type>": {"<trait>": ...}}`; null for none. */
export interface PersonTraits {
  distinctId: string;
  traits: string | null;
  groups: string | null;
}

/** A stored person. Traits are JSON as stored. */
export interface PersonOnFile {
  traits: string;
  /** Ordered by type. */
  groups: { type: string; id: string; traits: string }[];
}

export interface CohortOnFile {
  id: string;
  match: Clause[];
  distinctIds: string[];
  isTooLarge: boolean;
  /** How the computed list is combined with `match`. Undefined without a list. */
  did?: Combination;
  computedAt?: string;
}

export interface PeopleStore {
  /** Returns up to `limit` people of a project, ordered by id, after this one. */
  page(projectId: string, wanted: WantedTraits, after: string, limit: number): Promise<PersonTraits[]>;
  /** Returns a person with the traits and groups of all ids. Returns undefined for an unknown person. */
  find(projectId: string, personId: string): Promise<PersonOnFile | undefined>;
  /** Returns those of these cohorts that exist. */
  cohorts(projectId: string, ids: readonly string[]): Promise<CohortOnFile[]>;
  /** Returns the total size of the definitions of these cohorts as text, in bytes. */
  cohortBytes(projectId: string, ids: readonly string[]): Promise<number>;
  /** Returns every cohort. Of the listed people, only a person with these ids is included, as the first one. */
  cohortsFor(projectId: string, ids: readonly string[]): Promise<CohortOnFile[]>;
  /** Returns a version that changes whenever a call is applied. */
  version(): Promise<string>;
  saveCohort(cohort: CohortRecord): Promise<void>;
  removeCohort(projectId: string, id: string): Promise<void>;
  /** Removes people, also from cohorts. */
  erase(projectId: string, distinctIds: readonly string[]): Promise<void>;
  /** Removes the cohorts and saved reports of a project. */
  eraseProject(projectId: string): Promise<void>;
}

const pageRows = z.array(
  z.object({ distinct_id: z.string(), traits: z.string().nullable(), groups: z.string().nullable() }),
);
const personRow = z.object({ traits: z.string() });
const groupRows = z.array(z.object({ type: z.string(), id: z.string(), traits: z.string() }));
const cohortRows = z.array(
  z.object({
    id: z.string(),
    match: z.array(storedClause),
    distinct_ids: z.array(z.string()),
    is_too_large: z.boolean(),
    combine: combination.nullable(),
    computed_at: z.string().nullable(),
  }),
);

/** How the computed list of a cohort is combined, and its age. */
const LIST = sql`
  (select combine from ${cohortLists} as listed
    where listed.project_id = cohorts.project_id and listed.cohort_id = cohorts.id) as combine,
  (select list ->> 'computedAt' from ${cohortLists} as listed
    where listed.project_id = cohorts.project_id and listed.cohort_id = cohorts.id) as computed_at`;

export function createPeopleStore(db: Db): PeopleStore {
  const column = (values: readonly string[]) => sql`${sql.param([...values])}::text[]`;

  return {
    async page(projectId, wanted, after, limit) {
      const named = peopleInOrder((id) => sql`project_id = ${projectId} and ${id} > ${after}`, limit);
      // A subquery, because PostgreSQL may otherwise read all groups of the project for the join.
      const rows = await db.execute(sql`
        select person.distinct_id, (
            select json_object_agg(name, person.traits -> name)::text from unnest(${column(wanted.traits)}) as name
            where person.traits -> name is not null) as traits, (
            select json_object_agg(membership.key, (
              select json_object_agg(named.trait, "group".traits -> named.trait) from ${groups} as "group",
                unnest(${column(wanted.groups.map(([type]) => type))},
                  ${column(wanted.groups.map(([, trait]) => trait))}) as named(type, trait)
              where "group".project_id = ${projectId} and "group".type = membership.key
                and "group".id = membership.value and named.type = membership.key
                and "group".traits -> named.trait is not null))::text
            from json_each_text(person.groups) as membership
            where membership.key = any(${column(wanted.groups.map(([type]) => type))})) as groups
        from (select named.distinct_id, found.traits, found.groups from (${named}) as named
          left join lateral (${foldedPerson(sql`${projectId}`, sql`named.distinct_id`)}) as found on true) as person
        order by person.distinct_id`);
      return pageRows
        .parse([...rows])
        .map(({ distinct_id: distinctId, ...found }) => ({ distinctId, ...found }));
    },

    async find(projectId, personId) {
      const person = foldedPerson(sql`${projectId}`, sql`${personId}::text`);
      const [row] = await db.execute(sql`select traits::text as traits from (${person}) as person`);
      if (row === undefined) return undefined;
      const found = await db.execute(sql`
        select membership.key as type, membership.value as id, coalesce("group".traits::text, '{}') as traits
        from (${person}) as person cross join json_each_text(person.groups) as membership
          left join ${groups} as "group" on "group".project_id = ${projectId}
            and "group".type = membership.key and "group".id = membership.value
        order by type collate "C"`);
      return { ...personRow.parse(row), groups: groupRows.parse([...found]) };
    },

    async cohorts(projectId, ids) {
      const rows = await db.execute(sql`
        select id, match, distinct_ids, is_too_large, ${LIST} from ${cohorts}
        where project_id = ${projectId} and id = any(${column(ids)}) order by id`);
      return cohortRows.parse([...rows]).map(cohortOf);
    },

    async cohortBytes(projectId, ids) {
      const [row] = await db.execute(sql`
        select sum(octet_length(match::text) + octet_length(distinct_ids::text)) as bytes from ${cohorts}
        where project_id = ${projectId} and id = any(${column(ids)})`);
      return Number(row?.['bytes'] ?? 0);
    },

    async cohortsFor(projectId, ids) {
      const rows = await db.execute(sql`
        select id, match, is_too_large, ${LIST},
          case when distinct_ids && ${column(ids)} then array[${ids[0] ?? ''}::text] else '{}' end as distinct_ids
        from ${cohorts} where project_id = ${projectId} order by id`);
      return cohortRows.parse([...rows]).map(cohortOf);
    },

    async version() {
      const [row] = await db.execute(sql`select sum(next_offset)::text as version from ${appliedPositions}`);
      return String(row?.['version']);
    },

    async saveCohort({ projectId, id, match, distinctIds }) {
      const row = { match, distinctIds: distinctIds ?? [], isTooLarge: distinctIds === null };
      await db
        .insert(cohorts)
        .values({ projectId, id, ...row })
        .onConflictDoUpdate({ target: [cohorts.projectId, cohorts.id], set: row });
    },

    async removeCohort(projectId, id) {
      await db.execute(sql`delete from ${cohorts} where project_id = ${projectId} and id = ${id}`);
    },

    async erase(projectId, distinctIds) {
      const erased = column(distinctIds);
      await db.execute(sql`
        delete from ${people} where project_id = ${projectId} and distinct_id = any(${erased})`);
      await db.execute(sql`
        update ${cohorts} set distinct_ids = array(
          select one from unnest(distinct_ids) as one where one <> all(${erased}))
        where project_id = ${projectId} and distinct_ids && ${erased}`);
    },

    async eraseProject(projectId) {
      for (const table of [cohorts, savedReports])
        await db.execute(sql`delete from ${table} where project_id = ${projectId}`);
    },
  };
}

function cohortOf(row: z.infer<typeof cohortRows>[number]): CohortOnFile {
  return {
    id: row.id,
    match: row.match,
    distinctIds: row.distinct_ids,
    isTooLarge: row.is_too_large,
    ...(row.combine && { did: row.combine }),
    ...(row.computed_at && { computedAt: row.computed_at }),
  };
}
