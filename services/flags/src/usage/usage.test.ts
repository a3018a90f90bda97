import type { FlagUsage } from '@switchboard/contracts';
import { describe, expect, it } from 'vitest';
import { json, type TestProject, useFlags } from '../testing/harness.ts';

const harness = await useFlags();
const on = { enabled: true, rolloutPercentage: 100 };

async function usageOf({ id }: TestProject): Promise<FlagUsage[]> {
  const response = await harness.manage('GET', `/projects/${id}/flag-usage`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { usage: FlagUsage[] }).usage;
}

const countsOf = (usage: FlagUsage[]) =>
  Object.fromEntries(
    usage.map(({ key, variations }) => [
      key,
      Object.fromEntries(variations.map(({ variation, evaluations }) => [variation, evaluations])),
    ]),
  );

async function pointsOf({ id }: TestProject, key: string, query = '') {
  const response = await harness.manage('GET', `/projects/${id}/flags/${key}/usage${query}`);
  return { status: response.status, body: await json(response) };
}

function report(url: string, key: string | undefined, body: unknown): Promise<Response> {
  return fetch(`${url}/v1/flags/usage`, {
    method: 'POST',
    ...(key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } }),
    body: JSON.stringify(body),
  });
}

describe('usage of flags', () => {
  it('adds up the evaluations and reports of two instances, each stored once when it stops', async () => {
    const project = await harness.createProject();
    await harness.putFlag(project, { key: 'plain', ...on });
    await harness.putFlag(project, { key: 'dark', enabled: false, rolloutPercentage: 100 });
    await harness.putFlag(project, {
      key: 'colour',
      ...on,
      type: 'string',
      variations: [
        { key: 'green', value: '#0a0', weight: 1 },
        { key: 'blue', value: '#00a', weight: 0 },
      ],
    });
    await harness.putFlag(project, { key: 'unused', ...on });
    const instances = [await harness.startInstance(), await harness.startInstance()];
    for (const { url } of instances) {
      const get = async (path: string) =>
        expect((await harness.get(path, project.key, { url })).status).toBe(200);
      const ofrep = async (path: string) => {
        const response = await fetch(`${url}/ofrep/v1/evaluate/flags${path}`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${project.key}` },
          body: JSON.stringify({ context: { targetingKey: 'ada' } }),
        });
        expect(response.status).toBe(200);
      };
      // Read from the database, then from memory.
      for (let time = 0; time < 5; time++) await get('/v1/flags?distinct_id=ada');
      await get('/v1/flags?distinct_id=');
      await get('/v1/flags?distinct_id=ada&reasons=true');
      // The client reports what it uses.
      await get('/v1/flags?distinct_id=ada&usage=reported');
      await ofrep('');
      await ofrep('?usage=reported');
      await ofrep('/colour');
      const answer = await report(url, project.key, {
        usage: [
          { flag: 'colour', variation: 'blue', count: 30 },
          { flag: 'plain', variation: 'on', count: 1_000_000 },
        ],
      });
      expect([answer.status, await answer.json()]).toEqual([202, { accepted: 2, unknown: 0 }]);
    }
    expect(countsOf(await usageOf(project))).toEqual({ colour: {}, dark: {}, plain: {}, unused: {} });
    for (const instance of instances) await instance.stop();

    const usage = await usageOf(project);
    expect(countsOf(usage)).toEqual({
      colour: { blue: 60, green: 18 },
      dark: { off: 16 },
      plain: { on: 2_000_016 },
      unused: { on: 16 },
    });
    for (const { stale, lastSeenAt } of usage) {
      expect(stale).toBeNull();
      expect(Math.abs(Date.now() - Date.parse(lastSeenAt ?? ''))).toBeLessThan(600_000);
    }
    const { body } = await pointsOf(project, 'colour');
    const points = body['points'] as { at: string; evaluations: Record<string, number> }[];
    const sum = (variation: string) =>
      points.reduce((total, { evaluations }) => total + (evaluations[variation] ?? 0), 0);
    expect([sum('green'), sum('blue')]).toEqual([18, 60]);
    for (const { at } of points) expect(at).toMatch(/:00:00\.000Z$/);
    const days = (await pointsOf(project, 'colour', '?interval=day&days=730')).body['points'] as unknown[];
    expect(JSON.stringify(days)).toContain('T00:00:00.000Z');
  });

  it('drops entries of flags and variations that the project does not have', async () => {
    const project = await harness.createProject();
    await harness.putFlag(project, { key: 'plain', ...on });
    const instance = await harness.startInstance();
    const hostile = ['__proto__', 'constructor', "'; drop table flags; --", 'x'.repeat(200), '\u202e'];
    const answer = await report(instance.url, project.key, {
      usage: [
        { flag: 'plain', variation: 'on', count: 1 },
        ...hostile.map((flag) => ({ flag, variation: 'on', count: 9 })),
        ...hostile.map((variation) => ({ flag: 'plain', variation, count: 9 })),
      ],
    });
    expect([answer.status, await answer.json()]).toEqual([202, { accepted: 1, unknown: 10 }]);
    await instance.stop();
    expect(countsOf(await usageOf(project))).toEqual({ plain: { on: 1 } });
  });

  it('rejects reports without bounds', async () => {
    const { key } = await harness.createProject();
    const instance = await harness.startInstance();
    const entry = { flag: 'plain', variation: 'on', count: 1 };
    const bad = [
      {},
      { usage: [] },
      { usage: [{ ...entry, count: 0 }] },
      { usage: [{ ...entry, count: 100_000_001 }] },
      { usage: [{ ...entry, count: 1.5 }] },
      { usage: [{ ...entry, flag: 'x'.repeat(201) }] },
      { usage: [{ ...entry, flag: 'a\0b' }] },
      { usage: [{ ...entry, variation: 'x'.repeat(201) }] },
    ];
    for (const body of bad) expect((await report(harness.url, key, body)).status).toBe(400);
    // The body that is too large comes first: the other one uses the address's quota up.
    const large = { usage: [entry], padding: 'x'.repeat(300_000) };
    expect((await report(instance.url, key, large)).status).toBe(413);
    const many = { usage: new Array(1_001).fill(entry) };
    expect((await report(instance.url, key, many)).status).toBe(400);
    await instance.stop();
  });

  it('accepts the key in the body, and refuses a report without one', async () => {
    const project = await harness.createProject();
    const body = { usage: [{ flag: 'plain', variation: 'on', count: 1 }] };
    expect((await report(harness.url, undefined, { ...body, api_key: project.key })).status).toBe(202);
    expect((await report(harness.url, undefined, body)).status).toBe(401);
    expect((await report(harness.url, undefined, { ...body, api_key: 'pk_eu_other' })).status).toBe(401);
  });

  it('refuses an address that reports without end before it reads the body', async () => {
    const project = await harness.createProject();
    const instance = await harness.startInstance();
    const usage = Array.from({ length: 1_000 }, (_, index) => ({
      flag: `unknown-${index}`,
      variation: 'on',
      count: 1,
    }));
    const statuses = new Set<number>();
    for (let time = 0; time < 20 && !statuses.has(429); time++) {
      const response = await report(instance.url, project.key, { usage });
      statuses.add(response.status);
      await response.text();
    }
    expect([...statuses]).toEqual([202, 429]);
    await instance.stop();
  });

  it('forgets the usage of a deleted flag', async () => {
    const project = await harness.createProject();
    await harness.putFlag(project, { key: 'plain', ...on });
    const instance = await harness.startInstance();
    await harness.get('/v1/flags?distinct_id=ada', project.key, { url: instance.url });
    await instance.stop();
    expect(countsOf(await usageOf(project))).toEqual({ plain: { on: 1 } });
    expect((await harness.manage('DELETE', `/projects/${project.id}/flags/plain`)).status).toBe(204);
    expect(await usageOf(project)).toEqual([]);
    await harness.putFlag(project, { key: 'plain', ...on });
    expect(countsOf(await usageOf(project))).toEqual({ plain: {} });
    expect((await pointsOf(project, 'plain')).body).toEqual({ points: [] });
    expect((await pointsOf(project, 'other')).status).toBe(404);
  });

  it('names a flag stale that served one variation for long', async () => {
    const project = await harness.createProject();
    await harness.putFlag(project, { key: 'plain', ...on });
    const { sql } = harness;
    await sql`update flag_versions set at = now() - interval '31 days' where project_id = ${project.id}`;
    const seen = { plain: { on: [Date.now() - 20 * 86_400_000, Date.now()] } };
    await sql`insert into usage_seen values (${project.id}, ${JSON.stringify(seen)}::text::jsonb)`;
    const [usage] = await usageOf(project);
    expect(usage?.stale).toMatchObject({ reason: 'one_variation', variation: 'on' });
  });
});
