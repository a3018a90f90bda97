import { beforeAll, describe, expect, it } from 'vitest';
import type { TestEvent } from '../testing/reference.ts';
import { useAnalytics } from '../testing/service.ts';

const analytics = await useAnalytics({ QUERY_DISK_BYTES: '15000000' });
beforeAll(async () => {
  for (const id of ['lists', 'large']) await analytics.directory.putProject({ id, members: ['ada'] });
});

const DAY_MS = 86_400_000;
const daysAgo = (days: number) => Date.now() - days * DAY_MS;
const event = (id: string, more: Partial<TestEvent> = {}): TestEvent => ({
  id,
  t: daysAgo(0.1),
  name: 'seen',
  person: 'ada',
  session: null,
  properties: null,
  context: null,
  ...more,
});
interface Lists {
  since: string;
  events: { eventId: string }[];
  eventNames: { name: string; count: number }[];
  properties: { name: string; count: number; lastSeenAt: string }[];
  traits: object;
  nextCursor: string | null;
}
async function get(project: string, path: string, status = 200): Promise<Lists> {
  const answer = await analytics.call('GET', `/v1/projects/${project}/${path}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  return answer.body as Lists;
}
/** Returns a whole list, requested one item per page. */
async function paged<T>(project: string, path: string, listOf: (page: Lists) => T[]): Promise<T[]> {
  const items: T[] = [];
  for (let cursor = ''; ; ) {
    const page = await get(project, `${path}${path.includes('?') ? '&' : '?'}limit=1${cursor}`);
    items.push(...listOf(page));
    if (page.nextCursor === null) return items;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

describe('lists of explore', () => {
  beforeAll(async () => {
    await analytics.archive('lists', 'first', [
      event('1', { t: daysAgo(40), name: 'old', properties: { plan: 'pro' } }),
      event('2', { t: daysAgo(20), properties: { plan: 'pro', n: 1 } }),
      event('3', { t: daysAgo(3), person: 'béa', properties: { plan: 'pro', 'ключ 2': 2, '': 3 } }),
      event('4', { properties: { n: null } }),
      event('5', { name: 'a', t: daysAgo(0.2) }),
    ]);
  });

  it('reads lists page by page', async () => {
    expect(await paged('lists', 'events', ({ events }) => events.map(({ eventId }) => eventId))).toEqual([
      ...['4', '5', '3', '2'],
    ]);
    const names = await paged('lists', 'event-names', ({ eventNames }) => eventNames);
    expect(names.map(({ name, count }) => [name, count])).toEqual([
      ['seen', 3],
      ['a', 1],
      ['old', 1],
    ]);
    const properties = await paged('lists', 'event-names/seen/properties', ({ properties: found }) => found);
    const daysSince = (time: string) => Math.round((Date.now() - Date.parse(time)) / DAY_MS);
    expect(properties.map(({ name, count, lastSeenAt }) => [name, count, daysSince(lastSeenAt)])).toEqual([
      ['n', 2, 0],
      ['plan', 2, 3],
      // The name as queries write it.
      ['property.', 1, 3],
      ['ключ 2', 1, 3],
    ]);
    expect(await paged('lists', 'people/ada', ({ events }) => events.map(({ eventId }) => eventId))).toEqual([
      '4',
      '5',
      '2',
    ]);
  });

  it('counts the events of the last hour by minute and by SDK', async () => {
    await analytics.directory.putProject({ id: 'arriving', members: ['ada'] });
    const none = await analytics.call('GET', '/v1/projects/arriving/arrival');
    expect(none.body).toMatchObject({ lastSeenAt: null, sdks: [] });
    const context = { sdk: 'browser', sdk_version: '1.2.3' };
    const now = Date.now();
    await analytics.archive('arriving', 'arriving', [
      event('old', { t: now - 3 * 3_600_000, context }),
      event('one', { t: now - 600_000, context }),
      event('two', { t: now - 600_000, context }),
      event('own', { t: now - 60_000 }),
      event('node', { t: now - 60_000, context: { sdk: 'node' } }),
    ]);
    const { body } = await analytics.call('GET', '/v1/projects/arriving/arrival');
    const { minutes, sdks } = Object(body);
    expect(minutes).toHaveLength(60);
    expect(
      minutes.map(({ events }: { events: number }) => events).filter((count: number) => count > 0),
    ).toEqual([2, 2]);
    expect(sdks).toEqual([
      { name: 'browser', version: '1.2.3', events: 2 },
      { name: 'node', version: '', events: 1 },
    ]);
  });

  it('names properties as queries do, and lists each value once', async () => {
    await analytics.directory.putProject({ id: 'named', members: ['ada'] });
    const alike = 'x'.repeat(200);
    const own = { 'context.os': 'own', distinct_id: 'own', 'property.a': 'own', 'a.b': 'own' };
    await analytics.archive('named', 'named', [
      event('1', { properties: { ...own, n: 1, url: `${alike}1`, ['y'.repeat(201)]: 1 } }),
      event('2', { properties: { n: '1', url: `${alike}2` } }),
      event('3', { properties: { n: true, url: `${alike}2` } }),
    ]);
    const { properties } = await get('named', 'event-names/seen/properties');
    expect(properties.map(({ lastSeenAt: _, ...property }) => property)).toEqual([
      {
        name: 'n',
        count: 3,
        types: ['boolean', 'number', 'text'],
        values: [
          { value: '1', count: 2 },
          { value: 'true', count: 1 },
        ],
      },
      {
        name: 'url',
        count: 3,
        types: ['text'],
        values: [
          { value: alike, count: 2 },
          { value: `${alike.slice(10)} (2)`, count: 1 },
        ],
      },
      ...['a.b', 'property.context.os', 'property.distinct_id', 'property.property.a'].map((name) => ({
        name,
        count: 1,
        types: ['text'],
        values: [{ value: 'own', count: 1 }],
      })),
    ]);
    const names = await paged('named', 'event-names/seen/properties', ({ properties: found }) => found);
    expect(names).toEqual(properties);
  });

  it('leaves out events with a time in the future, unless since is given', async () => {
    await analytics.directory.putProject({ id: 'ahead', members: ['ada'] });
    const [soon, far] = [daysAgo(-0.5), daysAgo(-400)];
    await analytics.archive('ahead', 'ahead', [
      event('now'),
      event('soon', { t: soon }),
      event('far', { t: far }),
    ]);
    const ids = ({ events }: Lists) => events.map(({ eventId }) => eventId);
    expect(ids(await get('ahead', 'events'))).toEqual(['soon', 'now']);
    const since = new Date(daysAgo(1)).toISOString();
    expect(ids(await get('ahead', `events?since=${since}`))).toEqual(['far', 'soon', 'now']);
  });

  it('begins lists at the time of since', async () => {
    const since = new Date(daysAgo(50)).toISOString();
    expect((await get('lists', `events?since=${since}&limit=5`)).events.at(-1)).toMatchObject({
      eventId: '1',
    });
    const later = new Date(daysAgo(10)).toISOString();
    const names = await get('lists', `event-names?since=${later}`);
    expect(names).toMatchObject({ since: later, eventNames: [{ name: 'seen', count: 2 }, { name: 'a' }] });
    expect(await get('lists', 'event-names/old/properties')).toMatchObject({ properties: [] });
    expect(await get('lists', `event-names/old/properties?since=${since}`)).toMatchObject({
      properties: [{ name: 'plan' }],
    });
  });

  it.each(['event-names', 'event-names/seen/properties'])(
    'rejects a cursor of another list for %s',
    async (path) => {
      for (const cursor of ['x', Buffer.from('-1 a').toString('base64url')]) {
        await get('lists', `${path}?cursor=${cursor}`, 400);
      }
    },
  );

  it.each(['events', 'event-names', 'event-names/seen/properties', 'people/ada'])(
    'rejects a cursor that is not text for %s',
    async (path) => {
      for (const place of [Buffer.from('5 a\0b'), Buffer.from([0x35, 0x20, 0xff])]) {
        await get('lists', `${path}?cursor=${place.toString('base64url')}`, 400);
      }
    },
  );

  it.each(['events', 'event-names', 'event-names/seen/properties', 'people/ada'])(
    'continues after any place in %s',
    async (path) => {
      for (const place of ['0 ', '999999999999999 ', "5 a'b", '5 \ufffd']) {
        await get('lists', `${path}?cursor=${Buffer.from(place).toString('base64url')}`);
      }
    },
  );

  it.each(['events', 'event-names', 'event-names/seen/properties', 'people/ada'])(
    'changes the ETag of %s when newer events arrive',
    async (path) => {
      const ask = (etag = '') =>
        analytics.call('GET', `/v1/projects/lists/${path}`, { headers: { 'If-None-Match': etag } });
      const etag = (await ask()).headers.get('etag') ?? '';
      expect((await ask(etag)).status).toBe(304);
      await analytics.archive('large', 'other', [event('o')]);
      expect((await ask(etag)).status).toBe(304);
      await analytics.archive('lists', `newer-${path.replaceAll('/', '-')}`, [event(`6 ${path}`)]);
      const newer = await ask(etag);
      expect(newer.status).toBe(200);
      expect((await ask(newer.headers.get('etag') ?? '')).status).toBe(304);
    },
  );

  it('changes the ETag of a person when their traits change', async () => {
    const { headers } = await analytics.call('GET', '/v1/projects/lists/people/ada');
    const at = new Date().toISOString();
    const traits = { plan: 'pro' };
    const value = { project_id: 'lists', distinct_id: 'ada', traits, timestamp: at, received_at: at };
    await analytics.publish('identifies', [{ key: 'ada', value }]);
    const answer = await analytics.call('GET', '/v1/projects/lists/people/ada', {
      headers: { 'If-None-Match': headers.get('etag') ?? '' },
    });
    expect(answer).toMatchObject({ status: 200, body: { traits } });
  });
});

describe('lists of large events', () => {
  const LARGE = JSON.stringify({ k: Array.from({ length: 72_000 }, (_, index) => ({ [`a${index}`]: 0 })) });
  beforeAll(async () => {
    for (const id of ['hostile', 'wide']) await analytics.directory.putProject({ id, members: ['ada'] });
    const large = ['1', '2', '3', '4', '5'].map((id) => event(id, { properties: JSON.parse(LARGE) }));
    await analytics.archive('hostile', 'hostile', [...large, event('6', { t: daysAgo(5) })]);
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, index]));
    await analytics.archive(
      'wide',
      'wide',
      ['1', '2', '3'].map((id) => event(id, { properties: wide })),
    );
  });

  it.each(['events?limit=100', 'people/ada?limit=20'])('ends a page of %s after 2 MB', async (path) => {
    const answer = await analytics.call('GET', `/v1/projects/hostile/${path}`);
    expect(answer.status).toBe(200);
    const pages: Lists[] = [answer.body as Lists];
    for (let page = pages[0]; page?.nextCursor; page = pages.at(-1)) {
      pages.push(await get('hostile', `${path}&cursor=${page.nextCursor}`));
    }
    expect(pages.map(({ events }) => events.map(({ eventId }) => eventId))).toEqual([
      ['5', '4', '3'],
      ['2', '1', '6'],
    ]);
    expect(JSON.stringify(pages[0]?.events[0])).toContain(LARGE);
  });

  it('lists every property of an event, however many it has', async () => {
    const { properties } = await get('wide', 'event-names/seen/properties?limit=3');
    expect(properties.map(({ name, count }) => [name, count])).toEqual([
      ['p0', 3],
      ['p1', 3],
      ['p10', 3],
    ]);
  });
});

describe('lists of a project with more events than one request can read', () => {
  beforeAll(async () => {
    // As large as published. That size counts before the properties are read.
    const bytes = 6_000_000;
    await analytics.archive('large', 'now', [event('now', { name: 'new' })]);
    await analytics.archive('large', 'week', [event('week', { t: daysAgo(5), name: 'old' })], { bytes });
    await analytics.archive('large', 'month', [event('month', { t: daysAgo(20), name: 'old' })], { bytes });
  });

  it('lists as many days as can be read', async () => {
    const names = await get('large', 'event-names');
    expect(names.eventNames.map(({ name }) => name)).toContain('old');
    expect(Date.parse(names.since)).toBeGreaterThan(daysAgo(9));
    const properties = await get('large', 'event-names/old/properties');
    expect(Date.parse(properties.since)).toBeGreaterThan(daysAgo(9));
  });

  it('says what to narrow when a request asks for more than can be read', async () => {
    const since = new Date(daysAgo(25)).toISOString();
    const refusal = { error: { message: expect.stringMatching(/^since: too many events; use a later/) } };
    expect(await get('large', `event-names?since=${since}`, 400)).toMatchObject(refusal);
    expect(await get('large', `event-names/old/properties?since=${since}`, 400)).toMatchObject(refusal);
  });

  it('ends a list where not even an hour can be read', async () => {
    const rows = [event('huge', { t: daysAgo(4), name: 'huge' })];
    await analytics.archive('large', 'huge', [event('hi', { name: 'huge' }), ...rows]);
    await analytics.archive('large', 'huger', rows, { bytes: 11_000_000 });
    const { events, nextCursor } = await get('large', 'events?name=huge');
    expect(events).toMatchObject([{ eventId: 'hi' }]);
    expect(await get('large', `events?name=huge&cursor=${nextCursor}`, 400)).toMatchObject({
      error: { message: expect.stringMatching(/^since: too many events/) },
    });
  });

  it('reads lists to the end page by page', async () => {
    const found = await paged('large', 'events?name=old', ({ events }) =>
      events.map(({ eventId }) => eventId),
    );
    expect(found).toEqual(['week', 'month']);
    const since = new Date(daysAgo(25)).toISOString();
    expect(await get('large', `events?since=${since}&distinct_id=nobody`)).toMatchObject({ events: [] });
  });
});
