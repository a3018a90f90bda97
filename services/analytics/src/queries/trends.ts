import {
  addsUp,
  type BuiltInName,
  type Formula,
  isOfProperty,
  type Measure,
  parseFormula,
  type ReportContent,
  roundedAmount,
  type TrendsQuery,
} from '@switchboard/contracts';
import { type Calendar, calendarOf, spanOf, undivided } from '../calendar/calendar.ts';
import { comparedOf, type Previous, undividedPrevious } from '../calendar/previous.ts';
import { UnusableQuery } from '../conditions/clauses.ts';
import type { Dialect } from '../engine/dialect.ts';
import { integer, type Sql, sql, TRUE, text, texts } from '../engine/sql.ts';
import { NONE, OTHER, type Part } from '../selection/breakdown.ts';
import { bucketAt } from '../selection/events.ts';
import { breakdownName, differentNames } from '../selection/names.ts';
import { nameOf, type Series, unitOf } from '../trends/measures.ts';
import { selectionOf } from '../trends/rows.ts';
import { type Found, findValues, partsOf, runningOf, totalOf, type Values } from '../trends/values.ts';
import { type Point, placeIn, seriesAt } from './point.ts';
import { DEFAULT_INTERVAL, type QueryInputs } from './query.ts';

/** The values of a line. */
interface LineValues {
  values: Values;
  previous?: Values;
  /** Set where `previous` omits part of the previous period, or the sum exceeds a double. */
  previousTotal?: number | null;
  /** Absent for the sum of the values. Null where they do not add up, or their sum exceeds a double. */
  total?: number | null;
}

/** The events of a series, or those of one line of its breakdown. */
interface Line extends LineValues {
  name: string;
  builtIn?: BuiltInName;
  /** Absent for the whole series. */
  part: Part | undefined;
  series: Series;
}

export async function trends(query: TrendsQuery, inputs: QueryInputs): Promise<ReportContent> {
  const { interval = DEFAULT_INTERVAL, breakdown, formula, goal, display } = query;
  const parsed = formula === undefined ? undefined : parseFormula(formula);
  const context = contextOf(query, inputs);
  const { labels: buckets } = context.calendar;
  const common = {
    kind: 'line' as const,
    ...(display === 'map' ? {} : { interval }),
    ...(breakdown === undefined ? {} : { breakdown: breakdownName(breakdown) }),
    ...(goal === undefined ? {} : { goal }),
    ...(display === undefined ? {} : { display }),
  };
  if (formula !== undefined && parsed !== undefined) {
    const series = await linesOfFormula(formula, parsed, context);
    return { ...common, buckets, series };
  }
  const hasUnits = new Set(query.series.map(unitOf)).size > 1;
  const lines = await namedLines(context);
  return {
    ...common,
    // Parts of two series are not parts of one total.
    ...(breakdown === undefined || query.series.length === 1 ? {} : { total: null }),
    buckets,
    series: lines.map(({ series, part: _, ...line }) => ({
      ...line,
      ...(hasUnits ? { unit: unitOf(series) } : {}),
    })),
  };
}

interface Context {
  query: TrendsQuery;
  inputs: QueryInputs;
  calendar: Calendar;
  before: Previous | undefined;
}

function contextOf(query: TrendsQuery, inputs: QueryInputs): Context {
  const { interval = DEFAULT_INTERVAL, timezone: timeZone = 'UTC', range, compare, display } = query;
  const calendar = calendarOf({ span: spanOf(range, interval, timeZone, inputs.now), interval, timeZone });
  const before =
    compare === undefined ? undefined : comparedOf(compare, { range, interval, timeZone, calendar });
  return display === 'map'
    ? { query, inputs, calendar: undivided(calendar), before: before && undividedPrevious(before) }
    : { query, inputs, calendar, before };
}

/** The values of a series, and those of the previous period. */
interface FoundLines {
  now: Found;
  then: Found | undefined;
}

async function find(
  series: Series,
  { query, inputs, calendar, before }: Context,
  shown?: readonly string[],
): Promise<FoundLines> {
  const now = await findValues(query, series, inputs, calendar, shown);
  const then = before && (await findValues(query, series, inputs, before.calendar, now.shown));
  return { now, then };
}

const foundIn = ({ now, then }: FoundLines) => (then === undefined ? [now] : [now, then]);

/** Returns the lines that a formula computes from those of each series: one, or one for each line of a breakdown. */
async function linesOfFormula(formula: string, parsed: Formula, context: Context) {
  const { query } = context;
  const found: FoundLines[] = [];
  for (const series of query.series) found.push(await find(series, context, found[0]?.now.shown));
  const computed = (each: readonly (Values | undefined)[]): Values =>
    (each[0] ?? []).map((_, bucket) => {
      const value = parsed.of(each.map((values) => values?.[bucket] ?? null));
      return value === null ? null : roundedAmount(value);
    });
  const parts = orWhole(partsOf(query, found.flatMap(foundIn)));
  const names = differentNames(parts.map((part) => part?.name ?? formula));
  return parts.map((part, index) => {
    const lines = query.series.map((series, at) => valuesOf(part, series, found[at], context));
    return {
      ...builtInOf(part),
      name: names[index] ?? formula,
      values: computed(lines.map(({ values }) => values)),
      ...(context.before === undefined ? {} : { previous: computed(lines.map(({ previous }) => previous)) }),
      total: null,
    };
  });
}

/** The whole series, if a breakdown has no lines. */
const orWhole = (parts: readonly Part[]): (Part | undefined)[] =>
  parts.length === 0 ? [undefined] : [...parts];

const builtInOf = (part: Part | undefined) => (part?.builtIn === undefined ? {} : { builtIn: part.builtIn });

/** Returns the lines of all series, with different names. */
async function namedLines(context: Context): Promise<Line[]> {
  const { query } = context;
  const lines: Line[] = [];
  for (const series of query.series) {
    const name = nameOf(series, query.series);
    const found = await find(series, context);
    for (const part of orWhole(partsOf(query, foundIn(found)))) {
      lines.push({
        ...builtInOf(part),
        ...valuesOf(part, series, found, context),
        part,
        series,
        name: part === undefined ? name : query.series.length > 1 ? `${name}: ${part.name}` : part.name,
      });
    }
  }
  const names = differentNames(lines.map(({ name }) => name));
  return lines.map((line, index) => ({ ...line, name: names[index] ?? line.name }));
}

function valuesOf(
  part: Part | undefined,
  { measure = 'events' }: Series,
  found: FoundLines | undefined,
  { query, before }: Context,
): LineValues {
  const values = found?.now.of(part) ?? [];
  const total = addsUp(measure) ? totalOf(values) : null;
  return {
    values: runningOf(values, query.running),
    ...(found?.then && before ? comparison(found.then.of(part), before, query, measure) : {}),
    // The sum of the values, unless they are running ones.
    ...(total !== null && query.running === undefined ? {} : { total }),
  };
}

function comparison(
  values: Values,
  { places, isComplete }: Previous,
  { running }: TrendsQuery,
  measure: Measure,
) {
  const total = totalOf(values);
  const shown = runningOf(values, running);
  const isSum = isComplete && total !== null && running === undefined;
  return {
    previous: places.map((place) => (place === undefined ? null : (shown[place] ?? null))),
    ...(isSum || !addsUp(measure) ? {} : { previousTotal: total }),
  };
}

/** Returns a query of the people with an event behind a value of a result, or behind all values of a line. */
export async function trendsPeople(query: TrendsQuery, point: Point, inputs: QueryInputs): Promise<Sql> {
  if (query.formula !== undefined) throw new UnusableQuery('point: a value of a formula has no people');
  const { breakdown } = query;
  const context = contextOf(query, inputs);
  const { calendar } = context;
  const bucket = point.bucket == null ? undefined : placeIn(calendar.labels, point.bucket, 'bucket');
  const isInBucket = bucket === undefined ? TRUE : sql`b = ${integer(bucket)}`;
  const { source } = inputs;
  const time = sql`(${bucketAt(source.dialect, calendar)})::integer as b`;
  const peopleOf = (series: Series, isOfLine: Sql) => sql`
    select distinct p from (${selectionOf(query, series, { source, instants: calendar, time }, true)}) as ev
    where ${isInBucket} and ${isOfLine} and ${isOfProperty(series.measure ?? 'events') ? sql`x is not null` : TRUE}`;
  if (breakdown === undefined) {
    const names = differentNames(query.series.map((series) => nameOf(series, query.series)));
    const series = query.series[seriesAt(names, point)];
    if (series === undefined) throw new Error('No series has this index.');
    return peopleOf(series, TRUE);
  }
  const lines = await namedLines(context);
  const names = lines.map(({ name }) => name);
  const line = lines[placeIn(names, point.breakdown?.[0], 'breakdown[0]')];
  if (line === undefined) throw new Error('No line has this index.');
  const own = lines.flatMap(({ series, part }) =>
    series === line.series && part?.label !== undefined ? [part.label] : [],
  );
  return peopleOf(line.series, isOfLine(line.part, own, inputs.source.dialect));
}

/** Whether the label of an event belongs to a line. `own` are the labels with their own lines. */
function isOfLine(part: Part | undefined, own: readonly string[], { holds }: Dialect): Sql {
  if (part === undefined) return TRUE;
  if (part === NONE) return sql`label is null`;
  if (part === OTHER) return sql`label is not null and not ${holds(texts(own), sql`label`)}`;
  return sql`label = ${text(part.label ?? '')}`;
}
