import type { OutgoingRecord } from '@switchboard/event-log';
import { z } from 'zod';
import { directoryTombstone, findKey, type Kind } from './record.ts';

/** An entry of which an older record came last in the topic `directory`. */
export interface LateEntry {
  /** Of its record. */
  key: string;
  kind: Kind;
  /** Its parent's, if it has one, and its own. */
  identifiers: string[];
}

/** PostgreSQL refuses longer ones in the index of every replica, which could then not go on after the tombstone. */
const MAX_KEY_LENGTH = 2_500;
/** PostgreSQL refuses the character. */
const NUL = '%00';

const schema = z.object({
  entry: z
    .string()
    .max(MAX_KEY_LENGTH)
    .refine((key) => !key.includes(NUL)),
});

/**
 * The report of an entry, by its record's key. It goes to the topic of erasure reports, which has one partition: every
 * service may write it, and links carry it home.
 */
export function lateEntryRecord(entry: string): OutgoingRecord {
  return { partition: 0, key: entry, value: Buffer.from(JSON.stringify({ entry })), headers: {} };
}

/** Undefined when the record is no such report. */
export function parseLateEntry({ value }: Pick<OutgoingRecord, 'value'>): LateEntry | undefined {
  try {
    const { entry: key } = schema.parse(JSON.parse(value?.toString('utf8') ?? ''));
    const named = findKey(key);
    if (named === undefined) return undefined;
    const identifiers = named.id.split('/').map(decodeURIComponent);
    const isKey = directoryTombstone(named.kind, ...identifiers).key === key;
    return isKey ? { key, kind: named.kind, identifiers } : undefined;
  } catch {
    return undefined;
  }
}
