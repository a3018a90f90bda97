import { beforeAll, expect, test } from 'vitest';
import { useAnalytics } from '../testing/service.ts';

const analytics = await useAnalytics({ WORKERS: '1' }, { queriesPerMinute: 2 });
beforeAll(async () => {
  await analytics.directory.putProject({ id: 'busy', members: ['ada', 'bob'] });
});

test('limits the answers computed for a person per minute, and not the reads of known answers', async () => {
  const ask = (event: string, more: object = {}) =>
    analytics.call('POST', '/v1/projects/busy/insights', {
      body: { kind: 'trends', range: { from: '2026-03-01', to: '2026-03-02' }, series: [{ event }] },
      ...more,
    });
  const first = await ask('a');
  expect([first.status, (await ask('b')).status]).toEqual([200, 200]);
  const refused = await ask('c');
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
  const names = await analytics.call('GET', '/v1/projects/busy/event-names');
  expect(names.status).toBe(429);
  expect((await ask('a')).status).toBe(200);
  const fresh = { headers: { 'If-None-Match': first.headers.get('etag') ?? '' } };
  expect((await ask('a', fresh)).status).toBe(304);
  expect((await ask('c', { sub: 'bob' })).status).toBe(200);
});
