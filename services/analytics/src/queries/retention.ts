import {
  type EventChoice,
  PERIOD_NAMES,
  type ReportContent,
  type RetentionQuery,
} from '@switchboard/contracts';
import { z } from 'zod';
import { calendarOf, type Instants, spanOf, tooManyIntervals } from '../calendar/calendar.ts';
import { integer, type Sql, sql } from '../engine/sql.ts';
import { bucketAt, isWithin, selectEvents } from './events.ts';
import { DEFAULT_INTERVAL, percentage, type QueryInputs } from './query.ts';

const MAX_ROWS = 120;

const pairRows = z.array(z.object({ row: z.number(), period: z.number(), people: z.number() }));

/** Computes, for the people who began in each interval, the share that returned n intervals later. */
export async function retention(query: RetentionQuery, inputs: QueryInputs): Promise<ReportContent> {
  const { interval = DEFAULT_INTERVAL, timezone = 'UTC', range, where = [], start, periods } = query;
  const { dialect } = inputs.source;
  const { materialized } = dialect;
  const isFirst = query.mode !== 'every';
  const span = spanOf(range, interval, timezone, inputs.now);
  const calendar = calendarOf({ span, interval, timeZone: timezone, after: periods - 1 });
  if (calendar.labels.length > MAX_ROWS) throw tooManyIntervals(MAX_ROWS);
  // One event name each, because the events of a name are together in a file.
  const chosen = (choice: EventChoice, instants: Partial<Instants>): Sql => {
    const { relation, matches } = selectEvents(
      { source: inputs.source, names: [choice.event], where, instants },
      [choice],
    );
    return sql`select p, t from (${relation}) as ev where ${matches(choice)}`;
  };
  const bucket = bucketAt(dialect, calendar);
  // The first event of a person may be long ago.
  const starts = isFirst
    ? sql`select p, ${bucket} as b, t from (select p, min(t) as t from (${chosen(start, { to: calendar.to })}) as known
        group by p) as earliest where ${isWithin(calendar)}`
    : sql`select p, b, min(t) as t from (select p, ${bucket} as b, t from (${chosen(start, calendar)}) as known)
        as placed group by p, b`;
  const rows = await inputs.run(sql`
    with starts as ${materialized}(${starts}),
    returns as (select p, b, max(t) as t from (select p, ${bucket} as b, t
      from (${chosen(query.return, calendar.around)}) as known) as placed group by p, b)
    select b::integer as row, -1 as period, count(*)::double as people from starts group by all
    union all
    select s.b::integer, (r.b - s.b)::integer, count(*)::double
    from starts as s join returns as r on r.p = s.p
    where r.b >= s.b and r.b < s.b + ${integer(periods)} and (r.b > s.b or r.t >= s.t)
    group by all`);
  const people = new Map(pairRows.parse(rows).map((one) => [`${one.row} ${one.period}`, one.people]));
  const countOf = (row: number, period: number) => people.get(`${row} ${period}`) ?? 0;
  return {
    kind: 'grid',
    unit: '%',
    interval,
    periods: Array.from({ length: periods }, (_, period) => `${PERIOD_NAMES[interval]} ${period}`),
    rows: calendar.labels.map((name, row) => {
      const size = countOf(row, -1);
      const values = Array.from({ length: periods }, (_, period) => {
        const isOver = (calendar.ends[row + period] ?? Number.POSITIVE_INFINITY) <= inputs.asOf;
        return isOver && size > 0 ? percentage(countOf(row, period), size) : null;
      });
      return { name, size, values };
    }),
  };
}
