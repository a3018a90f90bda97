import { PEOPLE, type ReportContent, type StickinessQuery } from '@switchboard/contracts';
import { z } from 'zod';
import { calendarOf, spanOf } from '../calendar/calendar.ts';
import { sql } from '../engine/sql.ts';
import { bucketAt, selectEvents } from './events.ts';
import { DEFAULT_INTERVAL, differentNames, type QueryInputs } from './query.ts';

const activeRows = z.array(z.object({ active: z.number(), people: z.number() }));

/** Counts the people who were active in exactly 1, 2, ... intervals. */
export async function stickiness(query: StickinessQuery, inputs: QueryInputs): Promise<ReportContent> {
  const { interval = DEFAULT_INTERVAL, timezone = 'UTC', range, where = [] } = query;
  const span = spanOf(range, interval, timezone, inputs.now);
  const calendar = calendarOf({ span, interval, timeZone: timezone });
  const series: { name: string; values: number[] }[] = [];
  const names = differentNames(query.series.map(({ event, name = event }) => name));
  for (const [index, choice] of query.series.entries()) {
    const { relation, matches } = selectEvents(
      { source: inputs.source, names: [choice.event], where, instants: calendar },
      [choice],
    );
    const rows = await inputs.run(sql`
      select active::integer as active, count(*)::double as people
      from (select p, count(distinct ${bucketAt(inputs.source.dialect, calendar)}) as active from (${relation})
        where ${matches(choice)} group by p)
      group by active`);
    const people = new Map(activeRows.parse(rows).map((row) => [row.active, row.people]));
    const values = calendar.labels.map((_, at) => people.get(at + 1) ?? 0);
    series.push({ name: names[index] ?? choice.event, values });
  }
  return { kind: 'bar', unit: PEOPLE, buckets: calendar.labels.map((_, at) => String(at + 1)), series };
}
