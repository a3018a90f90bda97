import { type InsightBreakdown, propertiesOf } from '@switchboard/contracts';

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

/** Returns the displayed name of the properties of a breakdown. */
export function breakdownName(breakdown: InsightBreakdown): string {
  const names = propertiesOf(breakdown).map(({ property }) => property);
  return cut(names.join(' · '), MAX_NAME);
}

/** Avoids cutting a surrogate pair. */
function cut(name: string, length: number): string {
  return name.slice(0, length).toWellFormed();
}
