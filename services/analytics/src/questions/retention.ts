import type { InsightInterval, ReportContent, RetentionQuery } from '@switchboard/contracts';
import { z } from 'zod';
import { integer, sql } from '../engine/sql.ts';
import { calendarOf, spanOf, TooManyBuckets } from './calendar.ts';
import { isInSpan, selectEvents, withBuckets } from './events.ts';
import { type Asking, DEFAULT_INTERVAL, percentage } from './question.ts';

const MAX_ROWS = 120;

const PERIOD_NAMES: Record<InsightInterval, string> = {
  hour: 'Hour',
  day: 'Day',
  week: 'Week',
  month: 'Month',
};

const pairRows = z.array(z.object({ row: z.number(), period: z.number(), people: z.number() }));

/** Of the people who began in each interval, the part that came back n intervals later. */
export async function retention(question: RetentionQuery, asking: Asking): Promise<ReportContent> {
  const { interval = DEFAULT_INTERVAL, timezone = 'UTC', range, where = [], start, periods } = question;
  const { dialect } = asking.source;
  const { materialized } = dialect;
  const isFirst = question.mode !== 'every';
  const span = spanOf(range, interval, timezone, asking.now);
  const calendar = calendarOf({ span, interval, timeZone: timezone, after: periods - 1 });
  if (calendar.labels.length > MAX_ROWS) throw new TooManyBuckets(`more than ${MAX_ROWS} intervals`);
  const to = calendar.to + (calendar.ends.at(-1) ?? 0) - (calendar.ends[calendar.labels.length - 1] ?? 0);
  const { query, matches } = selectEvents(
    {
      source: asking.source,
      names: [start.event, question.return.event],
      where,
      to,
      // Somebody's first event of all time may be a long time ago.
      ...(isFirst ? {} : { from: calendar.from }),
    },
    [start, question.return],
  );
  const starts = isFirst
    ? sql`select p, b, t from (select p, argMin(b, t) as b, min(t) as t, argMin(u, t) as u from ev
        where ${matches(start)} group by p) where ${isInSpan(calendar)}`
    : sql`select p, b, min(t) as t from ev where ${matches(start)} and ${isInSpan(calendar)} group by p, b`;
  const rows = await asking.query(sql`
    with ev as ${materialized}(${withBuckets(dialect, query, calendar)}),
    starts as ${materialized}(${starts}),
    returns as (select p, b, max(t) as t from ev where ${matches(question.return)} and b >= 0 group by p, b)
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
        const isOver = (calendar.ends[row + period] ?? Number.POSITIVE_INFINITY) <= asking.asOf;
        return isOver && size > 0 ? percentage(countOf(row, period), size) : null;
      });
      return { name, size, values };
    }),
  };
}
