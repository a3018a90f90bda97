import type { Db } from '@switchboard/database';
import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { foldedPerson } from '../schema/folded.ts';
import { groups, people, personIds, seenPeople } from '../schema/index.ts';

/** The time by which a list is sorted, latest first. */
export type Sort = 'last_seen' | 'first_seen';

/** The position of a person in a list. */
export interface ListPlace {
  /** Milliseconds since 1970. */
  at: number;
  distinctId: string;
}

/** The part of a list to read. */
export interface Walk {
  sort: Sort;
  /** Starts after this place. */
  after: ListPlace | undefined;
  /** The number of rows to read. */
  limit: number;
  /** Reads only these ids. */
  among: readonly string[] | undefined;
  search: string | undefined;
  /** Milliseconds since 1970. */
  seenSince: number | undefined;
  seenBefore: number | undefined;
  /** Whether to read the traits of groups. */
  withGroups: boolean;
}

/** A person. Traits and groups are JSON as stored. */
export interface PersonInList {
  /** Every id of the person, the one that names the person first. */
  ids: readonly [string, ...string[]];
  /** Milliseconds since 1970. Null: not known. */
  firstSeenAt: number | null;
  lastSeenAt: number | null;
  traits: string;
  /** The traits of the person's groups, by type. */
  groups: string;
}

/** A row that was read: an id. */
export interface WalkedRow {
  place: ListPlace;
  /**
   * Undefined for a row that is not wanted: a person is wanted at one of their ids, if they fulfill the search and the
   * times.
   */
  person: PersonInList | undefined;
}

export interface PeopleListStore {
  /** Reads the next rows of a list, wanted or not. */
  walk(projectId: string, walk: Walk): Promise<WalkedRow[]>;
  /** Returns every id of the people that a search finds, or undefined if it finds more than `most`. */
  search(projectId: string, search: string, most: number): Promise<string[] | undefined>;
  /** Returns every id of the people of these ids. */
  idsOf(projectId: string, ids: readonly string[]): Promise<string[]>;
  /** Returns people, by the ids that name them, in this order. */
  find(projectId: string, personIds: readonly string[]): Promise<PersonInList[]>;
}

const personRow = z
  .object({
    person_id: z.string(),
    joined: z.array(z.string()).nullable(),
    first: z.number().nullable(),
    last: z.number().nullable(),
    traits: z.string().nullable(),
    groups: z.string().nullable(),
  })
  .transform(
    (row): PersonInList => ({
      ids: [row.person_id, ...(row.joined ?? [])],
      firstSeenAt: row.first,
      lastSeenAt: row.last,
      traits: row.traits ?? '{}',
      groups: row.groups ?? '{}',
    }),
  );
const placeRow = z.object({ distinct_id: z.string(), at: z.number(), is_wanted: z.boolean() });
const idRows = z.array(z.object({ distinct_id: z.string() }));

/** Sorts after every other character. */
const LAST_CHARACTER = '\u{10FFFF}';
const INDEXED_TRAITS = ['name', 'email'] as const;
type IndexedTrait = (typeof INDEXED_TRAITS)[number];
const COLUMNS: Record<Sort, SQL> = { last_seen: sql`last_seen_at`, first_seen: sql`first_seen_at` };

const instant = (time: number) => sql`${new Date(time).toISOString()}::timestamptz`;
const millis = (time: SQL) => sql`(extract(epoch from ${time}) * 1000)::float8`;
const column = (values: readonly string[]) => sql`${sql.param([...values])}::text[]`;
const beginsWith = (value: SQL, search: SQL) =>
  sql`(${value} ~>=~ ${search} and ${value} ~<~ (${search} || ${LAST_CHARACTER}::text))`;
/** The expressions that have indexes. */
const traitOf = (name: IndexedTrait) => sql`traits->>${sql.raw(`'${name}'`)}`;
const traitBeginsWith = (name: IndexedTrait, search: string) =>
  sql`(${traitOf(name)} is not null and ${beginsWith(sql`lower(left(${traitOf(name)}, 200))`, sql`lower(${search}::text)`)})`;

/**
 * Subqueries of one project. They read by keys where PostgreSQL may otherwise read all people for a join.
 */
function subqueries(projectId: string) {
  const own = sql`project_id = ${projectId}`;
  const joinedTo = (person: SQL) =>
    sql`select distinct_id from ${personIds} where ${own} and person_id = ${person} order by distinct_id collate "C"`;
  const idsOf = (person: SQL) => sql`any(array(select ${person} union all (${joinedTo(person)})))`;
  const folded = (person: SQL) => foldedPerson(sql`${projectId}`, person);
  return {
    own,
    personOf: (id: SQL) =>
      sql`coalesce((select person_id from ${personIds} where ${own} and distinct_id = ${id}), ${id})`,
    /** Returns a query of when the ids of a person were seen, and of the ids at which a list has the person. */
    seenOf: (person: SQL) => sql`
      select min(first_seen_at) as first_seen_at, max(last_seen_at) as last_seen_at,
        (array_agg(distinct_id order by last_seen_at desc, distinct_id desc))[1] as last_seen_id,
        (array_agg(distinct_id order by first_seen_at, distinct_id))[1] as first_seen_id
      from ${seenPeople} where ${own} and distinct_id = ${idsOf(person)}`,
    isFound: (person: SQL, search: string) => sql`(exists (
        select from ${seenPeople} where ${own} and distinct_id = ${idsOf(person)}
          and ${beginsWith(sql`distinct_id`, sql`${search}::text`)})
      or exists (select from ${people} where ${own} and distinct_id = ${idsOf(person)} and (${sql.join(
        INDEXED_TRAITS.map((name) => traitBeginsWith(name, search)),
        sql` or `,
      )})))`,
    /** Returns the columns of a row of a person, null unless `isWanted`. */
    columnsOf(person: SQL, seen: SQL, { isWanted, withGroups }: { isWanted: SQL; withGroups: boolean }) {
      const wanted = (value: SQL) => sql`case when ${isWanted} then ${value} end`;
      const ofGroups = sql`(select json_object_agg(membership.key, (
          select "group".traits from ${groups} as "group" where "group".project_id = ${projectId}
            and "group".type = membership.key and "group".id = membership.value))::text
        from (${folded(person)}) as known cross join json_each_text(known.groups) as membership)`;
      return sql`${person} as person_id, ${wanted(sql`array(${joinedTo(person)})`)} as joined,
        ${millis(sql`${seen}.first_seen_at`)} as first, ${millis(sql`${seen}.last_seen_at`)} as last,
        ${wanted(sql`(select known.traits::text from (${folded(person)}) as known)`)} as traits,
        ${withGroups ? wanted(ofGroups) : sql`null`} as groups`;
    },
  };
}

export function createPeopleListStore(db: Db): PeopleListStore {
  async function idsOf(projectId: string, ids: readonly string[]): Promise<string[]> {
    const { own, personOf } = subqueries(projectId);
    const found = await db.execute(sql`
      with persons as (select distinct ${personOf(sql`named.id`)} as id from unnest(${column(ids)}) as named(id))
      select id as distinct_id from persons
      union all select joined.distinct_id from persons, lateral (
        select distinct_id from ${personIds} where ${own} and person_id = persons.id) as joined`);
    return idRows.parse([...found]).map((row) => row.distinct_id);
  }

  return {
    idsOf,

    async walk(projectId, { sort, after, limit, among, search, seenSince, seenBefore, withGroups }) {
      const { own, personOf, seenOf, isFound, columnsOf } = subqueries(projectId);
      const time = COLUMNS[sort];
      const afterPlace =
        after === undefined
          ? sql`true`
          : sql`(${time}, distinct_id) < (${instant(after.at)}, ${after.distinctId})`;
      // With few ids, reads those alone.
      const source =
        among === undefined
          ? sql`${seenPeople}`
          : sql`unnest(${column(among)}) as named(id), lateral (
              select * from ${seenPeople} where ${own} and distinct_id = named.id limit 1) as one`;
      const isWanted = sql.join(
        [
          sql`ids.distinct_id = persons.${sql.raw(`${sort}_id`)}`,
          ...(seenSince === undefined ? [] : [sql`persons.last_seen_at >= ${instant(seenSince)}`]),
          ...(seenBefore === undefined ? [] : [sql`persons.last_seen_at < ${instant(seenBefore)}`]),
          ...(search === undefined ? [] : [isFound(sql`persons.id`, search)]),
        ],
        sql` and `,
      );
      // Reads the ids of a person once, also if many of them are on the page.
      const found = await db.execute(sql`
        with ids as materialized (
          select distinct_id, at, ${personOf(sql`page.distinct_id`)} as person_id
          from (select distinct_id, ${time} as at from ${source}
            where ${own} and ${afterPlace} order by ${time} desc, distinct_id desc limit ${limit}) as page
        ), persons as materialized (
          select person.id, seen.* from (select distinct person_id as id from ids) as person
            cross join lateral (${seenOf(sql`person.id`)}) as seen
        )
        select walked.distinct_id, ${millis(sql`walked.at`)} as at, is_wanted,
          ${columnsOf(sql`walked.person_id`, sql`walked`, { isWanted: sql`is_wanted`, withGroups })}
        from (
          select ids.distinct_id, ids.at, ids.person_id, persons.first_seen_at, persons.last_seen_at,
            (${isWanted}) as is_wanted
          from ids join persons on persons.id = ids.person_id
          offset 0) as walked
        order by walked.at desc, walked.distinct_id desc`);
      return found.map((row) => {
        const { at, distinct_id: distinctId, is_wanted } = placeRow.parse(row);
        return { place: { at, distinctId }, person: is_wanted ? personRow.parse(row) : undefined };
      });
    },

    async search(projectId, search, most) {
      const { own } = subqueries(projectId);
      const parts = [
        sql`(select distinct_id from ${seenPeople} where ${own}
          and ${beginsWith(sql`distinct_id`, sql`${search}::text`)} limit ${most + 1})`,
        ...INDEXED_TRAITS.map(
          (name) => sql`(select distinct_id from ${people} where ${own} and ${traitBeginsWith(name, search)}
            limit ${most + 1})`,
        ),
      ];
      const found = await db.execute(sql.join(parts, sql` union `));
      if (found.length > most) return undefined;
      return idsOf(
        projectId,
        idRows.parse([...found]).map((row) => row.distinct_id),
      );
    },

    async find(projectId, ids) {
      const { seenOf, columnsOf } = subqueries(projectId);
      const found = await db.execute(sql`
        select ${columnsOf(sql`named.id`, sql`seen`, { isWanted: sql`true`, withGroups: false })}
        from unnest(${column(ids)}) with ordinality as named(id, place)
          cross join lateral (${seenOf(sql`named.id`)}) as seen
        order by place`);
      return z.array(personRow).parse([...found]);
    },
  };
}
