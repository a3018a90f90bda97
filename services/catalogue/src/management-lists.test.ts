import { beforeAll, describe, expect, it } from 'vitest';
import { acme, pro, shop, useCatalogue } from './testing/harness.ts';

const { one } = await useCatalogue({ RATE_LIMITS_MULTIPLIER: '20' });
beforeAll(async () => {
  await one.put('/plans/pro/monthly', pro);
  await one.put('/companies/acme', acme);
  await one.put('/companies/globex', { ...acme, name: 'Globex' });
  await one.put('/projects/shop', shop);
});

const list = async (path: string) => (await one.manage('GET', path)).body;

describe('lists for operators', () => {
  it('lists plans in the order they were first created', async () => {
    await one.put('/plans/basic/yearly', { ...pro, trialDays: 0 });
    expect(await list('/plans')).toEqual({
      plans: [
        { tier: 'pro', cycle: 'monthly', ...pro },
        { tier: 'basic', cycle: 'yearly', ...pro, trialDays: 0 },
      ],
    });
  });

  it('lists models with their prices before the markup', async () => {
    const perMillion = { input: 1, output: 2, cacheWrite5m: 3, cacheWrite1h: 4, cacheRead: 5 };
    await one.put('/ai/models/small', { displayName: 'Small', perMillion });
    await one.put('/ai/markup', { markupPercent: 50 });
    expect(await list('/ai/models')).toEqual({ models: [{ id: 'small', displayName: 'Small', perMillion }] });
  });

  it('lists companies, and their members and projects', async () => {
    await one.put('/companies/acme/members/ada', { name: 'Ada', email: 'ada@acme.example' });
    const { companies, nextCursor } = await list('/companies');
    expect(companies.map(({ id, name }: { id: string; name: string }) => [id, name])).toEqual([
      ['acme', acme.name],
      ['globex', 'Globex'],
    ]);
    expect(nextCursor).toBeNull();
    const ada = {
      sub: 'ada',
      name: 'Ada',
      email: 'ada@acme.example',
      role: 'viewer',
      avatarUrl: null,
      pushSubscriptions: [],
    };
    expect(await list('/companies/acme/members')).toEqual({ members: [ada], nextCursor: null });
    expect(await list('/companies/globex/members')).toEqual({ members: [], nextCursor: null });
    expect(await list('/companies/acme/projects')).toEqual({
      projects: [{ id: 'shop', ...shop }],
      nextCursor: null,
    });
    expect(await list('/companies/globex/projects')).toEqual({ projects: [], nextCursor: null });
  });

  it('lists reports, each once, over several pages', async () => {
    const ids = Array.from({ length: 450 }, (_, index) => `rep_${String(index).padStart(3, '0')}`);
    // A few at once, because a busy machine rejects what waits too long for the database.
    for (let from = 0; from < ids.length; from += 15) {
      const some = ids.slice(from, from + 15);
      await Promise.all(some.map((id) => one.put(`/projects/shop/reports/${id}`, { name: id })));
    }
    const read: string[] = [];
    const sizes: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`;
      const page: { reports: { id: string }[]; nextCursor: string | null } = await list(
        `/projects/shop/reports${query}`,
      );
      read.push(...page.reports.map(({ id }) => id));
      sizes.push(page.reports.length);
      cursor = page.nextCursor;
    }
    expect(sizes).toEqual([200, 200, 50]);
    expect(read).toEqual(ids);
  });

  it.each(['/companies/nobody/members', '/companies/nobody/projects', '/projects/none/reports'])(
    'answers 404 at %s',
    async (path) => {
      expect((await one.manage('GET', path)).status).toBe(404);
    },
  );

  it.each(['/plans', '/ai/models', '/companies', '/companies/acme/members', '/projects/shop/reports'])(
    'lists %s only with a token',
    async (path) => {
      expect((await one.manage('GET', path, undefined, null)).status).toBe(401);
    },
  );
});
