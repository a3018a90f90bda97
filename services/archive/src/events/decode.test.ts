import { eventRow } from '@switchboard/contracts';
import { anyEvents } from '@switchboard/contracts/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeRecord } from './decode.ts';
import { rowsOf } from './packed-events.ts';

const fields = Object.keys(eventRow.shape);
const anyValue = fc.oneof(
  fc.constantFrom('', 'a', '\0', 'x'.repeat(200), 'x'.repeat(201), '😀'.repeat(200), '2026-02-30T00:00:00Z'),
  fc.constantFrom(null, undefined, true, 1, 1.5, 2 ** 53, [], {}, { os: 1 }, { os: null }, { other: 1 }),
  fc.json().map((text): unknown => JSON.parse(text)),
);

it('archives only the lines that the schema of a row accepts', () => {
  fc.assert(
    fc.property(anyEvents, fc.constantFrom(...fields), anyValue, ([event], field, value) => {
      const line = JSON.stringify({ ...event, occurred_at: event?.timestamp, [field]: value });
      const { events, undecodable } = decodeRecord({
        topic: 'events',
        partition: 0,
        offset: 7n,
        timestamp: 0,
        key: 'shop',
        value: Buffer.from(`${line}\n{}\n${line}`),
        headers: { project: 'shop', received_at: '2026-03-01T10:00:00.000Z' },
      });
      const isRow = eventRow.safeParse(JSON.parse(line)).success;
      expect(rowsOf(events, [2]).map((row) => row.line)).toEqual(isRow ? [0] : []);
      expect(undecodable.map((one) => one.line)).toEqual(isRow ? [1] : [0, 1, 2]);
    }),
    { numRuns: 2_000 },
  );
});

it.each([
  [{ bot: 'true' }, true],
  [{}, false],
])('marks each event of a record with the headers %j as sent by a known bot: %s', (more, expected) => {
  const event = { distinct_id: 'ada', event_id: 'one', event_name: 'page seen', schema_version: 1 };
  const time = '2026-03-01T10:00:00.000Z';
  const line = JSON.stringify({ ...event, timestamp: time, occurred_at: time });
  const headers = { project: 'shop', received_at: time, ...more };
  const record = { topic: 'events', partition: 0, offset: 7n, timestamp: 0, key: 'shop' };
  const { events } = decodeRecord({ ...record, value: Buffer.from(`${line}\n${line}`), headers });
  expect(rowsOf(events, []).map(({ isBot }) => isBot)).toEqual([expected, expected]);
});

it('decodes each line on its own, also next to a line that is not UTF-8', () => {
  const good = JSON.stringify({
    distinct_id: 'é',
    event_id: 'one',
    event_name: 'page seen',
    schema_version: 1,
    timestamp: '2026-03-01T10:00:00Z',
    occurred_at: '2026-03-01T10:00:00Z',
  });
  const bad = Buffer.from([0x22, 0xff, 0x22]);
  const decode = (...lines: (string | Buffer)[]) => {
    const value = Buffer.concat(lines.flatMap((line) => [Buffer.from(line as never), Buffer.from('\n')]));
    const headers = { project: 'shop', received_at: '2026-03-01T10:00:00.000Z' };
    const record = { topic: 'events', partition: 0, offset: 7n, timestamp: 0, key: 'shop' };
    const { events, undecodable } = decodeRecord({ ...record, value, headers });
    return [
      rowsOf(events, []).map((row) => row.line),
      undecodable.map((one) => [one.line, one.value, one.reason]),
    ];
  };
  const empty = [1, new Uint8Array(), 'not JSON'];
  expect(decode(good, '', good)).toEqual([[0, 2], [empty]]);
  expect(decode(good, '', bad, good)).toEqual([
    [0, 3],
    [empty, [2, new Uint8Array(bad), 'not UTF-8']],
  ]);
});

it('archives half a surrogate pair as U+FFFD, so that the other properties can be read', () => {
  const line = JSON.stringify({
    ...{ distinct_id: 'ada', event_id: 'one', event_name: 'page seen', schema_version: 1 },
    ...{ timestamp: '2026-03-01T10:00:00Z', occurred_at: '2026-03-01T10:00:00Z' },
    properties: { text: 'Pay \ud83d', plan: 'pro' },
    context: { page: '\udc00' },
  });
  const headers = { project: 'shop', received_at: '2026-03-01T10:00:00.000Z' };
  const record = { topic: 'events', partition: 0, offset: 7n, timestamp: 0, key: 'shop', headers };
  const [row] = rowsOf(decodeRecord({ ...record, value: Buffer.from(line) }).events, []);
  expect([row?.properties, row?.context].map((text) => Buffer.from(text ?? '').toString())).toEqual([
    '{"text":"Pay \ufffd","plan":"pro"}',
    '{"page":"\ufffd"}',
  ]);
});
