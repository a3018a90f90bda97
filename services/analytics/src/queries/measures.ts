import { type Measure, PEOPLE, type TrendsQuery } from '@switchboard/contracts';
import type { Dialect } from '../engine/dialect.ts';
import { type Sql, sql } from '../engine/sql.ts';

export type Series = TrendsQuery['series'][number];

/** The SQL of each measure, over the columns p, the person, and x, a number. */
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
};

/**
 * Whether the values of buckets add up. A person counts in every bucket, and averages cover different numbers of
 * events.
 */
export function addsUp(measure: Measure = 'events'): boolean {
  return measure === 'events' || measure === 'sum';
}

export function emptyValue(measure: Measure | undefined): number | null {
  return measure === undefined || measure === 'events' || measure === 'people' || measure === 'sum'
    ? 0
    : null;
}

const MAX_UNIT = 40;

/** Returns the unit of a series: `events`, `people`, or the measured property. */
export function unitOf({ measure = 'events', property = '' }: Series): string {
  if (measure === 'events') return 'events';
  return measure === 'people' ? PEOPLE : [...property].slice(0, MAX_UNIT).join('');
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
  const isOfProperty = measure !== 'events' && measure !== 'people' && property !== undefined;
  return isOfProperty ? `${measure} of ${property}` : measure;
}
