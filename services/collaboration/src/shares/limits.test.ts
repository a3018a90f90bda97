import { openDatabase } from '@switchboard/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useCollaboration } from '../testing/harness.ts';

const harness = await useCollaboration({}, { shareLimits: { perPerson: 3, perCompany: 7 } });
let database: ReturnType<typeof openDatabase>;
beforeAll(async () => {
  database = openDatabase({ url: harness.databaseUrl, applicationName: 'test' });
});
afterAll(async () => {
  await database.close();
});

const share = (sub: string, body: object = {}, key?: string, report = 'signups') =>
  harness.as(sub).call(
    'POST',
    `/v1/projects/shop/reports/${report}/shares`,
    {
      recipients: ['grace'],
      link: `https://console.example/projects/shop/reports/${report}`,
      language: 'en',
      ...body,
    },
    key === undefined ? {} : { 'Idempotency-Key': key },
  );
const shares = async () => (await database.sql`select 1 from shares`).length;
const deliveries = async () => (await database.sql`select 1 from deliveries`).length;

describe('an Idempotency-Key', () => {
  it('sends a share with an Idempotency-Key once, and answers all its requests alike', async () => {
    const body = { recipients: ['grace', 'alan'] };
    const answers = await Promise.all([share('ada', body, 'once'), share('ada', body, 'once')]);
    answers.push(await share('ada', body, 'once'), await share('ada', { recipients: ['grace'] }, 'once'));
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([201, { sent: 2 }]);
    expect([await shares(), await deliveries()]).toEqual([1, 2]);
  });

  it('scopes an Idempotency-Key to a person and a report', async () => {
    expect((await share('grace', {}, 'once')).body).toEqual({ sent: 1 });
    expect((await share('grace', {}, 'once', 'revenue')).body).toEqual({ sent: 1 });
    expect(await shares()).toBe(3);
  });

  it('accepts an Idempotency-Key of up to 200 characters', async () => {
    const { status, body } = await share('ada', {}, 'x'.repeat(201));
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('Idempotency-Key')]);
  });
});

describe('shares', () => {
  it('limits shares per person and company, without counting refused and repeated ones', async () => {
    // The two concurrent requests above may both have counted towards Ada's limit.
    expect((await share('ada', { recipients: ['eve'] })).status).toBe(400);
    const statuses = [];
    for (let index = 0; index < 4; index++) statuses.push((await share('ada')).status);
    expect(statuses.slice(2)).toEqual([429, 429]);
    const limited = await share('ada');
    expect(limited.body.error).toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining('of a person'),
    });
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await share('ada', {}, 'once')).status).toBe(201);
    for (let index = 0; index < 3; index++) statuses.push((await share('alan')).status);
    expect((await share('grace')).body.error?.message).toContain('of a company');
    expect(await shares()).toBeLessThanOrEqual(7);
  });
});
