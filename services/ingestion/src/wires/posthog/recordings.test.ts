import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { call } from '@switchboard/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KEY, linesOf, PROJECT, startIngestion, type TestIngestion } from '../../testing/service.ts';

let ingestion: TestIngestion;
beforeAll(async () => {
  ingestion = await startIngestion();
});
afterAll(() => ingestion.stop());
beforeEach(async () => {
  for (const topic of ['events', 'replays']) await ingestion.published(topic);
});

const WITH_KEY = `s/?token=${KEY}&compression=gzip-js`;
const send = (body: unknown, path = WITH_KEY, headers: Record<string, string> = {}) =>
  ingestion.post(`/posthog/${path}`, body, headers);
const records = () => ingestion.published('replays');
const chunks = async () =>
  (await records()).map(({ value }): Record<string, unknown> => JSON.parse(value?.toString() ?? ''));
const lossesOf = async (part: string) => {
  const metrics = await (await fetch(`${ingestion.url}/metrics`)).text();
  const line = new RegExp(`switchboard_wire_losses_total\\{wire="posthog",part="${part}"[^}]*\\} (\\d+)`);
  return Number(line.exec(metrics)?.[1] ?? 0);
};

const AT = Date.parse('2026-03-01T09:30:00.000Z');
/** Compresses a part of an event as the SDK does. */
const packed = (value: unknown) => gzipSync(JSON.stringify(value)).toString('latin1');
const page = { node: { type: 0, id: 1, childNodes: [{ type: 3, id: 2, textContent: 'Schön 🛍' }] } };
const change = { source: 0, texts: [], attributes: [{ id: 2 }], removes: [], adds: [] };
const rule = { source: 8, id: 3, adds: [{ rule: 'p { color: red }' }] };
const meta = { type: 4, timestamp: AT, data: { href: 'https://shop.example/cart?mail=a@b.c#x', width: 800 } };
const full = { type: 2, timestamp: AT + 1, data: page };
const move = { type: 3, timestamp: AT + 2, data: { source: 1, positions: [] } };
const changed = { type: 3, timestamp: AT + 3, data: change };
const styled = { type: 3, timestamp: AT + 4, data: rule };
const logged = { type: 6, timestamp: AT + 5, data: { plugin: 'rrweb/console@1' } };
const events = [
  meta,
  { ...full, cv: '2024-10', data: packed(page) },
  { type: 5, timestamp: AT - 1_000, data: { tag: '$session_ending', payload: {} } },
  move,
  {
    ...changed,
    cv: '2024-10',
    data: {
      ...change,
      texts: packed([]),
      attributes: packed(change.attributes),
      removes: packed([]),
      adds: packed([]),
    },
  },
  { ...styled, cv: '2024-10', data: { ...rule, adds: packed(rule.adds) } },
  logged,
];
const kept = [
  { ...meta, data: { href: 'https://shop.example/cart', width: 800 } },
  full,
  move,
  changed,
  styled,
  logged,
];
const properties = {
  token: KEY,
  distinct_id: 'ada',
  $session_id: 'session',
  $window_id: 'window',
  $lib: 'web',
  $lib_version: '1.449.2',
  $snapshot_bytes: 1_000,
};

/** Returns a message of the SDK, with the time of sending in each message as it does for recordings. */
function snapshot(data: unknown, more: Record<string, unknown> = {}) {
  return {
    uuid: 'event-1',
    event: '$snapshot',
    properties: { ...properties, $snapshot_data: data, ...more },
    timestamp: '2026-03-01T09:30:01.000Z',
    sent_at: '2026-03-01T09:30:03.000Z',
  };
}
const json = JSON.stringify([snapshot(events)]);
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const base64 = encodeURIComponent(Buffer.from(json).toString('base64'));

describe('a recording of PostHog', () => {
  it.each([
    ['with gzip-js', WITH_KEY, gzipSync(json), {}],
    ['with Content-Encoding', `s?token=${KEY}`, gzipSync(json), { 'Content-Encoding': 'gzip' }],
    ['in base64 with sendBeacon', 's/?compression=base64', `data=${base64}`, FORM],
    ['as JSON with the key in the body alone', 's/', json, {}],
    ['to the address of events', 'e/', json, {}],
    ['in a batch', 'batch/', { api_key: KEY, batch: [snapshot(events)], sent_at: new Date() }, {}],
  ])('is published as one of our chunks if it is sent %s', async (_, path, body, headers) => {
    expect(await send(body, path, headers)).toMatchObject({ status: 200, body: { status: 1 } });
    const published = await records();
    expect(published).toHaveLength(1);
    expect(published[0]).toMatchObject({
      key: `${PROJECT}:session.window`,
      headers: { project: PROJECT, session: 'session.window', seq: '0', parts: '1' },
    });
    expect(JSON.parse(published[0]?.value?.toString() ?? '')).toEqual({
      project_id: PROJECT,
      distinct_id: 'ada',
      session_id: 'session.window',
      seq: 0,
      masked: false,
      schema_version: 1,
      sdk: 'web 1.449.2',
      timestamp: '2026-03-01T09:30:01.000Z',
      events: kept,
    });
  });

  it('has the same bytes if it is sent again at another time, in another batch, and other bytes if it differs', async () => {
    await send(json);
    const again = { ...snapshot(events), sent_at: '2026-03-01T10:00:00.000Z' };
    await send([snapshot([move], { $session_id: 'other' }), again]);
    await send([snapshot([...events, move])]);
    const names = (await records())
      .filter(({ headers }) => headers['session'] === 'session.window')
      .map(({ headers }) => headers['chunk']);
    expect(names).toHaveLength(3);
    expect(names[1]).toBe(names[0]);
    expect(names[2]).not.toBe(names[0]);
  });

  it('is corrected by the time of sending if the clock of the visitor is wrong', async () => {
    const year = 365 * 86_400_000;
    const made = new Date(Date.now() + year - 3_600_000).toISOString();
    const late = {
      ...snapshot([move]),
      timestamp: made,
      sent_at: new Date(Date.now() + year).toISOString(),
    };
    await send([late]);
    const [record] = await records();
    expect(Math.abs(Number(record?.headers['correction']) + year)).toBeLessThan(60_000);
  });

  it('has the session of the events of its window, also with ids that our API does not accept', async () => {
    const ids = [
      { $session_id: 's', $window_id: 'w' },
      { $session_id: 's', $window_id: undefined },
      { $session_id: 's'.repeat(300), $window_id: 'w' },
      { $session_id: 's\0', $window_id: 'w' },
    ];
    for (const [n, id] of ids.entries()) {
      const event = {
        event: 'paid',
        uuid: `paid-${n}`,
        distinct_id: 'ada',
        properties: { ...id, token: KEY },
      };
      await send([snapshot([move], id)]);
      await send([event], 'e/');
    }
    const ofEvents = linesOf(await ingestion.published('events')).map(({ session_id }) => session_id);
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(ofEvents).toEqual(['s.w', 's', hash, hash]);
    const ofRecordings = (await chunks()).map(({ session_id }) => session_id);
    expect(ofRecordings.sort()).toEqual(ofEvents.sort());
  });

  it('dates a message without a time by its last event, and is not published if it has only markers of PostHog', async () => {
    await send([{ ...snapshot([meta, move]), timestamp: undefined }]);
    await send([snapshot([events[2]])]);
    expect(await chunks()).toMatchObject([{ timestamp: new Date(move.timestamp).toISOString() }]);
  });

  it.each([
    ['an event that is no object', null],
    ['an event without a time', { type: 3, data: {} }],
    ['an event without a number as its type', { type: '3', timestamp: AT, data: {} }],
    ['data that is text without compression', { type: 2, timestamp: AT, data: packed(page) }],
    ['an unknown compression', { ...full, cv: '2030-01', data: packed(page) }],
    ['compressed data that is no gzip', { ...full, cv: '2024-10', data: 'no gzip, but text' }],
    ['compressed data that is no Latin-1', { ...full, cv: '2024-10', data: '🛍'.repeat(20) }],
    ['compressed data that is cut off', { ...full, cv: '2024-10', data: packed(page).slice(0, -12) }],
    [
      'compressed data that closes its event',
      { ...full, cv: '2024-10', data: gzipSync('{}},{"type":3').toString('latin1') },
    ],
    [
      'a compressed field that is no JSON',
      { ...changed, cv: '2024-10', data: { ...change, adds: gzipSync('[},').toString('latin1') } },
    ],
    ['compressed data without a source', { ...changed, cv: '2024-10', data: { adds: packed([]) } }],
    ['compressed data that is a list', { ...changed, cv: '2024-10', data: [] }],
    [
      'compressed data that is nested too deeply',
      {
        ...full,
        cv: '2024-10',
        data: gzipSync('['.repeat(6_000) + ']'.repeat(6_000)).toString('latin1'),
      },
    ],
  ])('loses %s, counts it, and keeps its other events', async (_, event) => {
    const before = await lossesOf('events of recordings');
    expect((await send([snapshot([move, event, logged])])).status).toBe(200);
    expect(await chunks()).toMatchObject([{ events: [move, logged] }]);
    expect(await lossesOf('events of recordings')).toBe(before + 1);
  });

  it.each([
    ['recordings of apps', 'of an app', snapshot(events, { $snapshot_source: 'mobile' })],
    ['invalid recording', 'without a session', snapshot(events, { $session_id: undefined })],
    ['invalid recording', 'with a session of another type', snapshot(events, { $session_id: {} })],
    ['invalid recording', 'without a person', snapshot(events, { distinct_id: '' })],
    [
      'invalid recording',
      'without any time',
      { ...snapshot([{ ...move, timestamp: -1e99 }]), timestamp: 'x' },
    ],
    ['events of recordings', 'with events of another type', snapshot({ 0: move })],
    ['events of recordings', 'with text as its events', snapshot('[]')],
  ])('is counted as %s if it is %s, and the next one is kept', async (part, _, message) => {
    const before = await lossesOf(part);
    const next = snapshot([move], { $session_id: 'next' });
    expect((await send([message, next])).status).toBe(200);
    expect(await chunks()).toMatchObject([{ session_id: 'next.window' }]);
    expect(await lossesOf(part)).toBe(before + 1);
  });

  it('may have 25 MiB with the key in the address, and 4 MiB with the key in the body alone', async () => {
    const text = randomBytes(2_500_000).toString('hex');
    const large = [snapshot([{ ...move, data: { source: 1, text } }])];
    expect((await send(large)).status).toBe(200);
    expect((await records()).length).toBeGreaterThan(5);
    const answer = await send(large, 's/');
    expect(answer.status).toBe(413);
    expect(await records()).toEqual([]);
  });

  it('is left out of the settings and dropped while an operator drops the events of the project', async () => {
    const recording = async () =>
      Object(await (await fetch(`${ingestion.url}/posthog/array/${KEY}/config`)).json()).sessionRecording;
    await ingestion.allow(0);
    await expect.poll(recording).toBe(false);
    expect((await send(json)).status).toBe(200);
    expect(await records()).toEqual([]);
    await ingestion.allow(undefined);
    await expect.poll(recording).toMatchObject({ masking: { maskAllInputs: true } });
  });

  it('counts its decompressed parts towards the quota of recordings, which leaves events alone', async () => {
    const { url } = await ingestion.start({ BYTES_PER_PROJECT_PER_SECOND: '20000' });
    const post = (path: string, body: unknown) => call('POST', `${url}/posthog/${path}`, { body });
    const large = { ...full, cv: '2024-10', data: packed('a'.repeat(200_000)) };
    expect((await post(WITH_KEY, [snapshot([large])])).status).toBe(200);
    expect((await post(WITH_KEY, [snapshot([move])])).status).toBe(429);
    const event = { event: 'paid', distinct_id: 'ada', properties: { token: KEY } };
    expect((await post('e/', [event])).status).toBe(200);
  });

  it.each([
    ['one part', [{ ...full, cv: '2024-10', data: packed(' '.repeat(27_000_000)) }]],
    [
      'thousands of small parts',
      Array.from({ length: 7_000 }, (_, n) => ({
        ...changed,
        cv: '2024-10',
        data: {
          source: 0,
          texts: packed([n]),
          attributes: packed([-n]),
          removes: packed([n, n]),
          adds: packed([n, -n]),
        },
      })),
    ],
    [
      'many parts',
      Array.from({ length: 60 }, () => ({ ...full, cv: '2024-10', data: packed(' '.repeat(500_000)) })),
    ],
  ])('answers 413 if decompressing it takes more than the limit in %s', async (_, bomb) => {
    const answer = await send([snapshot(bomb)]);
    expect([answer.status, Object(answer.body).message]).toEqual([
      413,
      'body: its compressed parts take more than 26214400 bytes',
    ]);
    expect(await records()).toEqual([]);
  });
});
