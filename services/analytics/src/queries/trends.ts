import {
  addsUp,
  BREAKDOWN_LIMIT,
  type BuiltInName,
  type Formula,
  isOfProperty,
  isOfSessions,
  type Measure,
  parseFormula,
  type ReportContent,
  roundedAmount,
  type TrendsQuery,
} from '@switchboard/contracts';
import { z } from 'zod';
import { type Calendar, calendarOf, spanOf } from '../calendar/calendar.ts';
import { comparedOf, type Previous } from '../calendar/previous.ts';
import { UnusableQuery } from '../conditions/clauses.ts';
import { type Dialect, shownOf } from '../engine/dialect.ts';
import { COMMA, integer, join, type Sql, sql, TRUE, text, texts, whole } from '../engine/sql.ts';
import { EMPTY, NONE, OTHER, partOf, REST_LINES } from './breakdown-lines.ts';
import { bucketAt, keptRows, type SelectedFrom, selectEvents } from './events.ts';
import { emptyValue, MEASURES, nameOf, SESSION_VALUES, type Series, unitOf } from './measures.ts';
import { type Point, placeIn, seriesAt } from './point.ts';
import { breakdownName, DEFAULT_INTERVAL, differentNames, type QueryInputs } from './query.ts';

type Values = (number | null)[];

/** An unnamed line: the events of a series, or those with one value of its breakdown. */
interface Line {
  /** Null for the whole series. */
  label: string | null;
  builtIn?: BuiltInName | undefined;
  values: Values;
  previous?: Values;
  /** Set where `previous` omits part of the previous period, or the sum exceeds a double. */
  previousTotal?: number | null;
  /** Absent for the sum of the values. Null where they do not add up, or their sum exceeds a double. */
  total?: number | null;
}

export async function trends(query: TrendsQuery, inputs: QueryInputs): Promise<ReportContent> {
  const { interval = DEFAULT_INTERVAL, timezone = 'UTC', range, breakdown } = query;
  const span = spanOf(range, interval, timezone, inputs.now);
  const calendar = calendarOf({ span, interval, timeZone: timezone });
  const hasUnits = new Set(query.series.map(unitOf)).size > 1;
  const lines = await namedLines(query, inputs, calendar);
  const formula = query.formula === undefined ? undefined : parseFormula(query.formula);
  if (query.formula !== undefined && formula !== undefined) {
    const series = [lineOfFormula(query.formula, formula, lines)];
    return { kind: 'line', interval, buckets: calendar.labels, series };
  }
  return {
    kind: 'line',
    interval,
    ...(breakdown === undefined ? {} : { breakdown: breakdownName(breakdown.property) }),
    // Parts of two series are not parts of one total.
    ...(breakdown === undefined || query.series.length === 1 ? {} : { total: null }),
    buckets: calendar.labels,
    series: lines.map(({ series, label: _, ...line }) => ({
      ...line,
      ...(hasUnits ? { unit: unitOf(series) } : {}),
    })),
  };
}

/** Returns the line that a formula computes from the line of each series. */
function lineOfFormula(name: string, formula: Formula, lines: readonly Line[]) {
  const computed = (each: readonly (Values | undefined)[]): Values =>
    (each[0] ?? []).map((_, bucket) => {
      const value = formula.of(each.map((values) => values?.[bucket] ?? null));
      return value === null ? null : roundedAmount(value);
    });
  const isCompared = lines[0]?.previous !== undefined;
  return {
    name,
    values: computed(lines.map(({ values }) => values)),
    ...(isCompared ? { previous: computed(lines.map(({ previous }) => previous)) } : {}),
    total: null,
  };
}

interface NamedLine extends Line {
  name: string;
  series: Series;
}

/** Returns the lines of all series, with different names. */
async function namedLines(query: TrendsQuery, inputs: QueryInputs, calendar: Calendar): Promise<NamedLine[]> {
  const { interval = DEFAULT_INTERVAL, timezone = 'UTC', range } = query;
  const before =
    query.compare === undefined
      ? undefined
      : comparedOf(query.compare, { range, interval, timeZone: timezone, calendar });
  const named: NamedLine[] = [];
  for (const series of query.series) {
    const name = nameOf(series, query.series);
    for (const line of await linesOf(query, series, { inputs, calendar, before })) {
      const shown = shownOf(line.label ?? '');
      named.push({
        ...line,
        series,
        name: line.label === null ? name : query.series.length > 1 ? `${name}: ${shown}` : shown,
      });
    }
  }
  const names = differentNames(named.map(({ name }) => name));
  return named.map((line, index) => ({ ...line, name: names[index] ?? line.name }));
}

/** Returns a query of the people with an event behind a value of a result, or behind all values of a line. */
export async function trendsPeople(query: TrendsQuery, point: Point, inputs: QueryInputs): Promise<Sql> {
  if (query.formula !== undefined) throw new UnusableQuery('point: a value of a formula has no people');
  const { interval = DEFAULT_INTERVAL, timezone = 'UTC', range, breakdown } = query;
  const span = spanOf(range, interval, timezone, inputs.now);
  const calendar = calendarOf({ span, interval, timeZone: timezone });
  const bucket = point.bucket == null ? undefined : placeIn(calendar.labels, point.bucket, 'bucket');
  const isInBucket = bucket === undefined ? TRUE : sql`b = ${integer(bucket)}`;
  const { source } = inputs;
  const time = sql`(${bucketAt(source.dialect, calendar)})::integer as b`;
  const peopleOf = (series: Series, isOfLine: Sql) => sql`
    select distinct p from (${selection(query, series, { source, instants: calendar, time }, true)}) as ev
    where ${isInBucket} and ${isOfLine} and ${isOfProperty(series.measure ?? 'events') ? sql`x is not null` : TRUE}`;
  if (breakdown === undefined) {
    const names = differentNames(query.series.map((series) => nameOf(series, query.series)));
    const series = query.series[seriesAt(names, point)];
    if (series === undefined) throw new Error('No series has this index.');
    return peopleOf(series, TRUE);
  }
  const lines = await namedLines(query, inputs, calendar);
  const names = lines.map(({ name }) => name);
  const line = lines[placeIn(names, point.breakdown?.[0], 'breakdown[0]')];
  if (line === undefined) throw new Error('No line has this index.');
  const own = lines.flatMap(({ series, label, builtIn }) =>
    series === line.series && label !== null && (builtIn === undefined || builtIn === EMPTY.builtIn)
      ? [ownLabel({ label, builtIn })]
      : [],
  );
  return peopleOf(line.series, isOfLine(line, own, inputs.source.dialect));
}

const ownLabel = ({ label, builtIn }: Part) => (builtIn === EMPTY.builtIn ? '' : (label ?? ''));

/** Whether the label of an event belongs to a line. `own` are the labels with their own lines. */
function isOfLine(line: Part, own: readonly string[], { holds }: Dialect): Sql {
  if (line.label === null) return TRUE;
  if (line.builtIn === NONE.builtIn) return sql`label is null`;
  if (line.builtIn === OTHER.builtIn) return sql`label is not null and not ${holds(texts(own), sql`label`)}`;
  return sql`label = ${text(ownLabel(line))}`;
}

interface Context {
  inputs: QueryInputs;
  calendar: Calendar;
  before: Previous | undefined;
}

async function linesOf(query: TrendsQuery, series: Series, context: Context): Promise<Line[]> {
  const { inputs, calendar, before } = context;
  const now = await valuesOf(query, series, { inputs, calendar });
  const then =
    before && (await valuesOf(query, series, { inputs, calendar: before.calendar, shown: now.shown }));
  const { measure = 'events' } = series;
  const empty = emptyValue(measure);
  const parts: Part[] =
    query.breakdown === undefined
      ? []
      : [
          ...now.shown.map(partOf),
          ...REST_LINES.filter((part) => [now, then].some((found) => found?.lines.has(keyOf(part)))),
        ];
  const lineOf = (part: Part): Line => {
    const key = keyOf(part);
    const valuesIn = ({ lines }: Found, { labels: buckets }: Calendar): Values => {
      const found = lines.get(key);
      return buckets.map((_, bucket) => {
        const value = found?.get(bucket);
        return value === undefined ? empty : value;
      });
    };
    const values = valuesIn(now, calendar);
    const total = addsUp(measure) ? totalOf(values) : null;
    return {
      ...part,
      values: runningOf(values, query.running),
      ...(then && before ? comparison(valuesIn(then, before.calendar), before, query, measure) : {}),
      // The sum of the values, unless they are running ones.
      ...(total !== null && query.running === undefined ? {} : { total }),
    };
  };
  return (parts.length === 0 ? [{ label: null }] : parts).map(lineOf);
}

type Part = Pick<Line, 'label' | 'builtIn'>;

/** The key of the line of the whole series. */
const WHOLE = 'whole';
const keyOf = ({ label, builtIn }: Part) => builtIn ?? (label === null ? WHOLE : `one ${label}`);

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

/** Returns the running totals or averages of values. */
function runningOf(values: Values, running: TrendsQuery['running']): Values {
  if (running === undefined) return values;
  return values.map((_, index) => {
    if (running === 'total') return totalOf(values.slice(0, index + 1));
    const some = values.slice(Math.max(0, index + 1 - running.average), index + 1);
    const present = some.filter((value) => value !== null);
    const total = totalOf(present);
    return total === null || present.length === 0 ? null : roundedAmount(total / present.length);
  });
}

/** Returns the sum of values that add up; null if the sum or a value exceeds a double. */
function totalOf(values: Values): number | null {
  const total = values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0);
  return total === null ? null : finite(roundedAmount(total));
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Returns a query of the events of a series, or of its sessions, with their time and the columns of the measure. */
function selection(
  query: TrendsQuery,
  series: Series,
  { source, instants, time }: SelectedFrom,
  readsPerson = series.measure === 'people',
): Sql {
  const { dialect } = source;
  const { breakdown } = query;
  const { measure = 'events', property } = series;
  const measured = isOfProperty(measure) ? property : undefined;
  const isUnique = measure === 'unique';
  const isSession = isOfSessions(measure);
  const present = (name: string | undefined) => (name === undefined ? [] : [name]);
  const { relation, matches, attribute, label } = selectEvents(
    { source, names: [series.event], where: query.where ?? [], instants, readsPerson },
    [series],
    {
      attributes: [...present(isUnique ? undefined : measured), ...(isSession ? [SESSION] : [])],
      labels: [...present(breakdown?.property), ...present(isUnique ? measured : undefined)],
    },
  );
  const events = sql`(${relation}) as ev where ${matches(series)}`;
  if (isSession) {
    const own = [
      ...(readsPerson ? [{ name: sql`p`, value: sql`p` }] : []),
      ...(breakdown ? [{ name: sql`label`, value: label(breakdown.property) }] : []),
    ];
    return sql`select ${join([time, ...own.map(({ name }) => name), sql`x`], COMMA)}
      from (${sessionsIn(events, attribute(SESSION), own, measure, dialect)}) as sessions`;
  }
  // Only the columns of the measure, because a breakdown keeps all rows in memory.
  const columns = [
    time,
    ...(readsPerson ? [sql`p`] : []),
    ...(breakdown ? [sql`${label(breakdown.property)} as label`] : []),
    ...(measured === undefined
      ? []
      : [sql`${isUnique ? label(measured) : dialect.numericOf(attribute(measured))} as x`]),
  ];
  return sql`select ${join(columns, COMMA)} from ${events}`;
}

const SESSION = 'session_id';

/**
 * Returns a query of the sessions of events: `t` and other values of the first event of each, or of the last one for
 * exits, and `x`, the value that the measure averages.
 */
function sessionsIn(
  events: Sql,
  session: Sql,
  own: readonly { name: Sql; value: Sql }[],
  measure: Measure,
  { isSet, rowIf, valueOf: fieldOf }: Dialect,
): Sql {
  const edge = rowIf(TRUE, [sql`t`, sql`id`, ...own.map(({ value }) => value)]);
  const values = own.map(({ name }, index) => sql`, ${fieldOf(sql`edge`, index + 2)} as ${name}`);
  return sql`select ${fieldOf(sql`edge`, 0)} as t${join(values, sql``)}, x from (
    select ${measure === 'exits' ? sql`max` : sql`min`}(${edge}) as edge, ${SESSION_VALUES[measure] ?? sql`0`} as x
    from ${events} and ${isSet(session)} group by ${session}) as edges`;
}

/**
 * Returns a query of rows of a series: each is of one interval, label and counted value, and stands for `n` events.
 * Where a measure does not add up, each row is of one event or session.
 */
function rowsIn(query: TrendsQuery, series: Series, { source }: QueryInputs, calendar: Calendar): Sql {
  const { columns, counted } = MEASURES[series.measure ?? 'events'](source.dialect);
  const bucket = sql`(${bucketAt(source.dialect, calendar)})::integer as b`;
  if (columns === undefined) {
    return sql`select ev.*, 1 as n from (${selection(query, series, { source, instants: calendar, time: bucket })}) as ev`;
  }
  const keys = [...(query.breakdown ? [sql`label`] : []), ...(counted ? [counted] : [])];
  const grouped = (time: Sql, from: SelectedFrom) => sql`
    select ${join([time, ...keys], COMMA)}, count(*) as n${columns}
    from (${selection(query, series, from)}) as ev group by ${join([time, ...keys], COMMA)}`;
  const hasPersons = series.measure === 'people';
  const kept = keptRows(source, { calendar, hasPersons }, (from) => grouped(sql`t`, from));
  if (kept === undefined) return grouped(sql`b`, { source, instants: calendar, time: bucket });
  const rows = sql`select ${bucket}, * exclude (t) from (${kept}) as kept`;
  // A counted value may be in several files, or in several parts of an interval.
  return counted === undefined
    ? rows
    : sql`select ${join([sql`b`, ...keys], COMMA)}, sum(n) as n from (${rows}) as rows group by all`;
}

const valueRows = z.array(
  z.object({
    /** The index of its label in `shown`, REST or WITHOUT. Absent for the whole series. */
    line: z.number().optional(),
    label: z.string().nullish(),
    b: z.number(),
    /** Not finite, or null, for a sum beyond a double. */
    value: z
      .number()
      .or(z.nan())
      .or(z.literal([Infinity, -Infinity]))
      .nullable(),
  }),
);
const REST = -1;
const WITHOUT = 0;

function partAt(place: number | undefined, label: string): Part {
  if (place === undefined) return { label: null };
  if (place > 0) return partOf(label);
  return place === REST ? OTHER : NONE;
}

interface Found {
  /** Values by line and bucket. */
  lines: Map<string, Map<number, number | null>>;
  /** The labels with their own lines, the most common first. */
  shown: string[];
}

/** Returns the values of each line. The labels in `shown` get their own lines, or else those with the most events. */
async function valuesOf(
  query: TrendsQuery,
  series: Series,
  { inputs, calendar, shown }: { inputs: QueryInputs; calendar: Calendar; shown?: readonly string[] },
): Promise<Found> {
  const { dialect } = inputs.source;
  const { breakdown } = query;
  const { counted, value } = MEASURES[series.measure ?? 'events'](dialect);
  const rowsOf = rowsIn(query, series, inputs, calendar);
  const order = shown === undefined ? sql`sum(n) desc, label` : sql`label`;
  const isShown = shown === undefined ? sql`label is not null` : dialect.holds(texts(shown), sql`label`);
  // Only this line has rows of several labels, which may have a counted value more than once.
  const isOther = sql`line = ${whole(REST)}`;
  const inLine =
    counted === undefined
      ? value
      : sql`(count(${counted}) filter (where not ${isOther}) + count(distinct ${counted}) filter (where ${isOther}))::double`;
  const rows = await inputs.run(
    breakdown === undefined
      ? sql`select b, ${value} as value from (${rowsOf}) as ev group by b`
      : sql`with ev as ${dialect.materialized}(${rowsOf}),
          own as (select shown, place from (select label as shown,
              row_number() over (order by ${order})::integer as place from ev where ${isShown} group by label) as ranked
            where place <= ${integer(breakdown.limit ?? BREAKDOWN_LIMIT)}),
          placed as (select ev.*, shown,
            case when label is null then ${whole(WITHOUT)} else coalesce(place, ${whole(REST)}) end::integer as line
            from ev left join own on shown = label)
          select line, any_value(shown) as label, b, ${inLine} as value from placed group by line, b`,
  );
  const found = valueRows.parse(rows);
  const isAsSent = series.measure === 'minimum' || series.measure === 'maximum';
  const lines = new Map<string, Map<number, number | null>>();
  const places = new Map<string, number>();
  for (const { line: place, label, b, value: one } of found) {
    const key = keyOf(partAt(place, label ?? ''));
    if (place !== undefined && place > 0) places.set(label ?? '', place);
    const line = lines.get(key) ?? new Map<number, number | null>();
    lines.set(key, line.set(b, one === null ? null : finite(isAsSent ? one : roundedAmount(one))));
  }
  return {
    lines,
    shown: shown?.slice() ?? [...places].sort(([, one], [, other]) => one - other).map(([label]) => label),
  };
}
