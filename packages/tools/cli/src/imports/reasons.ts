import type { Counted } from './counts.ts';

/** Returns a line for each kind of record that is refused and part that is left out. */
export function reasonsIn({
  refused,
  leftOut,
}: {
  refused: readonly Counted[];
  leftOut: readonly Counted[];
}) {
  return [
    ...refused.map(({ kind, count, first }) => `! ${count} refused: ${kind} (first: ${first})`),
    ...leftOut.map(({ kind, count, first }) => `- ${count} left out: ${kind} (first: ${first})`),
  ];
}

/** Returns the number of all that was counted. */
export const sumOf = (counted: readonly Counted[]) => counted.reduce((total, { count }) => total + count, 0);

/** Formats a report as JSON. */
export const reportAsJson = (report: object): string => `${JSON.stringify(report, null, 2)}\n`;
