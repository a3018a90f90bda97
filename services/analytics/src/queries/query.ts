import type { InsightInterval, InsightWindow } from '@switchboard/contracts';
import type { Row, VisitPerson } from '../engine/engine.ts';
import type { Sql } from '../engine/sql.ts';
import type { Source } from '../selection/events.ts';

/** The inputs of any kind of query. */
export interface QueryInputs {
  source: Source;
  /** Milliseconds since 1970. A range of the last intervals ends at this time. */
  now: number;
  /** The time up to which events are known. */
  asOf: number;
  run(query: Sql): Promise<Row[]>;
  /** Visits the rows of a query as `Engine.eachPerson` does. */
  eachPerson(query: Sql, visit: VisitPerson): Promise<void>;
}

export const DEFAULT_INTERVAL: InsightInterval = 'day';

const UNIT_MS: Record<InsightWindow['unit'], number> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};
export const FUNNEL_WINDOW: InsightWindow = { count: 14, unit: 'day' };
export const PATHS_WINDOW: InsightWindow = { count: 1, unit: 'day' };

/** Returns the length of a window in milliseconds. */
export function windowMs(window: InsightWindow | undefined, otherwise: InsightWindow): number {
  const { count, unit } = window ?? otherwise;
  return count * UNIT_MS[unit];
}

const TENTH = 10;

/** Returns a percentage with one decimal. */
export function percentage(part: number, whole: number): number {
  return Math.round((part / whole) * 100 * TENTH) / TENTH;
}
