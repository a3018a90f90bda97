import { addsUp, isOfProperty, type Measure, PEOPLE, type TrendsQuery } from '@switchboard/contracts';
import type { Dialect } from '../engine/dialect.ts';
import { type Sql, sql } from '../engine/sql.ts';

export type Series = TrendsQuery['series'][number];

/** The SQL of each measure, over the columns p, the person, and x, a number or a text. */
export const MEASURES: Record<Measure, (dialect: Dialect) => Sql> = {
  events: () => sql`count(*)::double`,
  people: () => sql`count(distinct p)::double`,
  sum: (dialect) => dialect.sum(sql`x`),
  average: (dialect) => dialect.average(sql`x`),
  minimum: () => sql`min(x)`,
  maximum: () => sql`max(x)`,
  median: (dialect) => dialect.quantile(sql`x`, sql`0.5`),
  p90: (dialect) => dialect.quantile(sql`x`, sql`0.9`),
  p99: (dialect) => dialect.quantile(sql`x`, sql`0.99`),
  unique: () => sql`count(distinct x)::double`,
  sessions: () => sql`count(*)::double`,
  exits: () => sql`count(*)::double`,
  bounce_rate: (dialect) => dialect.average(sql`x`),
  session_seconds: (dialect) => dialect.average(sql`x`),
  session_events: (dialect) => dialect.average(sql`x`),
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
