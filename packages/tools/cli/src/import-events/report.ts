import { oneLine } from '../terminal/text-table.ts';
import type { ImportedEvents } from './import-events.ts';

/** Formats the counts, and one line for each kind of record that is refused and part that is left out. */
export function describeReport(report: ImportedEvents, tense: 'done' | 'would'): string {
  const { files, imported, known, people, refused, leftOut } = report;
  const would = tense === 'would' ? 'would be ' : '';
  const lines = [
    ...refused.map(({ kind, count, first }) => `! ${count} refused: ${kind} (first: ${first})`),
    ...leftOut.map(({ kind, count, first }) => `- ${count} left out: ${kind} (first: ${first})`),
    `${imported} events ${would}imported, ${known} already there, ${sum(refused)} refused, ${people} calls for people ${would}sent, ${files} files`,
  ];
  return lines.map((line) => `${oneLine(line)}\n`).join('');
}

const sum = (kinds: readonly { count: number }[]) => kinds.reduce((total, { count }) => total + count, 0);

/** Formats the report as JSON. */
export const reportAsJson = (report: ImportedEvents): string => `${JSON.stringify(report, null, 2)}\n`;
