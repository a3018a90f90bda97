import { openDatabase } from '@switchboard/database';
import { type MailServer, mailServer } from '@switchboard/mail/testing';
import { type PushService, pushService, vapidSettings } from '@switchboard/push/testing';
import { eventually } from '@switchboard/testkit';
import { drizzle } from 'drizzle-orm/postgres-js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSharesStore } from '../shares/store.ts';
import { member } from '../testing/directory.ts';
import { type Harness, startHarness } from '../testing/harness.ts';

let harness: Harness;
let smtp: MailServer;
let push: PushService;
let database: ReturnType<typeof openDatabase>;

beforeAll(async () => {
  [smtp, push] = await Promise.all([mailServer(), pushService()]);
  const settings = {
    SMTP_URL: smtp.url,
    MAIL_FROM: 'reports@switchboard.example',
    ...vapidSettings(),
    PUSH_PRIVATE_NETWORKS: '127.0.0.0/8,::1/128',
  };
  harness = await startHarness(settings, { mentionDelaySeconds: 1 });
  await harness.directory.put(
    'member',
    member('pia', 'Pia', { pushSubscriptions: [push.subscribe('phone')] }),
  );
  database = openDatabase({ url: harness.databaseUrl, applicationName: 'test' });
  await eventually(async () => expect((await mention(['pia'])).status).toBe(201));
});
afterAll(async () => {
  await database.close();
  await harness.stop();
  await Promise.all([smtp.stop(), push.stop()]);
});
beforeEach(async () => {
  await settled();
  smtp.received.length = 0;
  push.received.length = 0;
});

const ofReport = '/v1/projects/shop/reports/signups/comment-threads';
const call = (sub: string, method: string, path: string, body?: object, language?: string) =>
  harness.as(sub).call(method, path, body, language === undefined ? {} : { 'Accept-Language': language });
/** Starts a thread as Ada. */
const mention = (mentions: string[], body = 'What happened on Monday?', language?: string) =>
  call('ada', 'POST', ofReport, { body, mentions }, language);
const read = (sub: string, report = 'signups') =>
  call(sub, 'GET', `/v1/projects/shop/reports/${report}/comment-threads`);
const change = (id: string, body: object) => call('ada', 'PATCH', `/v1/projects/shop/comments/${id}`, body);
const mailed = () => smtp.received.flatMap(({ to }) => to).sort();
const deliveries = () =>
  database.sql`
    select recipient_sub, channel, state, reason from deliveries join shares on shares.id = share_id
    where created_at = (select max(created_at) from shares) order by recipient_sub, channel`;
const settled = () =>
  eventually(async () => {
    const waiting = await database.sql`select from deliveries where state = 'waiting'`;
    expect(waiting).toHaveLength(0);
  });

describe('a mention', () => {
  it('sends a mention by e-mail and push with the text and the link, in the language of the author', async () => {
    const { body } = await mention(['pia'], 'Schau <b>hier</b>\n& da', 'de-AT, en;q=0.5');
    const [comment] = body.comments;
    await settled();
    const url = `https://console.example/projects/shop/reports/signups#${comment.id}`;
    expect(mailed()).toEqual(['pia@acme.example']);
    const [{ mail } = { mail: undefined }] = smtp.received;
    expect(mail?.subject).toBe('Ada Lovelace hat Sie in „Weekly sign-ups“ erwähnt');
    expect(mail?.from).toMatchObject({ name: 'Ada Lovelace' });
    expect(mail?.replyTo).toMatchObject([{ address: 'ada@acme.example' }]);
    expect(mail?.text).toContain('Schau <b>hier</b>\n& da');
    expect(mail?.text).toContain(url);
    expect(mail?.html).toContain('Schau &lt;b&gt;hier&lt;/b&gt;<br>&amp; da');
    expect(push.received.map(({ payload }) => payload)).toEqual([
      {
        type: 'comment_mention',
        title: 'Ada Lovelace hat Sie in „Weekly sign-ups“ erwähnt',
        body: 'Schau <b>hier</b>\n& da',
        url,
        tag: expect.stringMatching(/^dlv_/),
      },
    ]);
  });

  it('sends a mention in a reply and in a changed comment, once to each person', async () => {
    const { body: thread } = await mention([]);
    const replies = `/v1/projects/shop/comment-threads/${thread.id}/comments`;
    const { body } = await call('ada', 'POST', replies, { body: 'Look', mentions: ['grace', 'grace'] });
    const { id } = body.comments[1];
    await settled();
    expect(mailed()).toEqual(['grace@acme.example']);
    const changes = [['grace', 'alan'], [], ['alan', 'grace'], ['grace', 'alan', 'ada']];
    for (const mentions of changes) expect((await change(id, { body: 'Look', mentions })).status).toBe(200);
    await settled();
    expect(mailed()).toEqual(['alan@acme.example', 'grace@acme.example']);
  });

  it('sends a mention once for concurrent changes', async () => {
    const { body } = await mention([]);
    const { id } = body.comments[0];
    await Promise.all([1, 2, 3].map((n) => change(id, { body: `Look ${n}`, mentions: ['grace'] })));
    await settled();
    expect(mailed()).toEqual(['grace@acme.example']);
  });

  it('sends a mention once when the mail server was down', async () => {
    await smtp.stop();
    await mention(['grace']);
    await eventually(async () => {
      const [row] = await database.sql`select max(retry_count) as tries from pgboss.job`;
      expect(Number(row?.['tries'])).toBeGreaterThan(0);
    });
    await smtp.start();
    await settled();
    expect(mailed()).toEqual(['grace@acme.example']);
  });

  it('does not send a mention of the author', async () => {
    const count = async () => (await database.sql`select from shares`).length;
    const before = await count();
    expect((await mention(['ada'])).status).toBe(201);
    expect(await count()).toBe(before);
  });

  it('does not send a mention to a person who reads the threads of the report first, and records it', async () => {
    await mention(['grace', 'alan']);
    await read('grace');
    await settled();
    expect(mailed()).toEqual(['alan@acme.example']);
    expect(await deliveries()).toEqual([
      { recipient_sub: 'alan', channel: 'email', state: 'sent', reason: null },
      {
        recipient_sub: 'grace',
        channel: 'email',
        state: 'skipped',
        reason: 'the recipient has read the comment',
      },
    ]);
    const exposed = await (await fetch(`${harness.url}/metrics`)).text();
    expect(exposed).toMatch(/^switchboard_deliveries_skipped_total\{[^}]*\} [1-9]/m);
  });

  it('sends a mention to a person who read other threads, or these before it was written', async () => {
    await read('grace');
    await mention(['grace']);
    await read('grace', 'revenue');
    await settled();
    expect(mailed()).toEqual(['grace@acme.example']);
  });

  it.each([
    ['was deleted', (id: string) => call('ada', 'DELETE', `/v1/projects/shop/comments/${id}`)],
    [
      'no longer mentions the recipient',
      (id: string) => change(id, { body: 'Never mind', mentions: ['alan'] }),
    ],
  ])('does not send a mention in a comment that %s, and records it', async (reason, act) => {
    const { body } = await mention(['grace']);
    await act(body.comments[0].id);
    await settled();
    expect(mailed()).not.toContain('grace@acme.example');
    const skipped = await database.sql`select from deliveries where reason = ${`the comment ${reason}`}`;
    expect(skipped).toHaveLength(1);
  });

  it('sends a mention with the text at the time of sending', async () => {
    const { body } = await mention(['grace'], 'Tuesday');
    await change(body.comments[0].id, { body: 'Wednesday', mentions: ['grace'] });
    await settled();
    expect(smtp.received.map(({ mail }) => mail.text?.includes('Wednesday'))).toEqual([true]);
  });

  it('stores a mention with its comment or not at all', async () => {
    const { body } = await mention(['grace']);
    await call('ada', 'DELETE', `/v1/projects/shop/comments/${body.comments[0].id}`);
    const count = async () => (await database.sql`select from shares`).length;
    const before = await count();
    const replies = `/v1/projects/shop/comment-threads/${body.id}/comments`;
    expect((await call('ada', 'POST', replies, { body: 'x', mentions: ['alan'] })).status).toBe(409);
    expect(await count()).toBe(before);
  });
});

it('limits comments that mention people as it limits shares, and no other comments', async () => {
  const limited = await harness.another(
    {},
    {
      shareLimits: { perPerson: 2, perCompany: 300 },
      mentionDelaySeconds: 1,
    },
  );
  const post = async (mentions: string[]) => {
    const answer = await fetch(`${limited.url}${ofReport}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${await harness.token({ sub: 'alan' })}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ body: 'x', mentions }),
    });
    return answer.status;
  };
  const statuses = [];
  for (const mentions of [['grace'], ['alan'], [], ['grace'], ['grace'], []])
    statuses.push(await post(mentions));
  expect(statuses).toEqual([201, 201, 201, 201, 429, 201]);
});

it('finds skipped mentions by an index, and reads no other deliveries, for a list of threads', async () => {
  await database.sql.unsafe(`
    insert into shares (id, project_id, company_id, report_id, report_name, sender_sub, sender_name, link, language, created_at, comment_id)
    select 'many' || i, 'shop', 'acme', 'signups', 'x', 'ada', 'Ada', 'x', 'en', now() - interval '1 day', 'cmt' || i
    from generate_series(1, 20000) i;
    insert into deliveries (id, share_id, recipient_sub, channel, state)
    select 'many' || i, 'many' || i, 'grace', 'email', 'sent' from generate_series(1, 20000) i;
    analyze shares; analyze deliveries`);
  const queries: { query: string; params: unknown[] }[] = [];
  const logQuery = (query: string, params: unknown[]) => void queries.push({ query, params });
  const store = createSharesStore(drizzle(database.sql, { logger: { logQuery } }));
  const place = { projectId: 'shop', reportId: 'signups', recipientSub: 'grace' };
  expect(await store.skipMentions({ ...place, settledAt: new Date(), reason: 'read' })).toEqual([]);
  const { query = '', params = [] } = queries[0] ?? {};
  const explained = await database.sql.unsafe(
    `explain ${query.replace(/\$(\d+)/g, (_, index) => `'${params[Number(index) - 1]}'`)}`,
  );
  const plan = explained.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('deliveries_waiting');
  expect(plan).not.toContain('Seq Scan');
});
