import {
  BREAKDOWN_LIMIT,
  type BreakdownProperty,
  BUILT_IN_NAMES,
  type BuiltInName,
  type InsightBreakdown,
  propertiesOf,
} from '@switchboard/contracts';
import { type Dialect, shownOf } from '../engine/dialect.ts';
import { join, number, type Sql, sql, text } from '../engine/sql.ts';
import type { SelectedEvents } from './events.ts';
import { differentNames } from './names.ts';

/** A line of a breakdown. */
export interface Part {
  name: string;
  builtIn?: BuiltInName;
  /** The label of its events. Absent for events of other labels, or without one. */
  label?: string;
}

export const OTHER: Part = { name: BUILT_IN_NAMES.other, builtIn: 'other' };
export const NONE: Part = { name: BUILT_IN_NAMES.none, builtIn: 'none' };

/** The lines of a breakdown that do not stand for a single value, in order. A value may also be called Other. */
export const REST_LINES = [OTHER, NONE];

/** Separates the labels of several properties. Within a label it is doubled. */
const SEPARATOR = '|';
const BETWEEN = ' · ';

/** Returns what a selection reads for a breakdown. */
export function readFor(breakdown: InsightBreakdown | undefined): { attributes: string[]; labels: string[] } {
  const all = breakdown === undefined ? [] : propertiesOf(breakdown);
  const namesOf = (some: readonly BreakdownProperty[]) => some.map(({ property }) => property);
  return {
    attributes: namesOf(all.filter(({ ranges }) => ranges !== undefined)),
    labels: namesOf(all.filter(({ ranges }) => ranges === undefined)),
  };
}

/**
 * Returns the label of a selected event: the text of a value, or the range of a number, null if there is none. The label
 * of several properties has a mark for each that is missing, and is never null.
 */
export function labelIn(breakdown: InsightBreakdown, events: SelectedEvents, dialect: Dialect): Sql {
  const all = propertiesOf(breakdown);
  const labels = all.map((one) => labelOf(one, events, dialect));
  const [only] = labels;
  if (only !== undefined && labels.length === 1) return only;
  const marked = labels.map(
    (label) => sql`coalesce('v' || replace(${label}, ${text(SEPARATOR)}, ${text(SEPARATOR.repeat(2))}), 'n')`,
  );
  return sql`(${join(marked, sql` || ${text(SEPARATOR)} || `)})`;
}

/** The marked label of events without a value. Other labels begin with a v. */
export const NO_VALUE = 'n';

/** Returns the label of a selected event with a mark, never null. */
export function markedLabelIn(breakdown: InsightBreakdown, events: SelectedEvents, dialect: Dialect): Sql {
  return sql`coalesce('v' || ${labelIn(breakdown, events, dialect)}, ${text(NO_VALUE)})`;
}

/**
 * Returns the lines of a breakdown in order, each with the marked labels that belong to it and their values: the largest
 * labels, the others, and no label. Names are different.
 */
export function linesBySize<V>(
  breakdown: InsightBreakdown,
  values: ReadonlyMap<string, V>,
  sizeOf: (value: V) => number,
): (Part & { of: [label: string, value: V][] })[] {
  const { limit = BREAKDOWN_LIMIT } = breakdown;
  const sized = [...values].sort(
    ([one, ofOne], [other, ofOther]) => sizeOf(ofOther) - sizeOf(ofOne) || (one < other ? -1 : 1),
  );
  const labelled = sized.filter(([label]) => label !== NO_VALUE);
  const lines = [
    ...labelled.slice(0, limit).map((one) => ({ ...partOf(breakdown, one[0].slice(1)), of: [one] })),
    { ...OTHER, of: labelled.slice(limit) },
    { ...NONE, of: sized.filter(([label]) => label === NO_VALUE) },
  ].filter(({ of }) => of.length > 0);
  const names = differentNames(lines.map(({ name }) => name));
  return lines.map((line, index) => ({ ...line, name: names[index] ?? line.name }));
}

function labelOf({ property, ranges }: BreakdownProperty, events: SelectedEvents, dialect: Dialect): Sql {
  if (ranges === undefined) return events.label(property);
  const value = dialect.numericOf(events.attribute(property));
  const names = rangeNames(ranges);
  const cases = ranges.map(
    (bound, index) => sql`when ${value} < ${number(bound)} then ${text(names[index] ?? '')} `,
  );
  return sql`case ${join(cases, sql``)}when ${value} is not null then ${text(names.at(-1) ?? '')} end`;
}

/** Returns the names of the ranges between bounds. The first and the last are open. */
function rangeNames(bounds: readonly number[]): string[] {
  const between = bounds.slice(1).map((bound, index) => `${bounds[index]} – ${bound}`);
  return [`< ${bounds[0]}`, ...between, `≥ ${bounds.at(-1)}`];
}

/** Returns the line of a label. */
export function partOf(breakdown: InsightBreakdown, label: string): Part {
  if (breakdown.and === undefined) {
    return label === ''
      ? { name: BUILT_IN_NAMES.empty, builtIn: 'empty', label }
      : { name: shownOf(label), label };
  }
  return { name: labelsIn(label).map(nameOf).join(BETWEEN), label };
}

/** A label of several, which begins with its mark. */
const MARKED = /([nv](?:\|\||[^|])*)(?:\||$)/g;

/** Splits the label of several properties. */
function labelsIn(label: string): string[] {
  return [...label.matchAll(MARKED)].map(([, one = '']) => one);
}

function nameOf(marked: string): string {
  if (marked === 'n') return BUILT_IN_NAMES.none;
  const label = marked.slice(1).replaceAll(SEPARATOR.repeat(2), SEPARATOR);
  return label === '' ? BUILT_IN_NAMES.empty : shownOf(label);
}
