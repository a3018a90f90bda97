import { isObject } from '@switchboard/contracts';
import type { Database, Db, Tx } from '@switchboard/database';
import { type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import { type Properties, type Stamp, toProperties } from '../merge.ts';
import type { PersonKey } from '../person-key.ts';
import type { Identity } from './rule.ts';
import { identities, persons, unpublishedPeople } from './schema.ts';

/** An identity as stored. */
export interface StoredIdentity extends Identity {
  /** The id that names the person. Null: a person with one id. */
  personId: string | null;
}

/** The traits and groups of a person with several ids. */
export interface StoredFolded {
  projectId: string;
  personId: string;
  traits: Properties;
  groups: Properties;
  /** The UTC day of the last call. */
  seenOn: string;
}

/** A person with several ids, and the traits and groups of all of them. */
export interface StoredPersonOfIds extends StoredFolded {
  /** In the order in which they were added. */
  ids: string[];
}

/** The person of an id that belongs to one with several. */
export interface PersonSize {
  personId: string;
  count: number;
}

/** The traits and groups of one id. */
export interface StoredProperties {
  distinctId: string;
  traits: Properties;
  groups: Properties;
  seenOn: string;
}

export interface JoinsStore {
  /**
   * Takes the projects' locks until the transaction ends: an exclusive one to join or part ids, a shared one to change
   * traits. All writers take them before they lock rows, in one order.
   */
  lockProjects(projects: ReadonlyMap<string, boolean>): Promise<void>;
  /** Returns those identities that exist. */
  read(projectId: string, distinctIds: readonly string[]): Promise<StoredIdentity[]>;
  /** Returns which of these ids were identified or have a claim, and the ids that name persons with several ids. */
  readFacts(keys: readonly PersonKey[]): Promise<(PersonKey & KnownFacts)[]>;
  /** Marks ids as identified. */
  markKnown(keys: readonly PersonKey[]): Promise<void>;
  save(projectId: string, changed: readonly StoredIdentity[]): Promise<void>;
  /** Removes the claims by these ids. None of them may be applied. */
  removeClaims(projectId: string, distinctIds: readonly string[]): Promise<void>;
  /** Returns the number of ids with a claim by one of these that the person has no room for, counted up to 10,001. */
  countBeyondBound(projectId: string, distinctIds: readonly string[]): Promise<number>;
  /** Returns persons with several ids. */
  findPersons(projectId: string, personIds: readonly string[]): Promise<StoredPersonOfIds[]>;
  /** Returns the persons of those ids that belong to one with several, without reading its ids. */
  sizes(projectId: string, distinctIds: readonly string[]): Promise<Map<string, PersonSize>>;
  /** Reads and locks the traits and groups of persons with several ids, in one order. */
  lockPersons(keys: readonly { projectId: string; personId: string }[]): Promise<StoredFolded[]>;
  savePersons(changed: readonly StoredPersonOfIds[]): Promise<void>;
  /** Adds these ids to persons with several ids, and saves their traits and groups, without reading the other ids. */
  addIds(persons: readonly StoredPersonOfIds[]): Promise<void>;
  /** Saves the traits and groups of persons that `lockPersons` returned. */
  saveFolded(changed: readonly StoredFolded[]): Promise<void>;
  removePersons(projectId: string, personIds: readonly string[]): Promise<void>;
  /** Returns the traits and groups of each id that has any, ordered by id. */
  properties(projectId: string, distinctIds: readonly string[]): Promise<StoredProperties[]>;
  /** Creates the row of a person's traits that retention goes by. */
  createPeople(projectId: string, distinctIds: readonly string[]): Promise<void>;
  /** Removes identities, and the traits and groups of these ids. */
  remove(projectId: string, distinctIds: readonly string[]): Promise<void>;
  /** Marks ids for publishing after the transaction. */
  announce(projectId: string, distinctIds: readonly string[]): Promise<void>;
}

interface KnownFacts {
  isKnown: boolean;
  hasClaim: boolean;
  personId: string | null;
}

/** Runs a statement in a transaction, and returns its rows. */
export type Execute = (statement: SQL) => PromiseLike<Iterable<unknown>>;

/** Runs statements in a transaction of postgres.js. */
export function executeIn(tx: TransactionSql): Execute {
  return (statement) => {
    const { sql: text, params } = dialect.sqlToQuery(statement);
    return tx.unsafe(text, parameters.parse(params), { prepare: true });
  };
}

/** Runs statements with Drizzle. */
export function executeOn(tx: Db | Tx): Execute {
  return (statement) => tx.execute(statement);
}

type TransactionSql = Parameters<Parameters<Database['sql']['begin']>[1]>[0];
const dialect = new PgDialect();
const parameters = z.custom<Parameters<TransactionSql['unsafe']>[1]>(Array.isArray);

const CLAIMS_AT_ONCE = 10_000;
const MAX_COUNTED = 10_001;

/** Any number, the same in every process. */
const LOCK_SEED = 3_902_711_455;
const NEXT_REVISION = sql`nextval(pg_get_serial_sequence('unpublished_people', 'revision'))`;

const maybe = z.string().nullable();
/** postgres.js returns numbers, Drizzle texts. */
const milliseconds = z.union([z.number(), z.string().transform(Number)]).nullable();
const identityRow = z.object({
  distinct_id: z.string(),
  is_known: z.boolean(),
  claimed_at: milliseconds,
  claimed_by: maybe,
  is_beyond_bound: z.boolean(),
  decided_at: milliseconds,
  decided_to: maybe,
  decided_for: maybe,
  decided_by: maybe,
  was_alone: z.boolean(),
  person_id: maybe,
});
type IdentityRow = z.infer<typeof identityRow>;

const factsRow = z.object({
  project_id: z.string(),
  distinct_id: z.string(),
  is_known: z.boolean(),
  has_claim: z.boolean(),
  person_id: maybe,
});

// As stored, because Zod's copy of an object omits a property named `__proto__`.
const values = z.custom<Record<string, unknown>>(isObject);
const stamps = z.custom<Record<string, Stamp>>(isObject);
const propertiesColumns = {
  traits: values,
  trait_stamps: stamps,
  groups: values,
  group_stamps: stamps,
  seen_on: z.string(),
};
const propertiesRow = z.object({ distinct_id: z.string(), ...propertiesColumns });
const foldedRow = z.object({ project_id: z.string(), person_id: z.string(), ...propertiesColumns });
const personRow = foldedRow.extend({ ids: z.array(z.string()) });
const sizeRow = z.object({ distinct_id: z.string(), person_id: z.string(), ids_count: z.number() });

const countRow = z.object({ count: z.coerce.number() });

/** Creates the statements. `lateral` and `on conflict` force the use of primary keys, as in `createStateStore`. */
export function createJoinsStore(execute: Execute): JoinsStore {
  const rowsOf = async <S extends z.ZodType>(row: S, statement: SQL): Promise<z.output<S>[]> =>
    Array.from(await execute(statement), (one) => row.parse(one));
  const column = (values: readonly (string | null)[]) => sql`${sql.param([...values])}::text[]`;
  const keyColumns = (keys: readonly PersonKey[]) =>
    sql`${column(keys.map(({ projectId }) => projectId))}, ${column(keys.map(({ distinctId }) => distinctId))}`;
  function foldedColumns(changed: readonly StoredFolded[]) {
    const traits = changed.map((person) => toJson(person.traits));
    const memberships = changed.map((person) => toJson(person.groups));
    return sql`${column(changed.map(({ projectId }) => projectId))},
      ${column(changed.map(({ personId }) => personId))},
      ${column(traits.map(({ values }) => values))}::json[],
      ${column(traits.map(({ stamps }) => stamps))}::json[],
      ${column(memberships.map(({ values }) => values))}::json[],
      ${column(memberships.map(({ stamps }) => stamps))}::json[],
      ${column(changed.map(({ seenOn }) => seenOn))}::date[]`;
  }

  async function savePersons(changed: readonly StoredPersonOfIds[], ids: SQL): Promise<void> {
    await execute(sql`
      insert into ${persons} (project_id, person_id, ids, traits, trait_stamps, groups, group_stamps, seen_on)
      select project_id, person_id, array(select json_array_elements_text(ids)), traits, trait_stamps, groups,
        group_stamps, seen_on
      from unnest(${foldedColumns(changed)}, ${column(changed.map((person) => JSON.stringify(person.ids)))}::json[])
        as changed(project_id, person_id, traits, trait_stamps, groups, group_stamps, seen_on, ids)
      on conflict (project_id, person_id) do update set ids = ${ids},
        traits = excluded.traits, trait_stamps = excluded.trait_stamps,
        groups = excluded.groups, group_stamps = excluded.group_stamps, seen_on = excluded.seen_on`);
  }

  return {
    async lockProjects(projects) {
      await execute(sql`
        select case when is_exclusive then pg_advisory_xact_lock(key) else pg_advisory_xact_lock_shared(key) end
        from (
          select hashtextextended(project_id, ${LOCK_SEED}::bigint) as key, bool_or(is_exclusive) as is_exclusive
          from unnest(${column([...projects.keys()])}, ${column([...projects.values()].map(String))}::boolean[])
            as named(project_id, is_exclusive)
          group by 1 order by 1) as locked`);
    },

    async read(projectId, distinctIds) {
      const rows = await rowsOf(
        identityRow,
        sql`
        select distinct_id, is_known, claimed_at, claimed_by, is_beyond_bound, decided_at, decided_to, decided_for,
          decided_by, was_alone, person_id
        from ${identities} where project_id = ${projectId} and distinct_id = any(${column(distinctIds)})`,
      );
      return rows.map(toIdentity);
    },

    async readFacts(keys) {
      const rows = await rowsOf(
        factsRow,
        sql`
        select found.* from unnest(${keyColumns(keys)}) as named(project_id, distinct_id), lateral (
          select project_id, distinct_id, is_known, claimed_by is not null as has_claim, person_id from identities
          where identities.project_id = named.project_id and identities.distinct_id = named.distinct_id
          offset 0) as found`,
      );
      return rows.map((row) => ({
        projectId: row.project_id,
        distinctId: row.distinct_id,
        isKnown: row.is_known,
        hasClaim: row.has_claim,
        personId: row.person_id,
      }));
    },

    async markKnown(keys) {
      await execute(sql`
        insert into ${identities} (project_id, distinct_id, is_known)
        select project_id, distinct_id, true from unnest(${keyColumns(keys)}) as named(project_id, distinct_id)
        order by 1, 2 on conflict (project_id, distinct_id) do update set is_known = true`);
    },

    async save(projectId, changed) {
      const numbers = (values: readonly (number | undefined)[]) =>
        sql`${column(values.map((value) => (value === undefined ? null : String(value))))}::bigint[]`;
      const flags = (values: readonly boolean[]) => sql`${column(values.map(String))}::boolean[]`;
      await execute(sql`
        insert into ${identities} (project_id, distinct_id, is_known, claimed_at, claimed_by, is_beyond_bound,
          decided_at, decided_to, decided_for, decided_by, was_alone, person_id)
        select ${projectId}, changed.* from unnest(
          ${column(changed.map(({ distinctId }) => distinctId))},
          ${flags(changed.map(({ isKnown }) => isKnown))},
          ${numbers(changed.map(({ claim }) => claim?.at))},
          ${column(changed.map(({ claim }) => claim?.by ?? null))},
          ${flags(changed.map(({ isBeyondBound }) => isBeyondBound))},
          ${numbers(changed.map(({ decision }) => decision?.at))},
          ${column(changed.map(({ decision }) => decision?.to ?? null))},
          ${column(changed.map(({ decision }) => decision?.named ?? null))},
          ${column(changed.map(({ decision }) => decision?.sub ?? null))},
          ${flags(changed.map(({ decision }) => decision?.wasAlone ?? false))},
          ${column(changed.map(({ personId }) => personId))}) as changed
        on conflict (project_id, distinct_id) do update set
          is_known = excluded.is_known, claimed_at = excluded.claimed_at, claimed_by = excluded.claimed_by,
          is_beyond_bound = excluded.is_beyond_bound, decided_at = excluded.decided_at,
          decided_to = excluded.decided_to, decided_for = excluded.decided_for,
          decided_by = excluded.decided_by, was_alone = excluded.was_alone, person_id = excluded.person_id`);
    },

    async removeClaims(projectId, distinctIds) {
      let removed = 0;
      do {
        const rows = await rowsOf(
          countRow,
          sql`
          with removed as (
            update ${identities} set claimed_at = null, claimed_by = null, is_beyond_bound = false
            where project_id = ${projectId} and distinct_id = any(array(
              select distinct_id from ${identities}
              where project_id = ${projectId} and claimed_by = any(${column(distinctIds)}) limit ${CLAIMS_AT_ONCE}))
            returning 1
          )
          select count(*) as count from removed`,
        );
        removed = rows[0]?.count ?? 0;
      } while (removed > 0);
    },

    async countBeyondBound(projectId, distinctIds) {
      const [row] = await rowsOf(
        countRow,
        sql`
        select count(*) as count from (
          select 1 from ${identities}
          where project_id = ${projectId} and claimed_by = any(${column(distinctIds)}) and is_beyond_bound
          limit ${MAX_COUNTED}) as counted`,
      );
      return row?.count ?? 0;
    },

    async findPersons(projectId, personIds) {
      const rows = await rowsOf(
        personRow,
        sql`
        select * from ${persons} where project_id = ${projectId} and person_id = any(${column(personIds)})`,
      );
      return rows.map(toPerson);
    },

    async sizes(projectId, distinctIds) {
      const rows = await rowsOf(
        sizeRow,
        sql`
        select named.distinct_id, found.* from unnest(${column(distinctIds)}) as named(distinct_id), lateral (
          select persons.person_id, persons.ids_count from identities
            join persons on persons.project_id = ${projectId} and persons.person_id = identities.person_id
          where identities.project_id = ${projectId} and identities.distinct_id = named.distinct_id
          offset 0) as found`,
      );
      return new Map(rows.map((row) => [row.distinct_id, { personId: row.person_id, count: row.ids_count }]));
    },

    async lockPersons(keys) {
      const rows = await rowsOf(
        foldedRow,
        sql`
        select found.* from (
          select distinct project_id, person_id from unnest(
            ${column(keys.map(({ projectId }) => projectId))}, ${column(keys.map(({ personId }) => personId))})
            as given(project_id, person_id) order by 1, 2
        ) as named, lateral (
          select project_id, person_id, traits, trait_stamps, groups, group_stamps, seen_on from persons
          where persons.project_id = named.project_id and persons.person_id = named.person_id
          for update) as found`,
      );
      return rows.map(toFolded);
    },

    savePersons: (changed) => savePersons(changed, sql`excluded.ids`),
    addIds: (changed) => savePersons(changed, sql`persons.ids || excluded.ids`),

    async saveFolded(changed) {
      await execute(sql`
        update persons set traits = changed.traits, trait_stamps = changed.trait_stamps, groups = changed.groups,
          group_stamps = changed.group_stamps, seen_on = changed.seen_on
        from unnest(${foldedColumns(changed)})
          as changed(project_id, person_id, traits, trait_stamps, groups, group_stamps, seen_on)
        where persons.project_id = changed.project_id and persons.person_id = changed.person_id`);
    },

    async removePersons(projectId, personIds) {
      await execute(sql`
        delete from ${persons} where project_id = ${projectId} and person_id = any(${column(personIds)})`);
    },

    async properties(projectId, distinctIds) {
      const rows = await rowsOf(
        propertiesRow,
        sql`
        select distinct_id, traits, trait_stamps, groups, group_stamps,
          coalesce(seen_on, (now() at time zone 'utc')::date)::text as seen_on
        from people where project_id = ${projectId} and distinct_id = any(${column(distinctIds)})
        order by distinct_id collate "C"`,
      );
      return rows.map((row) => ({ distinctId: row.distinct_id, ...propertiesOf(row) }));
    },

    async createPeople(projectId, distinctIds) {
      await execute(sql`
        insert into people (project_id, distinct_id)
        select ${projectId}, id from unnest(${column(distinctIds)}) as named(id) order by 2 on conflict do nothing`);
    },

    async remove(projectId, distinctIds) {
      for (const table of ['people', 'identities'])
        await execute(sql`
          delete from ${sql.identifier(table)}
          where project_id = ${projectId} and distinct_id = any(${column(distinctIds)})`);
    },

    async announce(projectId, distinctIds) {
      await execute(sql`
        insert into ${unpublishedPeople} (project_id, distinct_id)
        select ${projectId}, id from unnest(${column(distinctIds)}) as changed(id) order by 2
        on conflict (project_id, distinct_id) do update set revision = ${NEXT_REVISION}`);
    },
  };
}

function toIdentity(row: IdentityRow): StoredIdentity {
  const { claimed_at, claimed_by, decided_at, decided_to, decided_for, decided_by } = row;
  return {
    distinctId: row.distinct_id,
    isKnown: row.is_known,
    claim: claimed_at === null || claimed_by === null ? undefined : { at: claimed_at, by: claimed_by },
    isBeyondBound: row.is_beyond_bound,
    decision:
      decided_at === null || decided_for === null
        ? undefined
        : {
            at: decided_at,
            to: decided_to,
            named: decided_for,
            wasAlone: row.was_alone,
            sub: decided_by,
          },
    personId: row.person_id,
  };
}

const toFolded = (row: z.infer<typeof foldedRow>): StoredFolded => ({
  projectId: row.project_id,
  personId: row.person_id,
  ...propertiesOf(row),
});

const toPerson = (row: z.infer<typeof personRow>): StoredPersonOfIds => ({ ...toFolded(row), ids: row.ids });

function propertiesOf(row: Omit<z.infer<typeof propertiesRow>, 'distinct_id'>) {
  return {
    traits: toProperties(row.traits, row.trait_stamps),
    groups: toProperties(row.groups, row.group_stamps),
    seenOn: row.seen_on,
  };
}

function toJson({ values, stamps }: Properties) {
  return {
    values: JSON.stringify(Object.fromEntries(values)),
    stamps: JSON.stringify(Object.fromEntries(stamps)),
  };
}
