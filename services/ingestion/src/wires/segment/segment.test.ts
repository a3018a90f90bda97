import { gzipSync } from 'node:zlib';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  KEY,
  linesOf,
  OTHER_KEY,
  startIngestion,
  type TestIngestion,
  US_KEY,
} from '../../testing/service.ts';

let ingestion: TestIngestion;
beforeAll(async () => {
  ingestion = await startIngestion();
});
afterAll(() => ingestion.stop());
beforeEach(async () => {
  for (const topic of ['events', 'identifies', 'groups']) await ingestion.published(topic);
});

const basic = (key: string) => ({ Authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` });
const send = (call: string, body: unknown, headers: Record<string, string> = basic(KEY)) =>
  ingestion.post(`/segment/v1/${call}`, body, headers);
const events = async () => linesOf(await ingestion.published('events'));
const identifies = async () => linesOf(await ingestion.published('identifies'));
const groups = async () => linesOf(await ingestion.published('groups'));

const AT = '2026-03-01T09:30:00.000Z';
const MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

describe('a call of Segment', () => {
  it('stores a track call as an event with its messageId, and maps its context', async () => {
    const answer = await send('track', {
      type: 'track',
      messageId: 'message-1',
      event: 'Order Completed',
      userId: 'ada',
      anonymousId: 'visitor-1',
      properties: { total: 42, browser: 'mine' },
      timestamp: AT,
      sentAt: AT,
      context: {
        library: { name: 'analytics.js', version: '2.1.0' },
        locale: 'de-DE',
        timezone: 'Europe/Berlin',
        userAgent: MAC,
        screen: { width: 1440, height: 900 },
        campaign: { name: 'spring', source: 'news' },
        page: { url: 'https://shop.example/cart?mail=a@b.c', path: '/cart', title: 'Cart', referrer: '' },
      },
    });
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect(await events()).toEqual([
      {
        distinct_id: 'ada',
        event_id: 'message-1',
        event_name: 'Order Completed',
        schema_version: 1,
        timestamp: AT,
        occurred_at: expect.any(String),
        properties: {
          url: 'https://shop.example/cart',
          path: '/cart',
          title: 'Cart',
          referrer: null,
          browser: 'mine',
          device: 'desktop',
          screen: '1440x900',
          time_zone: 'Europe/Berlin',
          utm_campaign: 'spring',
          utm_source: 'news',
          total: 42,
        },
        context: { locale: 'de-DE', os: 'macOS', sdk: 'analytics.js', sdk_version: '2.1.0' },
      },
    ]);
  });

  it('stores page and screen calls as the page view of the browser SDK', async () => {
    const properties = {
      url: 'https://shop.example/cart?utm_source=news&mail=a@b.c#x',
      path: '/cart',
      title: 'Cart',
      referrer: 'https://www.search.example/?q=shoes',
      search: '?utm_source=news&mail=a@b.c',
      step: 2,
    };
    await send('page', { anonymousId: 'visitor-1', name: 'Cart', category: 'Shop', properties });
    await send('screen', { anonymousId: 'visitor-1', name: 'Home' });
    const [page, screen] = await events();
    expect(page).toMatchObject({ event_name: 'page viewed', distinct_id: 'visitor-1' });
    expect(page?.['properties']).toEqual({
      name: 'Cart',
      category: 'Shop',
      url: 'https://shop.example/cart',
      path: '/cart',
      title: 'Cart',
      referrer: 'search.example',
      utm_source: 'news',
      step: 2,
    });
    expect(screen).toMatchObject({ event_name: 'page viewed', properties: { name: 'Home' } });
  });

  it('stores identify, group and alias calls, and joins the anonymous id', async () => {
    await send('identify', {
      userId: 'ada',
      anonymousId: 'visitor-1',
      traits: { plan: 'pro' },
      messageId: 'm',
    });
    await send('alias', { userId: 'ada', previousId: 'visitor-0' });
    await send('group', { userId: 'ada', groupId: 'acme', traits: { seats: 4 } });
    expect(await identifies()).toMatchObject([
      { distinct_id: 'ada', anonymous_id: 'visitor-1', event_id: 'm', traits: { plan: 'pro' } },
      { distinct_id: 'ada', anonymous_id: 'visitor-0', traits: {} },
    ]);
    expect(await groups()).toMatchObject([
      { distinct_id: 'ada', group_type: 'company', group_id: 'acme', traits: { seats: 4 } },
    ]);
  });

  it('stores every message of a gzipped batch with any Content-Type', async () => {
    const batch = [
      { type: 'track', event: 'a', userId: 1 },
      { type: 'identify', userId: 1, context: { traits: { plan: 'pro' } } },
      { type: 'page', userId: 1 },
    ];
    const headers = { ...basic(KEY), 'Content-Encoding': 'gzip', 'Content-Type': 'text/plain' };
    expect(await send('batch', gzipSync(JSON.stringify({ batch, sentAt: AT })), headers)).toMatchObject({
      status: 200,
    });
    expect(await events()).toMatchObject([
      { distinct_id: '1', event_name: 'a' },
      { distinct_id: '1', event_name: 'page viewed' },
    ]);
    expect(await identifies()).toMatchObject([{ distinct_id: '1', traits: { plan: 'pro' } }]);
  });

  it('reads the key from the body or the query of a page, which cannot set a header', async () => {
    const message = { event: 'a', anonymousId: 'visitor-1' };
    expect(await send('t', { ...message, writeKey: KEY }, {})).toMatchObject({ status: 200 });
    const beacon = `/segment/beacon/v1/batch?writeKey=${KEY}`;
    const batch = [{ ...message, type: 'track' }];
    expect(await ingestion.post(beacon, { batch }, {})).toMatchObject({ status: 200 });
    expect(await events()).toHaveLength(2);
    const large = { ...message, writeKey: KEY, properties: { text: 'x'.repeat(65_536) } };
    expect(await send('t', large, {})).toMatchObject({ status: 413 });
  });

  it('lets pages send every header of an SDK', async () => {
    const { status, headers } = await fetch(`${ingestion.url}/segment/v1/t`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect([status, headers.get('access-control-allow-headers')]).toEqual([204, '*, Authorization']);
  });

  it.each([
    ['no key', 'track', {}, 401, /^Project key missing\. Send it as the user name of Basic/],
    ['an unknown key', 'track', basic(`pk_eu_${'x'.repeat(32)}`), 401, /^Invalid project key/],
    ['a key of another region', 'track', basic(US_KEY), 403, /belongs to region us/],
    ['a key of a project without the wire', 'track', basic(OTHER_KEY), 403, /^wires: segment is off/],
    ['an unknown call', 'import', basic(KEY), 404, /^Not found: import/],
    ['no event name', 'track', basic(KEY), 400, /^event: events\[0\]\.event_name: required/],
    ['no batch', 'batch', basic(KEY), 400, /^batch: required/],
  ])('rejects a call with %s', async (_, call, headers, status, message) => {
    const answer = await send(call, { userId: 'ada' }, headers);
    expect([answer.status, Object(answer.body).message]).toEqual([status, expect.stringMatching(message)]);
    expect(await events()).toEqual([]);
  });

  it('answers calls of a project with events that an operator drops as if they were accepted', async () => {
    await ingestion.allow(0);
    await eventually(async () => {
      expect(await send('track', { event: 'a', userId: 'ada' })).toMatchObject({ status: 200 });
      expect(await events()).toEqual([]);
    });
    await ingestion.allow(undefined);
    await eventually(async () => {
      await send('track', { event: 'a', userId: 'ada' });
      expect(await events()).toHaveLength(1);
    });
  });
});

describe('what Segment sends and Switchboard does not keep', () => {
  it('is counted in a metric and in the log of rejections, and the rest of the batch is kept', async () => {
    await ingestion.published('rejections');
    const batch = [
      { type: 'track', event: 'kept', userId: 'ada', context: { ip: '203.0.113.7', shoe: 1 } },
      { type: 'track', event: 'x'.repeat(201), userId: 'ada' },
      { type: 'track', event: 'nobody' },
      { type: 'dance', userId: 'ada' },
      { type: 'identify', anonymousId: 'visitor-1', traits: { plan: 'pro' } },
      { type: 'identify', userId: 'ada', traits: { text: 'x'.repeat(100_001) } },
      { type: 'identify', userId: 'ada', traits: { distinct_id: 'eve' } },
      { type: 'track', event: 'timeless', userId: 'ada', timestamp: 'soon' },
      null,
    ];
    expect(await send('batch', { batch })).toMatchObject({ status: 200 });
    expect(await events()).toMatchObject([{ event_name: 'kept' }, { event_name: 'timeless' }]);
    expect(await identifies()).toMatchObject([{ distinct_id: 'ada', traits: {} }]);
    const metrics = await (await fetch(`${ingestion.url}/metrics`)).text();
    const counted = new Map(
      [...metrics.matchAll(/switchboard_wire_losses_total\{wire="segment",part="([^"]+)"[^}]*\} (\d+)/g)].map(
        ([, part, count]) => [part, Number(count)],
      ),
    );
    for (const [part, least] of Object.entries({
      'context.ip': 1,
      'context: another field': 1,
      'invalid event': 2,
      'invalid identify': 1,
      'a message of an unknown type': 2,
      'traits of a visitor without userId': 1,
      'traits.distinct_id': 1,
      timestamp: 1,
    }))
      expect([part, counted.get(part)]).toEqual([part, expect.toSatisfy((count) => count >= least)]);
    const reasons: string[] = [];
    await eventually(async () => {
      const records = linesOf(await ingestion.published('rejections'));
      reasons.push(...records.map((record) => JSON.stringify(record)));
      expect(reasons.join()).toContain('event: events[].event_name: longer than 200');
      expect(reasons.join()).toContain('context.ip: not kept');
    });
  });
});
