import { hash } from 'node:crypto';
import type { RecordBatch, StoredRecord } from '@switchboard/event-log';
import { Refused } from '../clickhouse/requests.ts';
import type { ClickhouseStore, EventsRow } from '../clickhouse/store.ts';
import { decodeRecord } from './decode.ts';
import type { Block } from './store.ts';

/** ClickHouse error codes for rows that it will never accept, regardless of its state. */
const OF_ROWS = new Set([6, 25, 26, 27, 38, 41, 53, 69, 70, 72, 117, 131, 190, 321, 349, 407, 441, 469]);

export interface Inserted {
  events: number;
  duplicates: number;
  deadLetters: number;
}

interface InsertOptions {
  store: Pick<ClickhouseStore, 'findKeys' | 'insertEvents' | 'insertKeys'>;
  batch: Pick<RecordBatch, 'deadLetter'>;
  signal: AbortSignal;
}

interface KeyedRow {
  key: string;
  row: EventsRow;
  record: StoredRecord;
}

/**
 * Inserts the events of a block that are not in ClickHouse yet, and only then stores their ids. A repetition after a
 * crash is recognized by the name of the block. Rows that ClickHouse rejects go to the dead-letter topic.
 */
export async function insertBlock(
  { partition, firstOffset, firstAt, lastOffset }: Block,
  records: readonly StoredRecord[],
  { store, batch, signal }: InsertOptions,
): Promise<Inserted> {
  const token = `events/${partition}/${firstAt}/${firstOffset}-${lastOffset}`;
  const all = records.flatMap((record) =>
    decodeRecord(record).map(
      (row): KeyedRow => ({ key: eventKey(row.project_id, row.event_id), row, record }),
    ),
  );
  // The first event of each key counts.
  const firsts = new Map(all.toReversed().map((one) => [one.key, one]));
  const known = await store.findKeys([...firsts.keys()], signal);
  const isNew = ({ key }: KeyedRow) => !known.has(key);
  const fresh = all.filter((one) => firsts.get(one.key) === one && isNew(one));
  const refused = new Set<KeyedRow>();

  async function insert(rows: readonly KeyedRow[], name: string): Promise<void> {
    if (rows.length === 0) return;
    try {
      await store.insertEvents(
        name,
        rows.map(({ row }) => row),
        signal,
      );
    } catch (error) {
      const isOfRows = error instanceof Refused && OF_ROWS.has(error.code);
      if (!isOfRows) throw error;
      const [first, ...others] = rows;
      if (first !== undefined && others.length === 0) {
        await batch.deadLetter(deadLetter(first), error.message);
        refused.add(first);
        return;
      }
      const middle = Math.ceil(rows.length / 2);
      await insert(rows.slice(0, middle), `${name}/0`);
      await insert(rows.slice(middle), `${name}/1`);
    }
  }

  await insert(fresh, token);
  const taken = fresh.filter((one) => !refused.has(one));
  if (taken.length > 0) {
    await store.insertKeys(
      token,
      taken.map(({ key }) => key),
      signal,
    );
  }
  return { events: taken.length, duplicates: all.length - fresh.length, deadLetters: refused.size };
}

/** Returns a dead letter with the line of a row instead of its whole record. */
function deadLetter({ record, row }: KeyedRow): StoredRecord {
  const line = record.value?.toString().split('\n')[row.log_line] ?? '';
  return {
    ...record,
    value: Buffer.from(line),
    headers: { ...record.headers, 'dead-letter-line': String(row.log_line) },
  };
}

/** Returns a compact key of a project's event: 128 bits of SHA-256, formatted as a UUID. */
function eventKey(projectId: string, eventId: string): string {
  // No id contains NUL.
  const digits = hash('sha256', `${projectId}\0${eventId}`, 'hex');
  return digits.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
