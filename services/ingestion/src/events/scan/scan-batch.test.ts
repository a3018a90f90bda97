import { type EventBatch, eventBatch } from '@switchboard/contracts';
import { anyEvents } from '@switchboard/contracts/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { event } from '../../testing/service.ts';
import { type EventLines, eventLines } from '../event-lines.ts';
import { eventRecords } from '../event-records.ts';
import { scanBatch } from './scan-batch.ts';

const SENT_AT = '2026-03-01T10:00:00.000Z';

/** Returns the result of the schema and JSON.stringify for a body. Returns undefined if the body is rejected. */
function parsed(body: Buffer): EventLines | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    const { success, data } = eventBatch.safeParse(JSON.parse(text));
    return success ? eventLines(data) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the stored events, with each line parsed like any reader does. */
function stored(lines: EventLines) {
  const { records } = eventRecords(lines, {
    projectId: 'p1',
    receivedAt: new Date(SENT_AT),
    isBot: false,
    partitions: 4,
  });
  return records.map(({ value, ...record }) => ({
    ...record,
    // Uses JSON.stringify because it turns -0 into 0.
    lines: String(value)
      .split('\n')
      .map((line) => JSON.parse(JSON.stringify(JSON.parse(line)))),
  }));
}

/** Compares both ways if the scan has a result. Returns whether it has one. */
function compare(body: Buffer): boolean {
  const scanned = scanBatch(body);
  if (scanned === undefined) return false;
  const expected = parsed(body);
  if (expected === undefined) throw new Error(`accepted only by the scan: ${body}`);
  expect(scanned.sentAt).toBe(expected.sentAt);
  expect(stored(scanned)).toEqual(stored(expected));
  return true;
}

const bodyOf = (batch: unknown, space?: string) => Buffer.from(JSON.stringify(batch, null, space));
const withEvent = (members: string) =>
  Buffer.from(`{"events":[{${members}}],"sent_at":"${SENT_AT}","api_key":null}`);
const VALID =
  '"distinct_id":"ada","event_id":"e1","event_name":"n","schema_version":1,"timestamp":"2026-03-01T09:30:00.000Z"';

const space = fc.constantFrom('', '', '', ' ', '  ', '\n', '\t');
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.integer().map(String),
  fc.constantFrom(
    '-0',
    '0',
    '1e400',
    '-1E5',
    '1e-7',
    '1.50',
    '01',
    '1.',
    '.5',
    '+1',
    '-',
    '1e',
    '9'.repeat(30),
  ),
);
const escaped = fc.constantFrom(
  '\\n',
  '\\/',
  '\\u0041',
  '\\u0000',
  '\\ud800',
  '\\ud83d\\ude00',
  '\\x',
  '\\u00g0',
  '\\',
);
const raw = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => JSON.stringify(text).slice(1, -1)),
  fc.constantFrom(
    '\u0001',
    '\n',
    '\u007f',
    '\u2028',
    '猫',
    ' ',
    'x'.repeat(201),
    '😀'.repeat(101),
    '😀'.repeat(201),
  ),
);
const string = fc
  .array(fc.oneof({ weight: 6, arbitrary: raw }, { weight: 1, arbitrary: escaped }), { maxLength: 3 })
  .map((parts) => `"${parts.join('')}"`);
const key = fc.oneof(
  string,
  fc.constantFrom('"a"', '"b"', '"__proto__"', '"\\u0061"', '"constructor"', '""'),
);

/** Texts of JSON values, valid or nearly valid, in forms that no serialiser writes. */
const { value } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(string, number, fc.constantFrom('true', 'false', 'null', 'nul', 'undefined', '')),
    fc
      .array(fc.tuple(space, tie('value')), { maxLength: 4 })
      .map((all) => `[${all.map((one) => one.join('')).join(',')}]`),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(space, key, space, fc.constant(':'), tie('value'), space), { maxLength: 5 })
    .map((members) => `{${members.map((one) => one.join('')).join(',')}}`),
}));

const member = fc.oneof(
  fc.constantFrom(
    '"session_id":null',
    '"session_id":"s"',
    '"properties":{}',
    '"context":{"os":"x","app":1,"locale":null,"sdk":"","x":{"y":[1]}}',
    '"context":{"a":1,"b":2}',
    '"context":{"a":1,"os":"b"}',
    '"occurred_at":"forged"',
    '"distinct_id":"béa"',
    '"event_name":" "',
    '"timestamp":"2016-12-31T23:59:60.000Z"',
    '"timestamp":"0000-03-01T09:30:00.000Z"',
    '"timestamp":"0001-01-01T00:30:00+01:00"',
    '"event_\\u0069d":"e2"',
  ),
  fc
    .tuple(
      fc.constantFrom(
        'properties',
        'context',
        'session_id',
        'distinct_id',
        'event_name',
        'timestamp',
        'schema_version',
        'x',
      ),
      space,
      value,
    )
    .map(([name, gap, text]) => `"${name}":${gap}${text}`),
);

describe('the scan of a body', () => {
  it('accepts bodies that clients serialise, and stores the same', () => {
    fc.assert(
      fc.property(anyEvents, fc.boolean(), (events, isSpaced) => {
        const batch = { events, sent_at: SENT_AT, api_key: 'pk' } satisfies EventBatch;
        const body = isSpaced ? Buffer.from(JSON.stringify(batch).replaceAll('":', '": ')) : bodyOf(batch);
        // A name with a backslash is left to JSON.parse.
        if (compare(body) || body.includes('\\')) return;
        throw new Error(`no answer for ${body}`);
      }),
    );
  });

  it('stores the same as the schema and JSON.stringify, or gives no result, for any members', () => {
    let answered = 0;
    fc.assert(
      fc.property(
        fc.array(member, { maxLength: 3 }),
        fc.array(member, { maxLength: 3 }),
        space,
        (before, after, gap) => {
          if (compare(withEvent([...before, VALID, ...after].join(`${gap},${gap}`)))) answered++;
        },
      ),
      { numRuns: 1_000 },
    );
    expect(answered).toBeGreaterThan(10);
  });

  it('never accepts bytes that were changed into something else', () => {
    const change = fc.record({
      at: fc.nat(),
      byte: fc.integer({ min: 0, max: 255 }),
      kind: fc.nat({ max: 2 }),
    });
    fc.assert(
      fc.property(anyEvents, fc.array(change, { minLength: 1, maxLength: 3 }), (events, changes) => {
        let body = bodyOf({ events: events.slice(0, 3), sent_at: SENT_AT });
        for (const { at, byte, kind } of changes) {
          const place = at % body.length;
          if (kind === 0) body[place] = byte;
          else if (kind === 1) body = body.subarray(0, place);
          else body = Buffer.concat([body.subarray(0, place), Buffer.of(byte), body.subarray(place)]);
          if (body.length === 0) return;
        }
        compare(body);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['an unknown member at the beginning', `"x":{"a":[1,"}"]},${VALID}`],
    ['unknown members around', `"x":1,"y":2,${VALID},"z":[]`],
    ['nothing known in its context', `${VALID},"context":{"a":1,"b":"\\""}`],
    ['an unknown member between two of its context', `${VALID},"context":{"os":"a","b":{"os":1},"sdk":null}`],
    [
      'escapes in its texts',
      `"distinct_id":"\\u0061da","event_id":"\\"","event_name":"\\nn","schema_version":1,"timestamp":"2026-03-01T09:30:00.000Z"`,
    ],
    [
      'the same name in objects within one another',
      `${VALID},"properties":{"a":{"a":{"a":1},"b":2},"b":{"a":1}}`,
    ],
  ])('scans an event with %s', (_, members) => {
    expect(compare(withEvent(members))).toBe(true);
  });

  it.each([
    ['a name twice', `${VALID},"event_id":"e2"`],
    ['a name twice in its properties', `${VALID},"properties":{"a":1,"b":{"c":1},"a":2}`],
    ['a name twice, once escaped', `${VALID},"properties":{"a":1,"\\u0061":2}`],
    ['a line break', `${VALID},\n"properties":{}`],
    ['a number that is infinite', `${VALID},"properties":{"a":1e400}`],
    ['deep properties', `${VALID},"properties":{"a":${'['.repeat(70)}${']'.repeat(70)}}`],
    ['many names', `${VALID},"properties":{${Array.from({ length: 5_000 }, (_, i) => `"${i}":1`)}}`],
    ['its properties null', `${VALID},"properties":null`],
    ['a blank person', VALID.replace('"ada"', '" "')],
    ['a blank name', VALID.replace('"n"', '" \\t"')],
    ['a time before year 1', VALID.replace('2026', '0000')],
    ['a leap second', VALID.replace('2026-03-01T09:30:00', '2016-12-31T23:59:60')],
    ['a day that does not exist', VALID.replace('03-01', '02-30')],
    ['900,001 bytes', `${VALID},"properties":{"a":"${'x'.repeat(900_000)}"}`],
  ])('gives no result for an event with %s', (_, members) => {
    expect(compare(withEvent(members))).toBe(false);
  });

  it('gives no result for 1,001 events, none, or bytes that are not UTF-8', () => {
    const batchOf = (count: number) =>
      bodyOf({ events: Array.from({ length: count }, () => event()), sent_at: SENT_AT });
    expect([1_000, 1_001, 0].map((count) => compare(batchOf(count)))).toEqual([true, false, false]);
    const broken = withEvent(VALID.replace('ada', 'aéa'));
    broken[broken.indexOf(0xc3)] = 0xff;
    expect(compare(broken)).toBe(false);
  });

  it('scans names that collide in bounded time', () => {
    const members = Array.from(
      { length: 200 },
      (_, object) => `"${object}":{${Array.from({ length: 400 }, (_, i) => `"k${i * 8_192}":1`)}}`,
    );
    expect(compare(withEvent(`${VALID},"properties":{${members}}`))).toBe(false);
  });

  it('counts the values outside strings', () => {
    const body = withEvent(`${VALID},"properties":{"a":[1,2,{"b":"[,{"}]}`);
    expect(scanBatch(body)?.values).toBe(15);
  });
});
