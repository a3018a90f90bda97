import type { OutgoingRecord } from '@switchboard/event-log';
import { z } from 'zod';
import { directoryTombstone, findKey, type Kind } from './record.ts';

/** An entry for which an older record came last in the topic `directory`. */
export interface LateEntry {
  /** The key of the entry's record. */
  key: string;
  kind: Kind;
  /** The parent's identifier, if there is a parent, and the entry's own. */
  identifiers: string[];
}

/** PostgreSQL rejects longer keys in the index of every replica, which would then be stuck at the tombstone. */
const MAX_KEY_LENGTH = 2_500;
/** The encoding of NUL, which PostgreSQL rejects. */
const NUL = '%00';

const schema = z.object({
  entry: z
    .string()
    .max(MAX_KEY_LENGTH)
    .refine((key) => !key.includes(NUL)),
});

/**
 * Returns the report of an entry, given its record's key. The report goes to the one-partition topic of erasure
 * reports, which every service may write and links carry to the home region.
 */
export function lateEntryRecord(entry: string): OutgoingRecord {
  return { partition: 0, key: entry, value: Buffer.from(JSON.stringify({ entry })), headers: {} };
}

/** Returns undefined if the record is not a report of a late entry. */
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
