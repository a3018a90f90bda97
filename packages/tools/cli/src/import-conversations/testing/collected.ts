import { Refused } from '../../imports/refused.ts';
import type { ConversationSource } from '../sources/source.ts';

/** Returns the conversations in records, with the lost parts and the refused records. */
export function collected(source: ConversationSource, records: readonly object[]) {
  const [lost, refused] = [[] as string[], [] as string[]];
  const collector = source((what) => lost.push(what));
  for (const [index, record] of records.entries()) {
    try {
      collector.add({ ...record }, `export.json:${index + 1}`);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refused.push(error.message);
    }
  }
  const conversations = collector.conversations((reason) => refused.push(reason));
  return { conversations, lost, refused };
}
