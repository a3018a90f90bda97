import {
  type EventChoice,
  PERIOD_NAMES,
  type ReportContent,
  type RetentionQuery,
} from '@switchboard/contracts';
import { z } from 'zod';
import { type Calendar, calendarOf, type Instants, spanOf, tooManyIntervals } from '../calendar/calendar.ts';
import { integer, type Sql, sql } from '../engine/sql.ts';
import { bucketAt, isWithin, selectEvents } from './events.ts';
import { numberIn, type Point, placeIn } from './point.ts';
import { DEFAULT_INTERVAL, percentage, type QueryInputs } from './query.ts';

const MAX_ROWS = 120;

const pairRows = z.array(z.object({ row: z.number(), period: z.number(), people: z.number() }));

/** Returns the rows of a query, and its tables `starts` and `returns` of people, buckets and times. */
function tablesOf(query: RetentionQuery, inputs: QueryInputs): { calendar: Calendar; tables: Sql } {
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
  const tables = sql`
    with starts as ${materialized}(${starts}),
    returns as (select p, b, max(t) as t from (select p, ${bucket} as b, t
      from (${chosen(query.return, calendar.around)}) as known) as placed group by p, b)`;
  return { calendar, tables };
}

/** The pairs of a start and a return in the same interval or later, for use in a query with `tables`. */
const PAIRS = sql`starts as s join returns as r on r.p = s.p where (r.b > s.b or (r.b = s.b and r.t >= s.t))`;

/** Computes, for the people who began in each interval, the share that returned n intervals later. */
export async function retention(query: RetentionQuery, inputs: QueryInputs): Promise<ReportContent> {
  const { interval = DEFAULT_INTERVAL, periods } = query;
  const { calendar, tables } = tablesOf(query, inputs);
  const rows = await inputs.run(sql`${tables}
    select b::integer as row, -1 as period, count(*)::double as people from starts group by all
    union all
    select s.b::integer, (r.b - s.b)::integer, count(*)::double
    from ${PAIRS} and r.b < s.b + ${integer(periods)}
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

/**
 * Returns a query of the people who began in an interval, or of those of them who returned in a later one.
 */
export function retentionPeople(query: RetentionQuery, point: Point, inputs: QueryInputs): Sql {
  const { calendar, tables } = tablesOf(query, inputs);
  const row = integer(placeIn(calendar.labels, point.cohortBucket, 'cohortBucket'));
  if (point.period == null) return sql`${tables} select p from starts where b = ${row}`;
  const period = integer(numberIn(point.period, 0, query.periods - 1, 'period'));
  return sql`${tables} select s.p as p from ${PAIRS} and s.b = ${row} and r.b = s.b + ${period}`;
}
