import type { Db, Tx } from '@switchboard/database';
import type { EventLog, RecordBatch } from '@switchboard/event-log';
import { ERASURE_REPORTS_TOPIC } from './erasures/reports.ts';
import { lateEntryRecord } from './late-entries.ts';
import { type Change, parseRecord, UnreadableRecord } from './record.ts';
import { findRemoved, type OnRemoved } from './removals/removals.ts';
import { advance, applyChanges, findLate, lockPosition, notifyChanged, readPosition } from './store.ts';

/**
 * Applies consecutive records of a partition in one transaction. The transaction also announces the changed entries
 * and removes the data stored under removed entries. Skips records that were applied before or are older than the
 * replica's entry. Dead-letters unreadable records.
 */
export async function applyBatch(
  db: Db,
  log: Pick<EventLog, 'publish'>,
  batch: RecordBatch,
  onRemoved?: OnRemoved,
): Promise<void> {
  // Every instance of a service reads the whole topic, and usually another instance has applied the batch already.
  if (batch.nextOffset <= (await readPosition(db, batch.partition))) return;
  await db.transaction(async (tx) => {
    const from = await lockPosition(tx, batch.partition);
    if (batch.nextOffset <= from) return;
    const changes = await parse(batch, from);
    const newest = new Map<string, Change>();
    const last = new Map<string, Change>();
    for (const change of changes) {
      const key = `${change.kind}:${change.id}`;
      last.set(key, change);
      if (change.revision > (newest.get(key)?.revision ?? -1n)) newest.set(key, change);
    }
    const removed = onRemoved === undefined ? [] : await findRemoved(tx, [...newest.values()]);
    const changed = await applyChanges(tx, [...newest.values()]);
    // Runs after the change, because the change waits for transactions that lock an entry.
    if (removed.length > 0) await onRemoved?.(tx, removed);
    const mayBeLate = [...last].filter(([key, change]) => !changed.has(key) || newest.get(key) !== change);
    await reportLate(
      tx,
      log,
      mayBeLate.map(([, change]) => change),
    );
    await advance(tx, batch.partition, batch.nextOffset);
    for (const payload of announcements([...changed])) await notifyChanged(tx, payload);
  });
}

/** Returns the changes from an offset on. Dead-letters unreadable records. */
async function parse(batch: RecordBatch, from: bigint): Promise<Change[]> {
  const changes: Change[] = [];
  for (const record of batch.records) {
    if (record.offset < from) continue;
    try {
      changes.push(parseRecord(record));
    } catch (error) {
      if (!(error instanceof UnreadableRecord)) throw error;
      await batch.deadLetter(record, error.message);
    }
  }
  return changes;
}

/**
 * Compaction keeps the last record of an entry, which may not be the newest. If the last record is older than the
 * replica's entry, asks catalogue to publish the entry again, so that later readers also end with the newest.
 */
async function reportLate(tx: Tx, log: Pick<EventLog, 'publish'>, mayBeLate: Change[]): Promise<void> {
  if (mayBeLate.length === 0) return;
  const keys = await findLate(tx, mayBeLate);
  if (keys.length > 0) await log.publish(ERASURE_REPORTS_TOPIC, keys.map(lateEntryRecord));
}

/** PostgreSQL limits a notification to 7,999 bytes. */
const MAX_ANNOUNCEMENT_BYTES = 7_500;

/** Returns the keys as JSON arrays, each small enough for one notification. */
export function announcements(keys: readonly string[]): string[] {
  const payloads: string[] = [];
  let group: string[] = [];
  let bytes = 2;
  for (const key of keys) {
    const size = Buffer.byteLength(JSON.stringify(key)) + 1;
    if (bytes + size > MAX_ANNOUNCEMENT_BYTES && group.length > 0) {
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
