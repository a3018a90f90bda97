import type { Db } from '@switchboard/database';
import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { groupMembers, groups, knownGroups } from '../schema/index.ts';

/** The order of a list: latest or most members first. */
export type GroupSort = 'last_seen' | 'members';

/** The position of a group in a list. */
export interface GroupPlace {
  /** Milliseconds since 1970, or the number of members. */
  rank: number;
  type: string;
  id: string;
}

/** A group. Traits are JSON as stored. */
export interface GroupInList {
  type: string;
  id: string;
  traits: string;
  members: number;
  /** Milliseconds since 1970. */
  firstSeenAt: number;
  lastSeenAt: number;
}

/** The part of a list to read. */
export interface GroupWalk {
  sort: GroupSort;
  type: string | undefined;
  search: string | undefined;
  /** Starts after this place. */
  after: GroupPlace | undefined;
  limit: number;
}

export interface GroupsStore {
  /** Reads the next groups of a list. */
  list(projectId: string, walk: GroupWalk): Promise<GroupInList[]>;
  find(projectId: string, type: string, id: string): Promise<GroupInList | undefined>;
  /** Returns the ids that name the next members of a group, sorted, after this one. */
  members(
    projectId: string,
    group: { type: string; id: string },
    after: string,
    limit: number,
  ): Promise<string[]>;
}

/** A search that finds more groups than this reads them in the order of the list. */
const MAX_FOUND = 10_000;
/** Sorts after every other character. */
const LAST_CHARACTER = '\u{10FFFF}';
const beginsWith = (value: SQL, search: SQL) =>
  sql`(${value} ~>=~ ${search} and ${value} ~<~ (${search} || ${LAST_CHARACTER}::text))`;
const hasId = (search: string) => beginsWith(sql`id`, sql`${search}::text`);
/** The expression that has an index. */
const hasName = (search: string) =>
  sql`(traits->>'name' is not null
    and ${beginsWith(sql`lower(left(traits->>'name', 200))`, sql`lower(${search}::text)`)})`;

const millis = (time: SQL) => sql`(extract(epoch from ${time}) * 1000)::float8`;
const RANKS: Record<GroupSort, (rank: number) => SQL> = {
  last_seen: (rank) => sql`${new Date(rank).toISOString()}::timestamptz`,
  members: (rank) => sql`${rank}::int`,
};
const COLUMNS: Record<GroupSort, SQL> = { last_seen: sql`last_seen_at`, members: sql`members` };

const groupRows = z.array(
  z
    .object({
      type: z.string(),
      id: z.string(),
      traits: z.string(),
      members: z.number(),
      first: z.number(),
      last: z.number(),
    })
    .transform(({ first, last, ...row }): GroupInList => ({ ...row, firstSeenAt: first, lastSeenAt: last })),
);
const keyRows = z.array(z.object({ type: z.string(), id: z.string() }));
const memberRows = z.array(z.object({ person_id: z.string() }));

export function createGroupsStore(db: Db): GroupsStore {
  /** Returns the rows of `walked`, with their traits. */
  async function read(projectId: string, walked: SQL, order: SQL): Promise<GroupInList[]> {
    const rows = await db.execute(sql`
      select type, id, members, ${millis(sql`first_seen_at`)} as first, ${millis(sql`last_seen_at`)} as last,
        coalesce((select traits::text from ${groups} as described where described.project_id = ${projectId}
          and described.type = walked.type and described.id = walked.id), '{}') as traits
      from (${walked}) as walked ${order}`);
    return groupRows.parse([...rows]);
  }

  /** Returns the groups that a search finds, or undefined if there are too many. */
  async function search(projectId: string, search: string) {
    const found = await db.execute(sql`
      (select type, id from ${knownGroups} where project_id = ${projectId} and ${hasId(search)}
        limit ${MAX_FOUND + 1})
      union
      (select type, id from ${groups} where project_id = ${projectId} and ${hasName(search)}
        limit ${MAX_FOUND + 1})`);
    return found.length > MAX_FOUND ? undefined : keyRows.parse([...found]);
  }

  return {
    async list(projectId, { sort, type, search: text, after, limit }) {
      const rank = COLUMNS[sort];
      const found = text === undefined ? undefined : await search(projectId, text);
      const column = (values: readonly string[]) => sql`${sql.param([...values])}::text[]`;
      // With few groups, reads those alone.
      const source =
        found === undefined
          ? sql`${knownGroups} as known`
          : sql`unnest(${column(found.map((one) => one.type))}, ${column(found.map(({ id }) => id))})
              as named(named_type, named_id), lateral (
              select * from ${knownGroups} where project_id = ${projectId} and type = named.named_type
                and id = named.named_id limit 1) as known`;
      const conditions = [
        sql`project_id = ${projectId}`,
        ...(type === undefined ? [] : [sql`type = ${type}`]),
        ...(after === undefined
          ? []
          : [sql`(${rank}, type, id) < (${RANKS[sort](after.rank)}, ${after.type}, ${after.id})`]),
        ...(text !== undefined && found === undefined
          ? [
              sql`(${hasId(text)} or exists (select from ${groups} as described
                where described.project_id = ${projectId} and described.type = known.type
                  and described.id = known.id and ${hasName(text)}))`,
            ]
          : []),
      ];
      const order = sql`order by ${rank} desc, type desc, id desc`;
      const walked = sql`select type, id, members, first_seen_at, last_seen_at from ${source}
        where ${sql.join(conditions, sql` and `)} ${order} limit ${limit}`;
      return read(projectId, walked, order);
    },

    async find(projectId, type, id) {
      const [row] = await read(
        projectId,
        sql`select * from ${knownGroups} where project_id = ${projectId} and type = ${type} and id = ${id}`,
        sql``,
      );
      return row;
    },

    async members(projectId, { type, id }, after, limit) {
      const rows = await db.execute(sql`
        select person_id from ${groupMembers} where project_id = ${projectId} and type = ${type} and id = ${id}
          and person_id > ${after} order by person_id limit ${limit}`);
      return memberRows.parse([...rows]).map((row) => row.person_id);
    },
  };
}
