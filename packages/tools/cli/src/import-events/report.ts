import { reasonsIn, sumOf } from '../imports/reasons.ts';
import { oneLine } from '../terminal/text-table.ts';
import type { ImportedEvents } from './import-events.ts';

/** Formats the counts, and one line for each kind of record that is refused and part that is left out. */
export function describeReport(report: ImportedEvents, tense: 'done' | 'would'): string {
  const { files, imported, known, people, refused } = report;
  const would = tense === 'would' ? 'would be ' : '';
  const lines = [
    ...reasonsIn(report),
    `${imported} events ${would}imported, ${known} already there, ${sumOf(refused)} refused, ${people} calls for people ${would}sent, ${files} files`,
  ];
  return lines.map((line) => `${oneLine(line)}\n`).join('');
}
