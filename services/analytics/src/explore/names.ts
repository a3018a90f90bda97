import { type PageRequest, toPage } from '@switchboard/http';
import { z } from 'zod';
import { integer, sql, TRUE, text } from '../engine/sql.ts';
import { jsonOf, type Result } from '../results/results.ts';
import { afterPlace, parsePlace, placeOf } from './by-count.ts';
import { type ExploreOptions, firstPossible, SINCE, startsOf } from './explore.ts';

interface NamesQuery extends PageRequest {
  /** RFC 3339. */
  since?: string | undefined;
}

interface NamesPage {
  since: string;
  eventNames: { name: string; count: number; lastSeenAt: string }[];
  nextCursor: string | null;
}

/** Lists a page of the names of a project's events, the most common first. Throws BadRequest and Unavailable. */
export type ListNames = (projectId: string, query: NamesQuery) => Promise<Result<NamesPage>>;

const DAYS = [90, 30, 7, 1];

const nameRows = z.array(z.object({ name: z.string(), count: z.number(), last: z.number() }));

export function createListNames({ queue, results, watermark, clock }: ExploreOptions): ListNames {
  return async (projectId, query) => {
    const { cursor, limit } = query;
    const after = cursor === undefined ? TRUE : afterPlace(parsePlace(cursor));
    const asOf = watermark.asOf();
    const starts = startsOf(query.since, DAYS, clock);
    const bounds = { signal: queue.deadline(), narrowing: SINCE };
    const find = (from: number) => queue.find({ projectId, names: undefined, from }, bounds);

    async function read(from: number): Promise<NamesPage> {
      const found = await queue.run(
        projectId,
        await find(from),
        ({ dialect, events }, run) =>
          run(sql`select * from (select event_name as name, count(*)::double as count,
              ${dialect.millisOf(sql`max(least(occurred_at, received_at))`)}::double as last
              from ${events} where project_id = ${text(projectId)} and occurred_at >= ${dialect.instant(from)}
              group by event_name) as counted
            where ${after} order by count desc, name limit ${integer(limit + 1)}`),
        bounds,
      );
      const { rows, nextCursor } = toPage(nameRows.parse(found), limit, placeOf);
      return {
        since: new Date(from).toISOString(),
        eventNames: rows.map(({ name, count, last }) => ({
          name,
          count,
          lastSeenAt: new Date(last).toISOString(),
        })),
        nextCursor,
      };
    }

    const { version } = await firstPossible(starts, find);
    return results.of(['names', projectId, query, starts, version], asOf, () =>
      firstPossible(starts, read).then(jsonOf),
    );
  };
}
