import { addsUp, isOfProperty, type Measure, PEOPLE, type TrendsQuery } from '@switchboard/contracts';
import type { Dialect } from '../engine/dialect.ts';
import { number, SCALE, type Sql, sql } from '../engine/sql.ts';

export type Series = TrendsQuery['series'][number];

interface InSql {
  /** The value of several rows. */
  value: Sql;
  /** Columns of a row that stands for the events of a group, over their column x. Undefined for a row for each event. */
  columns?: Sql;
  /** The column that groups are also made by, because each of its values counts once. */
  counted?: Sql;
}

const distinct = (counted: Sql): InSql => ({
  value: sql`count(${counted})::double`,
  columns: sql``,
  counted,
});

const scale = sql`${number(SCALE)}`;
/** A sum that exceeds a double is computed from smaller values: dividing by a power of two is exact. */
const finite = (value: Sql, smaller: Sql) =>
  sql`case when isFinite(${value}) then ${value} else ${smaller} * ${scale} end`;
/** The sum and number of the values of a group, and the sum of smaller values. */
const sumsIn = ({ accurateSum }: Dialect) =>
  sql`, ${accurateSum(sql`x`)} as s, ${accurateSum(sql`x / ${scale}`)} as z, count(x) as c`;

/**
 * The SQL of each measure, over the columns p, the person, and x, a number or a text. Rows that stand for several events
 * have their number as `n`.
 */
export const MEASURES: Record<Measure, (dialect: Dialect) => InSql> = {
  events: () => ({ value: sql`sum(n)::double`, columns: sql`` }),
  people: () => distinct(sql`p`),
  sum: (dialect) => ({
    value: sql`coalesce(${finite(dialect.accurateSum(sql`s`), dialect.accurateSum(sql`z`))}, 0)`,
    columns: sumsIn(dialect),
  }),
  average: (dialect) => ({
    value: finite(
      sql`(${dialect.accurateSum(sql`s`)} / sum(c))`,
      sql`(${dialect.accurateSum(sql`z`)} / sum(c))`,
    ),
    columns: sumsIn(dialect),
  }),
  minimum: () => ({ value: sql`min(m)`, columns: sql`, min(x) as m` }),
  maximum: () => ({ value: sql`max(m)`, columns: sql`, max(x) as m` }),
  median: (dialect) => ({ value: dialect.quantile(sql`x`, sql`0.5`) }),
  p90: (dialect) => ({ value: dialect.quantile(sql`x`, sql`0.9`) }),
  p99: (dialect) => ({ value: dialect.quantile(sql`x`, sql`0.99`) }),
  unique: () => distinct(sql`x`),
  sessions: () => ({ value: sql`count(*)::double` }),
  exits: () => ({ value: sql`count(*)::double` }),
  bounce_rate: (dialect) => ({ value: dialect.average(sql`x`) }),
  session_seconds: (dialect) => ({ value: dialect.average(sql`x`) }),
  session_events: (dialect) => ({ value: dialect.average(sql`x`) }),
};

/** The SQL of the value of a session that a measure averages, over the columns of its events. */
export const SESSION_VALUES: Partial<Record<Measure, Sql>> = {
  bounce_rate: sql`(case when count(*) = 1 then 100 else 0 end)::double`,
  session_seconds: sql`((max(t) - min(t)) / 1000)::double`,
  session_events: sql`count(*)::double`,
};

export function emptyValue(measure: Measure = 'events'): number | null {
  return addsUp(measure) || measure === 'people' || measure === 'unique' ? 0 : null;
}

const MAX_UNIT = 40;

const UNITS: Partial<Record<Measure, string>> = {
  people: PEOPLE,
  unique: 'values',
  sessions: 'sessions',
  exits: 'sessions',
  bounce_rate: '%',
  session_seconds: 's',
};

/** Returns the unit of a series, such as `events` or `people`, or the measured property. */
export function unitOf({ measure = 'events', property = '' }: Series): string {
  const unit = UNITS[measure] ?? 'events';
  return isOfProperty(measure) && measure !== 'unique' ? [...property].slice(0, MAX_UNIT).join('') : unit;
}

/**
 * Returns the name of a series. Includes measure and property if another series of the same event has different ones.
 */
export function nameOf(
  { event, name, measure = 'events', property }: Series,
  all: readonly Series[],
): string {
  if (name !== undefined) return name;
  const same = all.filter((other) => other.name === undefined && other.event === event);
  const measures = new Set(same.map(measureName));
  return measures.size > 1 ? `${event}, ${measureName({ measure, property })}` : event;
}

function measureName({ measure = 'events', property }: Pick<Series, 'measure' | 'property'>): string {
  const name = measure.replaceAll('_', ' ');
  return isOfProperty(measure) && property !== undefined ? `${name} of ${property}` : name;
}
