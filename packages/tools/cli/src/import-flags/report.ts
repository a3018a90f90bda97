import { countsOf, describeOutcomes } from '../manifest/outcomes.ts';
import { oneLine } from '../terminal/text-table.ts';
import type { Conversion } from './conversion/conversion.ts';
import type { Imported } from './import-flags.ts';

/** The result of an import. */
export type ImportReport = Imported & Pick<Conversion, 'warnings' | 'leftOut'>;

/** Formats one line for each change, conflict, warning and flag that is left out, then the counts. */
export function describeReport(
  { outcomes, conflicts, warnings, leftOut }: ImportReport,
  tense: 'done' | 'would',
) {
  const lines = [
    ...warnings.map(({ key, message }) => `warning: flag ${key}: ${message}`),
    ...conflicts.map(({ kind, id, reason }) => `! ${kind} ${id}: ${reason}`),
    ...leftOut.map(({ key, reason }) => `- flag ${key}: left out: ${reason}`),
  ];
  return [
    ...lines.map((line) => `${oneLine(line)}\n`),
    describeOutcomes(outcomes, tense),
    `${conflicts.length} in conflict, ${leftOut.length} left out\n`,
  ].join('');
}

/** Formats the report as JSON. */
export function reportAsJson({ outcomes, conflicts, warnings, leftOut }: ImportReport): string {
  const changes = outcomes.filter(({ change }) => change !== 'unchanged');
  return `${JSON.stringify({ ...countsOf(outcomes), changes, conflicts, warnings, leftOut }, null, 2)}\n`;
}
