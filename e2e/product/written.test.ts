import { randomUUID } from 'node:crypto';
import { call } from '@switchboard/testkit';
import { expect, it } from 'vitest';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();

it('a new resource is usable at once, even for requests that asked for it before it existed', async () => {
  const { base_url, eu_api_url, management_url, tokens } = running.demo;
  const manage = (method: string, path: string, body?: unknown) =>
    call(method, `${management_url}/management/v1${path}`, {
      body,
      token: tokens.operator,
      headers: { 'Content-Type': 'application/json' },
    });
  for (let round = 0; round < 10; round++) {
    const project = `prj_${randomUUID()}`;
    const flag = { enabled: true, rolloutPercentage: 100 };
    const early = await manage('PUT', `/projects/${project}/flags/first`, flag);
    expect(early.status).toBe(404);

    const settings = { companyId: 'co_lumen', name: 'New', region: 'eu', defaultLanguage: 'en' };
    expect((await manage('PUT', `/projects/${project}`, settings)).status).toBe(200);
    expect((await manage('PUT', `/projects/${project}/flags/first`, flag)).status).toBe(200);

    const { key } = (await manage('POST', `/projects/${project}/keys`)).body;
    const identified = call('POST', `${eu_api_url}/v1/identify`, {
      token: key,
      body: { distinct_id: 'ada' },
    });
    expect((await identified).status).toBe(202);
    expect((await call('GET', `${base_url}/v1/messenger/config`, { token: key })).status).toBe(200);

    expect((await manage('PUT', `/projects/${project}/reports/r`, { name: 'Weekly' })).status).toBe(200);
    const run = { report: { total: 1 } };
    expect((await manage('POST', `/projects/${project}/reports/r/runs`, run)).status).toBe(201);

    expect(
      (await manage('PUT', `/companies/co_lumen/members/${project}`, { name: 'N', email: 'n@example.com' }))
        .status,
    ).toBe(200);
    const minted = await call('POST', `${base_url}/dev/tokens`, {
      body: { sub: project },
      headers: { 'Content-Type': 'application/json' },
    });
    const threads = `${base_url}/v1/projects/${project}/reports/r/comment-threads`;
    expect((await call('GET', threads, { token: minted.body.token })).status).toBe(200);
  }
});
