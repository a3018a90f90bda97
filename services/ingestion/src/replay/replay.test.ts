import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { REPLAY_MAX_BYTES, replayRecord } from '@switchboard/contracts';
import { partitionFor, type StoredRecord } from '@switchboard/event-log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY, PARTITIONS, PROJECT, startIngestion, type TestIngestion } from '../testing/service.ts';

let ingestion: TestIngestion;
beforeAll(async () => {
  ingestion = await startIngestion();
});
afterAll(() => ingestion.stop());

const upload = (body: unknown, headers?: Record<string, string>) =>
  ingestion.post('/v1/replay', body, headers);

function chunk(fields: Record<string, unknown> = {}) {
  return {
    distinct_id: 'ada',
    events: [{ type: 2, data: { text: 'é' } }, null, 7],
    masked: true,
    schema_version: 1,
    sdk: 'web',
    seq: 0,
    session_id: 'session-1',
    timestamp: '2026-03-01T09:30:00.000Z',
    ...fields,
  };
}

const nested = (depth: number) =>
  JSON.stringify(chunk()).replace('null', '['.repeat(depth) + ']'.repeat(depth));

/** Uploads again after each 503, as an SDK does. Returns the number of uploads. */
async function uploadUntilStored(body: string): Promise<number> {
  for (let uploads = 1; ; uploads++) {
    const { status } = await upload(body);
    if (status !== 503) {
      expect(status).toBe(202);
      return uploads;
    }
    await pause(1_000);
  }
}

const joined = (records: StoredRecord[]): unknown =>
  JSON.parse(Buffer.concat(records.map(({ value }) => value ?? Buffer.alloc(0))).toString());

describe('a replay chunk', () => {
  it('answers 202 without a body to a chunk, and writes one record on the partition of its session', async () => {
    const answer = await upload({ ...chunk(), api_key: KEY });
    expect(answer).toMatchObject({ status: 202, body: undefined });
    const records = await ingestion.published('replays');
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({
      key: `${PROJECT}:session-1`,
      partition: partitionFor(`${PROJECT}:session-1`, PARTITIONS),
      headers: { project: PROJECT, session: 'session-1', seq: '0', part: '1', parts: '1' },
    });
    expect(joined(records)).toEqual({ project_id: PROJECT, ...chunk() });
    expect(replayRecord.parse(joined(records))).toEqual(joined(records));
  });

  it.each([
    ['a year fast', 365 * 86_400_000, -365 * 86_400_000],
    ['61 s fast', 61_000, -61_000],
    ['30 s fast', 30_000, 0],
    ['sent again an hour later', -3_600_000, 0],
    ['eight days slow', -8 * 86_400_000, 8 * 86_400_000],
  ])('records how to correct the times of a chunk with a clock that is %s', async (_, off, correction) => {
    const session = `off by ${off}`;
    const timestamp = new Date(Date.now() + off).toISOString();
    expect((await upload({ ...chunk({ timestamp, session_id: session }), api_key: KEY })).status).toBe(202);
    const records = await ingestion.published('replays');
    const [record] = records.filter(({ headers }) => headers['session'] === session);
    const stated = Number(record?.headers['correction']);
    // Allows for the duration of the request.
    expect(Math.abs(stated - correction)).toBeLessThan(correction === 0 ? 1 : 60_000);
    expect(Date.parse(timestamp) + stated).toBe(
      correction === 0 ? Date.parse(timestamp) : Date.parse(record?.headers['received_at'] ?? ''),
    );
  });

  it('publishes a chunk above 900 kB in parts with one key', async () => {
    const large = chunk({ seq: 3, events: [{ text: `é${randomBytes(1_500_000).toString('base64')}` }] });
    const sent = gzipSync(JSON.stringify(large));
    expect((await upload(sent, { Authorization: `Bearer ${KEY}`, 'Content-Encoding': 'gzip' })).status).toBe(
      202,
    );
    const records = await ingestion.published('replays');
    expect(records.map(({ headers }) => `${headers['part']} of ${headers['parts']}`)).toEqual([
      '1 of 3',
      '2 of 3',
      '3 of 3',
    ]);
    expect(new Set(records.map(({ key, headers }) => `${key} ${headers['chunk']}`)).size).toBe(1);
    for (const { value } of records) expect(value?.length).toBeLessThanOrEqual(900_000);
    expect(joined(records)).toEqual({ project_id: PROJECT, ...large });
  });

  it('accepts a chunk of 25 MiB of small events in any layout, and keeps its events byte for byte', async () => {
    const move =
      '{"type":3,"data":{"source":1,"positions":[{"x":1,"y":2,"id":3,"timeOffset":-4}]},"timestamp":5}';
    const { events: _, ...metadata } = chunk({ session_id: 'session-2' });
    const before = `{ "events" : [ 1e400, "\\u00e9",\n {"a": 1, "a": 2},`;
    const after = ` ] ,"api_key":"${KEY}",${JSON.stringify(metadata).slice(1)}`;
    const room = REPLAY_MAX_BYTES - Buffer.byteLength(before + after);
    const moves = `${move},`.repeat(Math.floor(room / (move.length + 1)) - 1) + move;
    const uploads = await uploadUntilStored(before + moves + after);
    const records = await ingestion.published('replays');
    const parts = new Map(records.map(({ headers, value }) => [headers['part'], value ?? Buffer.alloc(0)]));
    expect(records.length).toBeLessThanOrEqual(uploads * parts.size);
    const json = Buffer.concat([...parts.values()]).toString();
    const head = JSON.stringify({ project_id: PROJECT, ...metadata, events: [] }).slice(0, -2);
    expect(json === `${head}1e400, "\\u00e9",\n {"a": 1, "a": 2},${moves}]}`).toBe(true);
  });

  it.each([
    ['[]', []],
    ['[ \n ]', []],
    [' [ 1 ]', [1]],
  ])('publishes the events %s of a chunk', async (events, expected) => {
    const text = JSON.stringify(chunk()).replace(/"events":.*"masked"/, `"events":${events},"masked"`);
    expect((await upload(text)).status).toBe(202);
    const records = await ingestion.published('replays');
    expect(joined(records)).toEqual({ project_id: PROJECT, ...chunk({ events: expected }) });
    expect(records[0]?.value?.toString()).toMatch(/"events":\[(1)?\]\}$/);
  });

  it('gives a chunk the same name when it is sent again, and another name when it differs', async () => {
    await upload(chunk({ seq: 4 }));
    await upload(chunk({ seq: 4 }));
    await upload(chunk({ seq: 4, masked: false }));
    const names = (await ingestion.published('replays')).map(({ headers }) => headers['chunk']);
    expect(names[0]).toBe(names[1]);
    expect(names[2]).not.toBe(names[0]);
  });

  it.each([
    ['a negative seq', chunk({ seq: -1 }), 400, /^seq: /],
    ['events that are not an array', chunk({ events: {} }), 400, /^events: not an array/],
    [
      'an event that is not JSON',
      JSON.stringify(chunk()).replace('null', 'nul'),
      400,
      /^body: not valid JSON/,
    ],
    ['events nested too deeply', nested(6_000), 400, /^body: nested deeper than 5000 levels/],
    ['no session', chunk({ session_id: undefined }), 400, /^session_id: required/],
    ['a session of white space', chunk({ session_id: ' ' }), 400, /^session_id: only white space/],
    ['a person of white space', chunk({ distinct_id: '\t' }), 400, /^distinct_id: only white space/],
  ])(
    'rejects a chunk with %s with an empty body and the reason in X-Error',
    async (_, body, status, reason) => {
      const answer = await upload(body);
      expect(answer).toMatchObject({ status, body: undefined });
      expect(answer.headers.get('x-error')).toMatch(reason);
      expect(await ingestion.published('replays')).toEqual([]);
    },
  );

  it('answers 413 to a chunk over 25 MiB, on the wire or decompressed', async () => {
    const large = JSON.stringify(chunk({ events: [randomBytes(65_536).toString('hex').repeat(200)] }));
    expect((await upload(large)).status).toBe(413);
    const headers = { Authorization: `Bearer ${KEY}`, 'Content-Encoding': 'br' };
    const answer = await upload(
      brotliCompressSync(large, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
      headers,
    );
    expect(answer).toMatchObject({ status: 413, body: undefined });
    expect(answer.headers.get('x-error')).toMatch(/26214400 bytes/);
  });

  it('answers 401 with an empty body to a chunk without a key', async () => {
    expect(await upload(chunk(), {})).toMatchObject({ status: 401, body: undefined });
  });
});
