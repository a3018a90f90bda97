import { breakdownLimitOf, roundedAmount, type TrendsQuery } from '@switchboard/contracts';
import { z } from 'zod';
import type { Calendar } from '../calendar/calendar.ts';
import type { Row } from '../engine/engine.ts';
import { integer, type Sql, sql, texts, whole } from '../engine/sql.ts';
import { bucketsOf } from '../passes/buckets.ts';
import { NONE, OTHER, type Part, partOf, REST_LINES } from '../selection/breakdown.ts';
import type { Source } from '../selection/events.ts';
import { timelinesOf } from '../selection/timelines.ts';
import type { Counter } from '../timelines/counts.ts';
import { emptyValue, MEASURES, type Series } from './measures.ts';
import { rowsOf } from './rows.ts';

export type Values = (number | null)[];

/** Not finite, or null, for a sum beyond a double. */
export const sum = z
  .number()
  .or(z.nan())
  .or(z.literal([Infinity, -Infinity]))
  .nullable();

const valueRows = z.array(
  z.object({
    /** The index of its label in `shown`, REST or WITHOUT. Absent for the whole series. */
    line: z.number().optional(),
    label: z.string().nullish(),
    b: z.number(),
    value: sum,
  }),
);
type ValueRow = z.output<typeof valueRows>[number];
const REST = -1;
const WITHOUT = 0;

/** The key of the line of the whole series. */
const WHOLE = 'whole';
const keyOf = (part: Part | undefined) =>
  part === undefined ? WHOLE : part.label === undefined ? part.builtIn : `one ${part.label}`;

/** The values of the lines of a series. */
export interface Found {
  /** The labels with their own lines in order. */
  shown: readonly string[];
  has(part: Part): boolean;
  /** Returns the values of a line, or of the whole series, by bucket. */
  of(part: Part | undefined): Values;
}

interface Inputs {
  source: Source;
  run(query: Sql): Promise<Row[]>;
}

/**
 * Finds the values of each line of a series. The labels in `shown` get their own lines, or else those with the largest
 * measure.
 */
export async function findValues(
  query: TrendsQuery,
  series: Series,
  { source, run }: Inputs,
  calendar: Calendar,
  shown?: readonly string[],
): Promise<Found> {
  const { breakdown } = query;
  const { measure = 'events' } = series;
  const found =
    (await keptPeople(query, series, source, calendar)) ??
    valueRows.parse(await run(valuesIn(query, series, source, calendar, shown)));
  const partAt = (place: number | undefined, label: string): Part | undefined => {
    if (place === undefined || breakdown === undefined) return undefined;
    if (place > 0) return partOf(breakdown, label);
    return place === REST ? OTHER : NONE;
  };
  const isAsSent = measure === 'minimum' || measure === 'maximum';
  const lines = new Map<string | undefined, Map<number, number | null>>();
  const places = new Map<string, number>();
  for (const { line: place, label, b, value: one } of found) {
    const key = keyOf(partAt(place, label ?? ''));
    if (place !== undefined && place > 0) places.set(label ?? '', place);
    const line = lines.get(key) ?? new Map<number, number | null>();
    lines.set(key, line.set(b, one === null ? null : finite(isAsSent ? one : roundedAmount(one))));
  }
  const empty = emptyValue(measure);
  return {
    shown: shown ?? [...places].sort(([, one], [, other]) => one - other).map(([label]) => label),
    has: (part) => lines.has(keyOf(part)),
    of(part) {
      const line = lines.get(keyOf(part));
      return calendar.labels.map((_, bucket) => {
        const value = line?.get(bucket);
        return value === undefined ? empty : value;
      });
    },
  };
}

/** Returns a query of `valueRows`. */
function valuesIn(
  query: TrendsQuery,
  series: Series,
  source: Source,
  calendar: Calendar,
  shown: readonly string[] | undefined,
): Sql {
  const { dialect } = source;
  const { counted, value } = MEASURES[series.measure ?? 'events'](dialect);
  const rows = rowsOf(query, series, source, calendar);
  if (query.breakdown === undefined) return sql`select b, ${value} as value from (${rows}) as ev group by b`;
  const isShown = shown === undefined ? sql`label is not null` : dialect.holds(texts(shown), sql`label`);
  // A counted value is in a row for each interval. ClickHouse groups on disk where necessary, but not for `distinct`.
  const distinct =
    counted === undefined
      ? sql`ev`
      : sql`(select label, ${counted} from ev where ${isShown} group by label, ${counted}) as ev`;
  const size = shown !== undefined ? sql`0` : counted === undefined ? value : sql`count(${counted})`;
  // Only this line has rows of several labels, which may have a counted value more than once.
  const isOther = sql`line = ${whole(REST)}`;
  const inLine =
    counted === undefined
      ? value
      : sql`(count(${counted}) filter (where not ${isOther}) + count(distinct ${counted}) filter (where ${isOther}))::double`;
  return sql`with ev as ${dialect.materialized}(${rows}),
          own as (select shown, place from (select shown,
              row_number() over (order by size desc nulls last, shown)::integer as place
            from (select label as shown, ${size} as size from ${distinct} where ${isShown} group by label) as sized) as ranked
            where place <= ${integer(breakdownLimitOf(query))}),
          placed as (select ev.*, shown,
            case when label is null then ${whole(WITHOUT)} else coalesce(place, ${whole(REST)}) end::integer as line
            from ev left join own on shown = label)
          select line, any_value(shown) as label, b, ${inLine} as value from placed group by line, b`;
}

/** Counts people in the events by person that are kept. Undefined if there are none, or if the query reads more. */
async function keptPeople(
  { where = [], breakdown }: TrendsQuery,
  series: Series,
  source: Source,
  calendar: Calendar,
): Promise<ValueRow[] | undefined> {
  if (series.measure !== 'people' || breakdown !== undefined) return undefined;
  const events = timelinesOf(source, where, series.event, [series]);
  const people = await source.countPeople?.([events], peopleIn(calendar));
  return people?.flatMap((value, b) => (value === 0 ? [] : [{ b, value }]));
}

/** Counts the people in each bucket. */
function peopleIn(calendar: Calendar): Counter<number[]> {
  const activeIn = bucketsOf(calendar);
  return {
    key: ['people', calendar],
    empty: () => calendar.labels.map(() => 0),
    add(people, { times }, sign) {
      const active = activeIn(times);
      for (let index = 0; index < active.size; index++) {
        const bucket = active.at(index);
        people[bucket] = (people[bucket] ?? 0) + sign;
      }
    },
  };
}

/** Returns the lines of a breakdown in order: the labels with their own lines, and the others that have values. */
export function partsOf({ breakdown }: TrendsQuery, all: readonly Found[]): Part[] {
  if (breakdown === undefined) return [];
  return [
    ...(all[0]?.shown ?? []).map((label) => partOf(breakdown, label)),
    ...REST_LINES.filter((part) => all.some((found) => found.has(part))),
  ];
}

/** Returns the sum of values that add up; null if the sum or a value exceeds a double. */
export function totalOf(values: Values): number | null {
  const total = values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0);
  return total === null ? null : finite(roundedAmount(total));
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Returns the running totals or averages of values. */
export function runningOf(values: Values, running: TrendsQuery['running']): Values {
  if (running === undefined) return values;
  return values.map((_, index) => {
    if (running === 'total') return totalOf(values.slice(0, index + 1));
    const some = values.slice(Math.max(0, index + 1 - running.average), index + 1);
    const present = some.filter((value) => value !== null);
    const total = totalOf(present);
    return total === null || present.length === 0 ? null : roundedAmount(total / present.length);
  });
}
