import type { InsightInterval } from '@switchboard/contracts';
import type { PersonEvents, Row } from '../engine/engine.ts';
import type { Sql } from '../engine/sql.ts';
import type { Source } from './events.ts';

/** The inputs of any kind of query. */
export interface QueryInputs {
  source: Source;
  /** Milliseconds since 1970. A range of the last intervals ends at this time. */
  now: number;
  /** The time up to which events are known. */
  asOf: number;
  run(query: Sql): Promise<Row[]>;
  /** Visits the rows of a query as `Engine.eachPerson` does. */
  eachPerson(query: Sql, visit: (events: PersonEvents) => void): Promise<void>;
}

/** The limit of a report. */
const MAX_NAME = 200;

/**
 * Makes the names of series, steps, rows or values unique: cuts them to the limit of a report, and numbers equal
 * ones.
 */
export function differentNames(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.map((name) => {
    let different = cut(name, MAX_NAME);
    for (let count = 2; seen.has(different); count++) different = `${cut(name, MAX_NAME - 10)} (${count})`;
    seen.add(different);
    return different;
  });
}

/** Returns the displayed name of the property of a breakdown. */
export const breakdownName = (property: string): string => cut(property, MAX_NAME);

/** Avoids cutting a surrogate pair. */
function cut(name: string, length: number): string {
  return name.slice(0, length).toWellFormed();
}

export const DEFAULT_INTERVAL: InsightInterval = 'day';

const TENTH = 10;

/** Returns a percentage with one decimal. */
export function percentage(part: number, whole: number): number {
  return Math.round((part / whole) * 100 * TENTH) / TENTH;
}
