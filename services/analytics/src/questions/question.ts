import type { InsightInterval } from '@switchboard/contracts';
import type { Row } from '../engine/engine.ts';
import type { Sql } from '../engine/sql.ts';
import type { Source } from './events.ts';

/** What every kind of question is answered with. */
export interface Asking {
  source: Source;
  /** Milliseconds since 1970: what a range of the last intervals ends with. */
  now: number;
  /** The time up to which events are known. */
  asOf: number;
  query(query: Sql): Promise<Row[]>;
}

/** What a report allows. */
const MAX_NAME = 200;

/** Names of series, steps, rows or values, cut to what a report allows, and numbered where they are equal. */
export function differentNames(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.map((name) => {
    let different = cut(name, MAX_NAME);
    for (let count = 2; seen.has(different); count++) different = `${cut(name, MAX_NAME - 10)} (${count})`;
    seen.add(different);
    return different;
  });
}

/** The name of the property that a report is broken down by. */
export const breakdownName = (property: string): string => cut(property, MAX_NAME);

/** Avoids cutting a surrogate pair. */
function cut(name: string, length: number): string {
  return name.slice(0, length).toWellFormed();
}

export const DEFAULT_INTERVAL: InsightInterval = 'day';

const TENTH = 10;

/** A percentage with one decimal. */
export function percentage(part: number, whole: number): number {
  return Math.round((part / whole) * 100 * TENTH) / TENTH;
}
