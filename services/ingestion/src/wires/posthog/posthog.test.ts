import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KEY, linesOf, OTHER_KEY, startIngestion, type TestIngestion } from '../../testing/service.ts';

let ingestion: TestIngestion;
beforeAll(async () => {
  ingestion = await startIngestion();
});
afterAll(() => ingestion.stop());
beforeEach(async () => {
  for (const topic of ['events', 'identifies', 'groups']) await ingestion.published(topic);
});

const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  ingestion.post(`/posthog/${path}`, body, headers);
const events = async () => linesOf(await ingestion.published('events'));
const identifies = async () => linesOf(await ingestion.published('identifies'));
const groups = async () => linesOf(await ingestion.published('groups'));

const AT = '2026-03-01T09:30:00.000Z';
const event = {
  event: 'paid',
  distinct_id: 'ada',
  uuid: 'event-1',
  timestamp: AT,
  properties: { total: 42 },
};
const batch = { api_key: KEY, batch: [event], sent_at: AT };
const json = JSON.stringify(batch);
const base64 = Buffer.from(json).toString('base64');
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('a capture request of PostHog', () => {
  it.each([
    ['as JSON', 'batch/', json, {}],
    ['without the last slash', 'batch', json, {}],
    ['gzipped with Content-Encoding', 'i/v0/e/', gzipSync(json), { 'Content-Encoding': 'gzip' }],
    ['gzipped with compression=gzip-js', 'e/?compression=gzip-js&ver=1', gzipSync(json), {}],
    ['gzipped without a header', 'i/v0/e/', gzipSync(json), { 'Content-Type': 'text/plain' }],
    ['in base64 as a form', 'e/?compression=base64', `data=${encodeURIComponent(base64)}`, FORM],
    ['as JSON in a form', 'e/', `data=${encodeURIComponent(json)}&ip=1`, FORM],
    ['in base64 as data of JSON', 'capture/', JSON.stringify({ data: base64, compression: 'base64' }), {}],
    ['in base64 alone', 'e/', base64, {}],
    ['as a single event', 'capture/', JSON.stringify({ ...event, api_key: KEY }), {}],
    ['as data in an array', 'track/', JSON.stringify({ api_key: KEY, data: [event] }), {}],
    ['from the SDK for language models', 'i/v0/ai/batch/', json, {}],
    [
      'as an array, with the key and the person among the properties',
      'e/',
      JSON.stringify([
        {
          ...event,
          distinct_id: undefined,
          properties: { ...event.properties, token: KEY, distinct_id: 'ada' },
        },
      ]),
      {},
    ],
  ])('is stored once if it is sent %s', async (_, path, body, headers) => {
    expect(await send(path, body, headers)).toMatchObject({ status: 200, body: { status: 1 } });
    expect(await events()).toMatchObject([
      {
        event_id: 'event-1',
        event_name: 'paid',
        distinct_id: 'ada',
        timestamp: AT,
        properties: { total: 42 },
      },
    ]);
  });

  it('is stored with the session and library of version 1, and answered with a result for each event', async () => {
    const headers = {
      Authorization: `Bearer ${KEY}`,
      'PostHog-Sdk-Info': 'posthog-node/5.70.0',
      'PostHog-Attempt': '2',
      'PostHog-Request-Id': '019ff0a2-0000-7000-8000-000000000001',
      'PostHog-Request-Timestamp': AT,
      'Content-Encoding': 'gzip',
    };
    const sent = {
      ...event,
      timestamp: '2026-03-01T15:00:00.123456+05:30',
      session_id: 'session-1',
      options: { process_person_profile: true },
      properties: { total: 42, at: '2026-03-01T15:00:00+05:30', $set: { plan: 'pro' } },
    };
    const answer = await fetch(`${ingestion.url}/posthog/i/v1/analytics/events`, {
      method: 'POST',
      headers,
      body: gzipSync(JSON.stringify({ created_at: AT, batch: [sent] })),
    });
    expect([answer.status, await answer.json()]).toEqual([200, { results: { 'event-1': { result: 'ok' } } }]);
    expect(answer.headers.get('PostHog-Request-Id')).toBe(headers['PostHog-Request-Id']);
    expect(answer.headers.get('Retry-After')).toBeNull();
    expect(await events()).toMatchObject([
      {
        event_id: 'event-1',
        timestamp: '2026-03-01T09:30:00.123Z',
        session_id: 'session-1',
        context: { sdk: 'posthog-node', sdk_version: '5.70.0' },
        properties: { total: 42, at: '2026-03-01T15:00:00+05:30' },
      },
    ]);
    expect(await identifies()).toMatchObject([{ distinct_id: 'ada', traits: { plan: 'pro' } }]);
  });

  it('is answered with 204 if the browser sends it when it leaves the page', async () => {
    const answer = await fetch(`${ingestion.url}/posthog/e/?beacon=1`, { method: 'POST', body: json });
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(await events()).toHaveLength(1);
  });

  it('stores a page view as that of the browser SDK', async () => {
    const properties = {
      token: KEY,
      $current_url: 'https://shop.example/cart?utm_source=news&mail=a@b.c',
      $pathname: '/cart',
      title: 'Cart',
      $referrer: 'https://www.search.example/?q=shoes',
      $browser: 'Chrome',
      $device_type: 'Desktop',
      $os: 'Mac OS X',
      $screen_width: 1440,
      $screen_height: 900,
      $timezone: 'Europe/Berlin',
      $browser_language: 'de-DE',
      $lib: 'web',
      $lib_version: '1.449.2',
      $session_id: 'session-1',
      $window_id: 'window-1',
      $ip: '203.0.113.7',
      $session_entry_url: 'https://shop.example/?mail=a@b.c',
      plan: 'pro',
    };
    await send('e/', { ...batch, batch: [{ ...event, event: '$pageview', properties }] });
    const [view] = await events();
    expect(view).toMatchObject({
      event_name: 'page viewed',
      session_id: 'session-1.window-1',
      context: { locale: 'de-DE', os: 'macOS', sdk: 'web', sdk_version: '1.449.2' },
    });
    expect(view?.['properties']).toEqual({
      url: 'https://shop.example/cart',
      path: '/cart',
      title: 'Cart',
      referrer: 'search.example',
      utm_source: 'news',
      browser: 'Chrome',
      device: 'desktop',
      screen: '1440x900',
      time_zone: 'Europe/Berlin',
      $session_entry_url: 'https://shop.example/',
      plan: 'pro',
    });
  });

  it('stores $identify and $create_alias as joins, $set as traits, and $set_once as traits that stay', async () => {
    const call = (name: string, properties: object, more = {}) => ({
      ...event,
      event: name,
      properties,
      ...more,
    });
    const set = { $set: { plan: 'pro' }, $set_once: { source: 'news' } };
    await send('batch/', {
      ...batch,
      batch: [
        call('$identify', { $anon_distinct_id: 'visitor-1' }, set),
        call('$create_alias', { distinct_id: 'ada', alias: 'visitor-2' }),
        call('$set', { $set: { seats: 4 } }),
        call('paid', { $set: { paid: true }, $is_identified: true }),
        call(
          'seen',
          { $set: { seen: true }, $is_identified: false },
          { distinct_id: 'visitor-3', uuid: 'event-2' },
        ),
      ],
    });
    const stored = await identifies();
    expect(stored).toHaveLength(5);
    for (const call of [
      { distinct_id: 'ada', anonymous_id: 'visitor-1', traits: { plan: 'pro' } },
      { distinct_id: 'ada', traits: { source: 'news' }, once: true },
      { distinct_id: 'ada', anonymous_id: 'visitor-2', traits: {} },
      { distinct_id: 'ada', traits: { seats: 4 } },
      { distinct_id: 'ada', traits: { paid: true } },
    ])
      expect(stored).toContainEqual(expect.objectContaining(call));
    expect((await events()).map(({ event_name }) => event_name).sort()).toEqual(['paid', 'seen']);
  });

  it('stores $groupidentify of a person, and counts that of a group alone as lost', async () => {
    const properties = { $group_type: 'company', $group_key: 'acme', $group_set: { seats: 4 } };
    const ofPerson = { ...event, event: '$groupidentify', properties };
    await send('e/', { ...batch, batch: [ofPerson, { ...ofPerson, distinct_id: '$company_acme' }] });
    expect(await groups()).toMatchObject([
      { distinct_id: 'ada', group_type: 'company', group_id: 'acme', traits: { seats: 4 } },
    ]);
    const metrics = await (await fetch(`${ingestion.url}/metrics`)).text();
    expect(metrics).toMatch(
      /switchboard_wire_losses_total\{wire="posthog",part="\$groupidentify without a person"/,
    );
  });

  it.each([
    ['no key', { ...batch, api_key: undefined }, 401],
    ['a key of a project without the wire', { ...batch, api_key: OTHER_KEY }, 403],
    ['more than 1,000 events', { ...batch, batch: Array(1_001).fill(event) }, 400],
    ['no JSON, so that it has no key', 'data=%7b', 401],
    ['a bomb', gzipSync(Buffer.alloc(5_000_000, 0x20)), 413],
  ])('rejects a request with %s', async (_, body, status) => {
    const path = Buffer.isBuffer(body) ? 'e/?compression=gzip-js' : 'e/';
    const answer = await send(path, body);
    expect(answer.status).toBe(status);
    expect(await events()).toEqual([]);
  });
});

it('serves the settings of the browser SDK with everything off that Switchboard does not have', async () => {
  const config = await fetch(`${ingestion.url}/posthog/array/${KEY}/config`);
  expect([config.status, await config.json()]).toMatchObject([
    200,
    {
      token: KEY,
      hasFeatureFlags: true,
      sessionRecording: { endpoint: `/s/?token=${KEY}`, masking: { maskAllInputs: true } },
      surveys: false,
    },
  ]);
  const script = await fetch(`${ingestion.url}/posthog/array/${KEY}/config.js`);
  expect(script.headers.get('content-type')).toContain('application/javascript');
  const window: Record<string, Record<string, unknown>> = {};
  new Function('window', await script.text())(window);
  expect(window['_POSTHOG_REMOTE_CONFIG']?.[KEY]).toMatchObject({ config: { token: KEY }, siteApps: [] });
  expect((await fetch(`${ingestion.url}/posthog/array/x/config.js`)).status).toBe(401);
});
