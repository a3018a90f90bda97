import { reasonsIn, sumOf } from '../imports/reasons.ts';
import { oneLine } from '../terminal/text-table.ts';
import type { ImportedConversations } from './import-conversations.ts';

/** Formats the counts, and one line for each kind of record that is refused and part that is left out. */
export function describeReport(report: ImportedConversations, tense: 'done' | 'would'): string {
  const { files, imported, known, turns, notes, attachments, people, refused } = report;
  const would = tense === 'would' ? 'would be ' : '';
  const lines = [
    ...reasonsIn(report),
    `${imported} conversations ${would}imported, ${known} already there, ${sumOf(refused)} refused; ${turns} turns, ${notes} notes and ${attachments} attachments ${would}added, ${people} calls for people ${would}sent, ${files} files`,
  ];
  return lines.map((line) => `${oneLine(line)}\n`).join('');
}
