import {
  BREAKDOWN_LIMIT,
  type EventChoice,
  type InsightBreakdown,
  PERIOD_NAMES,
  type ReportContent,
  type RetentionQuery,
  roundedAmount,
} from '@switchboard/contracts';
import { z } from 'zod';
import { type Calendar, calendarOf, type Instants, spanOf, tooManyIntervals } from '../calendar/calendar.ts';
import type { Dialect } from '../engine/dialect.ts';
import { integer, type Sql, sql, TRUE, text, whole } from '../engine/sql.ts';
import { createReturns, returnCounts } from '../passes/returns.ts';
import { markedLabelIn, NO_VALUE, NONE, OTHER, type Part, partOf, readFor } from '../selection/breakdown.ts';
import { bucketAt, isWithin, type Source, selectEvents } from '../selection/events.ts';
import { breakdownName, differentNames } from '../selection/names.ts';
import { timelinesOf } from '../selection/timelines.ts';
import { sum } from '../trends/values.ts';
import { numberIn, type Point, placeIn } from './point.ts';
import { DEFAULT_INTERVAL, percentage, type QueryInputs } from './query.ts';

const MAX_ROWS = 120;

const pairRows = z.array(
  z.object({
    /** The place of the label of the start event, REST or WITHOUT. 0 without a breakdown. */
    line: z.number(),
    label: z.string().nullable(),
    row: z.number(),
    period: z.number(),
    /** People, or the sum of a property. */
    total: sum,
  }),
);
const REST = -1;
const WITHOUT = 0;

/** Whether a return counts in its interval and in all before. The latest return of a person is enough then. */
const isRolling = ({ retained }: RetentionQuery) => retained === 'on_or_after';

/** Whether a person begins in the interval of the first event ever, instead of in each interval with one. */
const isOfFirst = ({ mode }: RetentionQuery) => mode !== 'every';

/** Returns the intervals of the rows. */
function calendarFor(query: RetentionQuery, now: number): Calendar {
  const { interval = DEFAULT_INTERVAL, timezone: timeZone = 'UTC', range, periods } = query;
  const span = spanOf(range, interval, timeZone, now);
  const calendar = calendarOf({ span, interval, timeZone, after: periods - 1 });
  if (calendar.labels.length > MAX_ROWS) throw tooManyIntervals(MAX_ROWS);
  return calendar;
}

/**
 * Returns the tables `starts` and `returns` of people, buckets, times and lines. A weighted query also has `started` and
 * `returned`, the events with their weights.
 */
function tablesOf(query: RetentionQuery, calendar: Calendar, source: Source): Sql {
  const { where = [], start, weight } = query;
  const { dialect } = source;
  const { materialized } = dialect;
  const isFirst = isOfFirst(query);
  // One event name each, because the events of a name are together in a file.
  const chosen = (choice: EventChoice, instants: Partial<Instants>, by?: InsightBreakdown): Sql => {
    const selected = selectEvents({ source, names: [choice.event], where, instants }, [choice], readFor(by));
    const label = by === undefined ? sql`` : sql`, ${markedLabelIn(by, selected, dialect)} as label`;
    return sql`select p, t${label} from (${selected.relation}) as ev where ${selected.matches(choice)}`;
  };
  const bucket = bucketAt(dialect, calendar);
  const weighed = (choice: EventChoice, instants: Instants, property: string): Sql => {
    const selected = selectEvents({ source, names: [choice.event], where, instants }, [choice], {
      attributes: [property],
    });
    return sql`select p, t, ${bucket} as b, ${dialect.numericOf(selected.attribute(property))} as x
      from (${selected.relation}) as ev where ${selected.matches(choice)}`;
  };
  // The first event of a person may be long ago.
  const instants = isFirst ? { to: calendar.to } : calendar;
  const known = chosen(start, instants, query.breakdown);
  const groups = isFirst ? sql`p` : sql`p, b`;
  const events = isFirst ? known : sql`select *, ${bucket} as b from (${known}) as placed`;
  const first =
    query.breakdown === undefined
      ? sql`select ${groups}, min(t) as t from (${events}) as known group by ${groups}`
      : sql`select ${groups}, ${dialect.valueOf(sql`edge`, 0)} as t, ${dialect.valueOf(sql`edge`, 1)} as label
          from (select ${groups}, min(${dialect.rowIf(TRUE, [sql`t`, sql`label`])}) as edge
            from (${events}) as known group by ${groups}) as edges`;
  const starts = isFirst
    ? sql`select *, ${bucket} as b from (${first}) as earliest where ${isWithin(calendar)}`
    : first;
  const returns = isRolling(query)
    ? sql`select p, ${bucket} as b, t from (select p, least(max(t), ${integer(calendar.around.to - 1)}) as t
        from (${chosen(query.return, { from: calendar.from })}) as known group by p) as latest`
    : sql`select p, b, max(t) as t from (select p, ${bucket} as b, t
        from (${chosen(query.return, calendar.around)}) as known) as placed group by p, b`;
  const tables = sql`
    with begun as ${materialized}(${starts}),
    ${linesIn(query.breakdown)},
    returns as (${returns})`;
  if (weight === undefined) return tables;
  const weights = sql`,
    started as (${weighed(start, calendar, weight)}),
    returned as ${materialized}(${weighed(query.return, calendar.around, weight)})`;
  return sql`${tables}${weights}`;
}

/** Returns the table `starts`: the rows of `begun` with their lines. The labels of most people have their own. */
function linesIn(breakdown: InsightBreakdown | undefined): Sql {
  if (breakdown === undefined)
    return sql`starts as (select *, ${whole(WITHOUT)} as line, '' as shown from begun)`;
  const hasLabel = sql`label <> ${text(NO_VALUE)}`;
  return sql`own as (select shown, place from (select shown, row_number() over (order by n desc, shown)::integer as place
        from (select label as shown, count(*) as n from begun where ${hasLabel} group by label) as sized) as ranked
      where place <= ${integer(breakdown.limit ?? BREAKDOWN_LIMIT)}),
    starts as (select begun.*, shown,
      case when not ${hasLabel} then ${whole(WITHOUT)} else coalesce(place, ${whole(REST)}) end::integer as line
      from begun left join own on shown = label)`;
}

/** The pairs of a start and a return in the same interval or later, for use in a query with `tables`. */
const PAIRS = sql`starts as s join returns as r on r.p = s.p where (r.b > s.b or (r.b = s.b and r.t >= s.t))`;

/** The people who began in each interval, and those who returned n intervals later, or their weights, by line. */
interface Counts {
  calendar: Calendar;
  /** The lines with people in order. */
  lines: { line: number; part: Part }[];
  /** Period -1 has everyone who began. Not finite for a sum beyond a double. */
  of(line: number, row: number, period: number): number;
}

/** Returns a query of `pairRows`. */
function pairsOf(query: RetentionQuery, tables: Sql, { accurateSum }: Dialect): Sql {
  const last = sql`s.b + ${integer(query.periods - 1)}`;
  if (query.weight === undefined) {
    const isShown = isRolling(query) ? TRUE : sql`r.b <= ${last}`;
    return sql`${tables}
      select line::integer as line, any_value(shown) as label, b::integer as row, -1 as period, count(*)::double as total
      from starts group by line, b
      union all
      select s.line::integer, '', s.b::integer, (least(r.b, ${last}) - s.b)::integer as period, count(*)::double
      from ${PAIRS} and ${isShown}
      group by s.line, s.b, period`;
  }
  const total = accurateSum(sql`x`);
  return sql`${tables}
    select line::integer as line, any_value(shown) as label, s.b::integer as row, -1 as period, ${total} as total
    from starts as s join started as r on r.p = s.p and r.b = s.b group by line, s.b
    union all
    select line::integer, '', s.b::integer, 0, ${total}
    from starts as s join returned as r on r.p = s.p and r.b = s.b where r.t >= s.t group by line, s.b
    union all
    select line::integer, '', s.b::integer, (r.b - s.b)::integer as period, ${total}
    from starts as s join (select p, b, ${total} as x from returned group by p, b) as r on r.p = s.p
    where r.b > s.b and r.b <= ${last}
    group by line, s.b, period`;
}

async function pairsIn(query: RetentionQuery, calendar: Calendar, { source, run }: QueryInputs) {
  const tables = tablesOf(query, calendar, source);
  return pairRows.parse(await run(pairsOf(query, tables, source.dialect)));
}

/** Counts pairs in the events by person that are kept. Undefined if there are none, or if the query reads more. */
async function keptPairs(query: RetentionQuery, calendar: Calendar, source: Source) {
  const { start, return: returning, periods, where = [], weight, breakdown } = query;
  if (weight !== undefined || breakdown !== undefined) return undefined;
  const chosen = [start, returning].map((choice) => timelinesOf(source, where, choice.event, [choice]));
  const rules = { isFirst: isOfFirst(query), isRolling: isRolling(query) };
  const counts = await source.countPeople?.(chosen, createReturns({ calendar, periods, ...rules }));
  return counts && returnCounts(counts).map((one) => ({ ...one, line: WITHOUT, label: '' }));
}

async function countsOf(query: RetentionQuery, inputs: QueryInputs): Promise<Counts> {
  const { breakdown, periods } = query;
  const calendar = calendarFor(query, inputs.now);
  const rows = (await keptPairs(query, calendar, inputs.source)) ?? (await pairsIn(query, calendar, inputs));
  const totals = new Map(rows.map((one) => [`${one.line} ${one.row} ${one.period}`, one.total]));
  const of = (line: number, row: number, period: number) => totals.get(`${line} ${row} ${period}`) ?? 0;
  const fromThen = (line: number, row: number, period: number): number =>
    Array.from({ length: periods - period }, (_, later) => of(line, row, period + later)).reduce(
      (sum, one) => sum + one,
      0,
    );
  const labels = new Map(
    rows.flatMap(({ line, label, period }) => (period === -1 ? [[line, label ?? '']] : [])),
  );
  const partAt = (line: number) => {
    if (breakdown === undefined || line === WITHOUT) return NONE;
    return line === REST ? OTHER : partOf(breakdown, (labels.get(line) ?? '').slice(1));
  };
  const order = (line: number) => (line > 0 ? line : Number.MAX_SAFE_INTEGER + line - 1);
  const lines = [...labels.keys()].sort((one, other) => order(one) - order(other));
  return {
    calendar,
    lines: (lines.length === 0 ? [WITHOUT] : lines).map((line) => ({ line, part: partAt(line) })),
    of: (line, row, period) =>
      isRolling(query) && period >= 0 ? fromThen(line, row, period) : of(line, row, period),
  };
}

/**
 * Computes, for the people who began in each interval or with each value, the share that returned n intervals later, or
 * the weight of their returns.
 */
export async function retention(query: RetentionQuery, inputs: QueryInputs): Promise<ReportContent> {
  const { interval = DEFAULT_INTERVAL, breakdown } = query;
  const counts = await countsOf(query, inputs);
  const periods = Array.from({ length: query.periods }, (_, period) => period);
  const { labels, ends } = counts.calendar;
  const isOver = (row: number, period: number) =>
    (ends[row + period] ?? Number.POSITIVE_INFINITY) <= inputs.asOf;
  /** The row of some intervals. */
  const rowOf = (name: string, line: number, of: readonly number[]) => {
    const total = (some: readonly number[], period: number) =>
      some.reduce((all, row) => all + counts.of(line, row, period), 0);
    const values = periods.map((period) => {
      const over = of.filter((row) => isOver(row, period));
      const size = total(over, -1);
      const share = percentage(total(over, period), size);
      return size > 0 && Number.isFinite(share) ? share : null;
    });
    return { name, size: sizeOf(total(of, -1)), values };
  };
  const common = {
    kind: 'grid' as const,
    unit: '%',
    interval,
    periods: periods.map((period) => `${PERIOD_NAMES[interval]} ${period}`),
  };
  if (breakdown === undefined) {
    return { ...common, rows: labels.map((name, row) => rowOf(name, WITHOUT, [row])) };
  }
  const names = namesOf(counts);
  const rows = counts.lines.map(({ line, part: { builtIn, name } }, index) => ({
    ...rowOf(names[index] ?? name, line, [...labels.keys()]),
    ...(builtIn === undefined ? {} : { builtIn }),
  }));
  return { ...common, breakdown: breakdownName(breakdown), rows };
}

/** Returns the size of a row. Weights may be negative or too large. */
const sizeOf = (total: number) => (Number.isFinite(total) ? Math.max(0, roundedAmount(total)) : 0);

const namesOf = ({ lines }: Counts) => differentNames(lines.map(({ part }) => part.name));

/**
 * Returns a query of the people who began in an interval or with a value, or of those of them who count as returned
 * in a later interval.
 */
export async function retentionPeople(
  query: RetentionQuery,
  point: Point,
  inputs: QueryInputs,
): Promise<Sql> {
  // People are the same without their weights.
  const calendar = calendarFor(query, inputs.now);
  const tables = tablesOf({ ...query, weight: undefined }, calendar, inputs.source);
  const isOfRow = await rowAt(query, point, calendar, inputs);
  if (point.period == null) return sql`${tables} select distinct s.p as p from starts as s where ${isOfRow}`;
  const period = integer(numberIn(point.period, 0, query.periods - 1, 'period'));
  const compared = isRolling(query) ? sql`>=` : sql`=`;
  return sql`${tables} select distinct s.p as p from ${PAIRS} and ${isOfRow} and r.b ${compared} s.b + ${period}`;
}

/** Returns whether a start `s` belongs to the row that a point names. */
async function rowAt(
  query: RetentionQuery,
  point: Point,
  calendar: Calendar,
  inputs: QueryInputs,
): Promise<Sql> {
  if (query.breakdown === undefined) {
    return sql`s.b = ${integer(placeIn(calendar.labels, point.cohortBucket, 'cohortBucket'))}`;
  }
  const counts = await countsOf(query, inputs);
  const place = placeIn(namesOf(counts), point.breakdown?.[0], 'breakdown[0]');
  return sql`s.line = ${integer(counts.lines[place]?.line ?? WITHOUT)}`;
}
