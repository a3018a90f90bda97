import type { Db } from '@switchboard/database';
import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { foldedPerson } from '../schema/folded.ts';
import { groups, knownGroups, personIds, seenPeople } from '../schema/index.ts';
import { UnusableSql } from './query.ts';

/** Pages of rows, each a JSON object. */
export type RowPages = AsyncIterable<string[]>;

export interface SqlQueriesStore {
  /** Reads every person of a project: person_id, traits, groups, first_seen_at, last_seen_at. */
  people(projectId: string): RowPages;
  /** Reads every group of a project: type, id, traits, members, first_seen_at, last_seen_at. */
  groups(projectId: string): RowPages;
}

const PAGE_SIZE = 2_000;
/** Copying more people takes most of the time of a query. */
const MAX_COPIED = 1_000_000;

const personRows = z.array(z.object({ id: z.string(), row: z.string() }));
const groupRows = z.array(z.object({ type: z.string(), id: z.string(), row: z.string() }));

export function createSqlQueriesStore(db: Db): SqlQueriesStore {
  /** Returns an instant as RFC 3339, which other time zones of the database would change. */
  const time = (value: SQL) => sql`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

  return {
    async *people(projectId) {
      const own = sql`project_id = ${projectId}`;
      let after = '';
      for (;;) {
        const joined = sql`select distinct_id from ${personIds} where ${own} and person_id = named.id`;
        const found = await db.execute(sql`
          select named.id, json_build_object('person_id', named.id, 'traits', coalesce(known.traits, '{}'),
            'groups', coalesce(known.groups, '{}'), 'first_seen_at', ${time(sql`seen.first`)},
            'last_seen_at', ${time(sql`seen.last`)})::text as row
          from (select distinct_id as id from ${seenPeople} as seen where ${own} and distinct_id ~>~ ${after}::text
              and not exists (select from ${personIds} as own
                where own.project_id = ${projectId} and own.distinct_id = seen.distinct_id)
              order by distinct_id using ~<~ limit ${PAGE_SIZE}) as named
            cross join lateral (select min(first_seen_at) as first, max(last_seen_at) as last from ${seenPeople}
              where ${own} and distinct_id = any(array(select named.id union all (${joined})))) as seen
            left join lateral (${foldedPerson(sql`${projectId}`, sql`named.id`)}) as known on true
          order by named.id using ~<~`);
        const page = personRows.parse([...found]);
        yield page.map(({ row }) => row);
        const last = page.at(-1);
        if (last === undefined || page.length < PAGE_SIZE) return;
        after = last.id;
      }
    },

    async *groups(projectId) {
      let after = { type: '', id: '' };
      for (;;) {
        const found = await db.execute(sql`
          select known.type, known.id, json_build_object('type', known.type, 'id', known.id,
            'traits', coalesce(described.traits, '{}'), 'members', known.members,
            'first_seen_at', ${time(sql`known.first_seen_at`)},
            'last_seen_at', ${time(sql`known.last_seen_at`)})::text as row
          from (select * from ${knownGroups} where project_id = ${projectId}
              and (type, id) > (${after.type}, ${after.id}) order by type, id limit ${PAGE_SIZE}) as known
            left join ${groups} as described on described.project_id = known.project_id
              and described.type = known.type and described.id = known.id
          order by known.type, known.id`);
        const page = groupRows.parse([...found]);
        yield page.map(({ row }) => row);
        const last = page.at(-1);
        if (last === undefined || page.length < PAGE_SIZE) return;
        after = last;
      }
    },
  };
}

/** Reads pages for a query. Throws UnusableSql for too many rows. */
export async function* bounded(pages: RowPages, signal: AbortSignal): RowPages {
  let copied = 0;
  for await (const page of pages) {
    signal.throwIfAborted();
    copied += page.length;
    if (copied > MAX_COPIED)
      throw new UnusableSql(`more than ${MAX_COPIED} people or groups; query events alone`);
    yield page;
  }
}
