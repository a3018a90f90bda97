import type { RecordBatch } from '@switchboard/event-log';
import { type EntryKey, type Kind, parseRecord, UnreadableRecord } from './record.ts';
import {
  advance,
  type Db,
  deleteEntries,
  lockPosition,
  notifyChanged,
  type Tx,
  upsertEntries,
} from './store.ts';

type Change = EntryKey & { value: string | null };

/**
 * Applies consecutive records of a partition in one transaction that also announces what changed. What was
 * applied before is passed over. Records that cannot be read go to the dead-letter topic.
 */
export async function applyBatch(db: Db, batch: RecordBatch): Promise<void> {
  const changes: { offset: bigint; change: Change }[] = [];
  for (const record of batch.records) {
    try {
      const value = record.value === null ? null : record.value.toString('utf8');
      changes.push({ offset: record.offset, change: parseRecord(record.key, value) });
    } catch (error) {
      if (!(error instanceof UnreadableRecord)) throw error;
      await batch.deadLetter(record, error.message);
    }
  }
  await db.transaction(async (tx) => {
    const from = await lockPosition(tx, batch.partition);
    if (batch.nextOffset <= from) return;
    const last = new Map<string, Change>();
    for (const { offset, change } of changes) {
      if (offset >= from) last.set(`${change.kind}:${change.id}`, change);
    }
    await write(tx, [...last.values()]);
    await advance(tx, batch.partition, batch.nextOffset);
    for (const payload of announcements([...last.keys()])) await notifyChanged(tx, payload);
  });
}

async function write(tx: Tx, changes: Change[]): Promise<void> {
  const puts: { kind: Kind; id: string; value: string }[] = [];
  const deletes = new Map<Kind, string[]>();
  for (const { kind, id, value } of changes) {
    if (value !== null) puts.push({ kind, id, value });
    else deletes.set(kind, [...(deletes.get(kind) ?? []), id]);
  }
  if (puts.length > 0) await upsertEntries(tx, puts);
  for (const [kind, ids] of deletes) await deleteEntries(tx, kind, ids);
}

/** PostgreSQL takes up to 7,999 bytes in one notification. */
const longestAnnouncement = 7_500;

/** The keys in as few JSON arrays as fit a notification each. */
export function announcements(keys: readonly string[]): string[] {
  const payloads: string[] = [];
  let group: string[] = [];
  let bytes = 2;
  for (const key of keys) {
    const size = Buffer.byteLength(JSON.stringify(key)) + 1;
    if (bytes + size > longestAnnouncement && group.length > 0) {
      payloads.push(JSON.stringify(group));
      group = [];
      bytes = 2;
    }
    group.push(key);
    bytes += size;
  }
  if (group.length > 0) payloads.push(JSON.stringify(group));
  return payloads;
}
