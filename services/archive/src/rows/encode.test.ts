import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anyEvents } from '@switchboard/contracts/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeRecord } from '../events/decode.ts';
import { rowsOf } from '../events/packed-events.ts';
import { archivedEvent, withStrings } from '../testing/archived-event.ts';
import { query, sent } from '../testing/events-harness.ts';
import { eventRecords, type SentEvent } from '../testing/records.ts';
import { encodeEvents } from './encode.ts';
import { openBytes } from './read.ts';
import type { Row } from './row.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-parquet-'));
});
afterAll(() => rm(folder, { recursive: true }));

const receivedAt = new Date('2026-03-01T10:00:00.123Z');
const sentAt = '2026-03-01T09:59:59.000Z';

/** Returns the events of a batch as ingestion publishes them, decoded. */
function archived(events: SentEvent[], projectId = 'p1'): Row[] {
  const records = eventRecords(events, { projectId, receivedAt, sentAt, partitions: 2 });
  return records.flatMap((record, index) => {
    const stored = { ...record, topic: 'events', offset: BigInt(index), timestamp: 0 };
    const { events, undecodable } = decodeRecord(stored);
    expect(undecodable).toEqual([]);
    return rowsOf(events, []);
  });
}

let files = 0;
/** The last written file. Each has its own name, because DuckDB caches what it read by name. */
const lastFile = () => join(folder, `${files}.parquet`);

async function written(events: Row[]) {
  files += 1;
  const file = lastFile();
  await writeFile(file, encodeEvents(events));
  return query(`select * from read_parquet('${file}', file_row_number = true) order by file_row_number`);
}

describe('a Parquet file', () => {
  it('writes a Parquet file from which DuckDB reads events as sent', async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, async (events) => {
        const first = new Map(events.map((one) => [one.event_id, one] as const).reverse());
        const rows = await written(archived(events));
        expect(rows).toHaveLength(first.size);
        for (const row of rows) {
          const one = first.get(String(row['event_id']));
          expect(row).toMatchObject({
            project_id: 'p1',
            event_name: one?.event_name,
            distinct_id: one?.distinct_id,
            session_id: one?.session_id ?? null,
            schema_version: String(one?.schema_version),
            timestamp: one?.timestamp,
          });
          const properties = row['properties'];
          const expected = one?.properties && JSON.parse(JSON.stringify(one.properties));
          expect(typeof properties === 'string' ? JSON.parse(properties) : undefined).toEqual(expected);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('keeps unusual texts and numbers in a Parquet file', async () => {
    const properties = {
      zero: 0,
      largest: Number.MAX_SAFE_INTEGER,
      tiny: 5e-324,
      huge: 1.7976931348623157e308,
      text: 'é👩‍🚀\u2028 "quoted" \\ \n \u0000 \ud800',
      '': null,
      ['__proto__']: [1, [2, [3, {}]]],
    };
    const context = { os: 'Ωs', locale: null };
    const raw = archived([sent({ properties, context })]);
    const [row] = await written(raw);
    // Replaces unpaired surrogates, which are not valid text.
    const text = properties.text.toWellFormed();
    expect(JSON.parse(String(row?.['properties']))).toEqual({ ...properties, text });
    expect(Object.keys(JSON.parse(String(row?.['properties'])))).toContain('__proto__');
    expect(JSON.parse(String(row?.['context']))).toEqual(context);
    const [bare] = await written(archived([sent()]));
    expect(bare).toMatchObject({ session_id: null, properties: null, context: null });
  });

  it('gives a Parquet file columns of the right types, in UTC', async () => {
    await written(archived([sent({ timestamp: '2026-03-01T11:30:00.5+02:00' })]));
    const file = lastFile();
    const columns = await query(`select column_name, column_type from (describe select * from '${file}')`);
    expect(Object.fromEntries(columns.map((row) => [row['column_name'], row['column_type']]))).toEqual({
      project_id: 'VARCHAR',
      event_id: 'VARCHAR',
      event_name: 'VARCHAR',
      distinct_id: 'VARCHAR',
      session_id: 'VARCHAR',
      schema_version: 'BIGINT',
      occurred_at: 'TIMESTAMP WITH TIME ZONE',
      received_at: 'TIMESTAMP WITH TIME ZONE',
      sent_at: 'TIMESTAMP WITH TIME ZONE',
      timestamp: 'VARCHAR',
      properties: 'VARCHAR',
      context: 'VARCHAR',
      bot: 'BOOLEAN',
      log_partition: 'INTEGER',
      log_offset: 'BIGINT',
      log_line: 'INTEGER',
    });
    expect(await query(`select occurred_at, received_at, sent_at, "timestamp" from '${file}'`)).toEqual([
      {
        occurred_at: '2026-03-01 09:30:00.5+00',
        received_at: '2026-03-01 10:00:00.123+00',
        sent_at: '2026-03-01 09:59:59+00',
        timestamp: '2026-03-01T11:30:00.5+02:00',
      },
    ]);
  });

  it('stores times from year 0000 to 9999 in a Parquet file', async () => {
    const events = ['0000-01-01T00:00:00Z', '1969-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'];
    const rows = await written(archived(events.map((timestamp) => sent({ distinct_id: 'one', timestamp }))));
    expect(rows.map((row) => row['occurred_at'])).toEqual([
      '0000-01-01 00:00:00+00',
      '1969-12-31 23:59:59.999+00',
      '9999-12-31 23:59:59.999+00',
    ]);
  });

  it('writes the same Parquet file byte for byte for the same events', async () => {
    const events = Array.from({ length: 100 }, () => sent());
    const again = encodeEvents(archived(events));
    expect(Buffer.from(encodeEvents(archived(events))).equals(again)).toBe(true);
  });

  it('records where the rows of a project are in a Parquet file', async () => {
    const events = ['a', 'b', 'c'].flatMap((projectId) =>
      archived(
        Array.from({ length: 5000 }, () => sent()),
        projectId,
      ),
    );
    await written(events);
    const file = lastFile();
    const groups = await query(
      `select stats_min_value as first, stats_max_value as last from parquet_metadata('${file}')
       where path_in_schema = 'project_id' order by row_group_id`,
    );
    expect(groups.map(({ first, last }) => `${first}${last}`)).toEqual(['aa', 'ab', 'bc', 'cc']);
  });

  it('reads a Parquet file as it was written, byte order marks included', async () => {
    const [full, bare] = [
      archivedEvent(0, {
        distinctId: '\ufeffada',
        sessionId: 's',
        sentAt: 1_772_350_200_000,
        isBot: true,
        properties: '{"größe":"\ufeff1"}',
        context: '{}',
      }),
      archivedEvent(1),
    ];
    const found: Row[] = [];
    for await (const group of (await openBytes(encodeEvents([full, bare]))).groups()) found.push(...group);
    expect(found.map(withStrings)).toEqual([full, bare]);
  });

  it('finds the row of an event in a Parquet file', async () => {
    const events = archived(Array.from({ length: 9000 }, () => sent()));
    const file = await openBytes(encodeEvents(events));
    for (const index of [0, 1, 5000, 8999]) {
      const event = events[index];
      expect(event && (await file.findRow('p1', event))).toBe(index);
      expect(event && (await file.findRow('p2', event))).toBeUndefined();
    }
    expect(await file.findRow('p1', { partition: 0, offset: 99n, line: 0, receivedAt: 0 })).toBeUndefined();
  });
});
