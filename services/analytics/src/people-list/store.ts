import type { Db } from '@switchboard/database';
import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { groups, people, seenPeople } from '../schema/index.ts';

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

/** A row that was read. Traits and groups are JSON as stored. */
export interface WalkedPerson {
  distinctId: string;
  /** Milliseconds since 1970. */
  firstSeenAt: number;
  lastSeenAt: number;
  /** Whether the row fulfills the search and the times. If not, the traits are not read. */
  isWanted: boolean;
  traits: string;
  /** The traits of the person's groups, by type. */
  groups: string;
}

export interface PeopleListStore {
  /** Reads the next rows of a list, wanted or not. */
  walk(projectId: string, walk: Walk): Promise<WalkedPerson[]>;
  /** Returns the ids that a search finds, or undefined if there are more than `most`. */
  search(projectId: string, search: string, most: number): Promise<string[] | undefined>;
}

const rows = z.array(
  z.object({
    distinct_id: z.string(),
    first: z.number(),
    last: z.number(),
    is_wanted: z.boolean(),
    traits: z.string().nullable(),
    groups: z.string().nullable(),
  }),
);
const idRows = z.array(z.object({ distinct_id: z.string() }));

/** Sorts after every other character. */
const LAST_CHARACTER = '\u{10FFFF}';
const INDEXED_TRAITS = ['name', 'email'] as const;
const COLUMNS: Record<Sort, SQL> = { last_seen: sql`last_seen_at`, first_seen: sql`first_seen_at` };

const instant = (time: number) => sql`${new Date(time).toISOString()}::timestamptz`;
const beginsWith = (value: SQL, search: SQL) =>
  sql`(${value} ~>=~ ${search} and ${value} ~<~ (${search} || ${LAST_CHARACTER}::text))`;
/** The expressions that have indexes. */
const shownTrait = (name: (typeof INDEXED_TRAITS)[number]) => sql`traits->>${sql.raw(`'${name}'`)}`;
const traitBeginsWith = (name: (typeof INDEXED_TRAITS)[number], search: string) =>
  sql`${shownTrait(name)} is not null and ${beginsWith(sql`lower(left(${shownTrait(name)}, 200))`, sql`lower(${search}::text)`)}`;

export function createPeopleListStore(db: Db): PeopleListStore {
  return {
    async walk(projectId, { sort, after, limit, among, search, seenSince, seenBefore, withGroups }) {
      const column = COLUMNS[sort];
      const own = sql`project_id = ${projectId}`;
      const afterPlace =
        after === undefined
          ? sql`true`
          : sql`(${column}, distinct_id) < (${instant(after.at)}, ${after.distinctId})`;
      // With few ids, reads those alone.
      const source =
        among === undefined
          ? sql`${seenPeople}`
          : sql`unnest(${sql.param([...among])}::text[]) as named(id), lateral (
              select * from ${seenPeople} where ${own} and distinct_id = named.id limit 1) as one`;
      // Subqueries, because PostgreSQL may otherwise read all people of the project for a join.
      const ofPerson = (what: SQL) =>
        sql`(select ${what} from ${people} as person where person.project_id = ${projectId} and person.distinct_id = walked.distinct_id)`;
      const isFound =
        search === undefined
          ? sql`true`
          : sql`(${beginsWith(sql`distinct_id`, sql`${search}::text`)} or coalesce(${ofPerson(
              sql.join(
                INDEXED_TRAITS.map((name) => sql`(${traitBeginsWith(name, search)})`),
                sql` or `,
              ),
            )}, false))`;
      const isSeen = sql.join(
        [
          isFound,
          ...(seenSince === undefined ? [] : [sql`last_seen_at >= ${instant(seenSince)}`]),
          ...(seenBefore === undefined ? [] : [sql`last_seen_at < ${instant(seenBefore)}`]),
        ],
        sql` and `,
      );
      const groupsOf = withGroups
        ? ofPerson(sql`(select json_object_agg(membership.key, (
            select "group".traits from ${groups} as "group" where "group".project_id = ${projectId}
              and "group".type = membership.key and "group".id = membership.value))::text
            from json_each_text(person.groups) as membership)`)
        : sql`null`;
      const found = await db.execute(sql`
        select distinct_id, (extract(epoch from first_seen_at) * 1000)::float8 as first,
          (extract(epoch from last_seen_at) * 1000)::float8 as last, is_wanted,
          case when is_wanted then ${ofPerson(sql`person.traits::text`)} end as traits,
          case when is_wanted then ${groupsOf} end as groups
        from (select *, (${isSeen}) as is_wanted from (
          select distinct_id, first_seen_at, last_seen_at from ${source}
          where ${own} and ${afterPlace} order by ${column} desc, distinct_id desc limit ${limit}) as walked
          offset 0) as walked
        order by ${column} desc, distinct_id desc`);
      return rows.parse([...found]).map((row) => ({
        distinctId: row.distinct_id,
        firstSeenAt: row.first,
        lastSeenAt: row.last,
        isWanted: row.is_wanted,
        traits: row.traits ?? '{}',
        groups: row.groups ?? '{}',
      }));
    },

    async search(projectId, search, most) {
      const own = sql`project_id = ${projectId}`;
      const parts = [
        sql`(select distinct_id from ${seenPeople} where ${own} and ${beginsWith(sql`distinct_id`, sql`${search}::text`)}
          limit ${most + 1})`,
        ...INDEXED_TRAITS.map(
          (name) => sql`(select distinct_id from ${people} where ${own} and ${traitBeginsWith(name, search)}
            limit ${most + 1})`,
        ),
      ];
      const found = await db.execute(sql.join(parts, sql` union `));
      return found.length > most ? undefined : idRows.parse([...found]).map((row) => row.distinct_id);
    },
  };
}
