import { MAX_SUBSCRIPTIONS, REPORT_RUN_REQUESTS_TOPIC, REPORT_RUNS_TOPIC } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { readTopic } from '@switchboard/event-log';
import { mailServer } from '@switchboard/mail/testing';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { member } from '../testing/directory.ts';
import { call, startHarness } from '../testing/harness.ts';

const smtp = await mailServer();
const FAST = { subscriptionsEveryMs: 50 };
const harness = await startHarness({ SMTP_URL: smtp.url }, FAST);
const database = openDatabase({ url: harness.databaseUrl, applicationName: 'test' });
afterAll(async () => {
  await database.close();
  await harness.stop();
  await smtp.stop();
});

const ada = harness.as('ada');
const LIST = '/v1/projects/shop/subscriptions';
const path = (id: string) => `${LIST}/${id}`;
const schedule = { every: 'day', at: '08:30', timeZone: 'Europe/Berlin' };
const weekly = (id: string, more: object = {}) =>
  ada.call('PUT', path(id), {
    target: { kind: 'report', id: 'signups' },
    schedule,
    recipients: ['grace'],
    ...more,
  });
const list = async () => (await ada.call('GET', LIST)).body.subscriptions;
const get = async (id: string) => (await ada.call('GET', path(id))).body;
const content = (values: number[], title = 'Sign-ups') => ({
  kind: 'line',
  title,
  buckets: values.map((_, at) => `2026-02-0${at + 1}`),
  interval: 'day',
  series: [{ name: 'Sign-ups', values }],
});
const record = (reportId: string, report: unknown) =>
  harness
    .as('ops', ['service.manage'])
    .call('POST', `/management/v1/projects/shop/reports/${reportId}/runs`, { report });
const to = () => smtp.received.flatMap((mail) => mail.to).sort();
const linkIn = (text: string | undefined, label: string) =>
  new URL(text?.split(label)[1]?.match(/https:[^\s>]+/)?.[0] ?? '').pathname;
/** Returns the ids of the mails to a member. */
const mailsTo = async (sub: string) =>
  (await database.sql`select id from subscription_mails where sub = ${sub}`).map(({ id }) => String(id));
/** Counts the jobs of mails in the queue. */
const jobsOf = async (mails: string[]) =>
  (await database.sql`select from pgboss.job where data->>'id' = any(${mails})`).length;
/** Does the same as `eventually` while the clock runs on from a time. */
const eventuallyAfter = (time: string, check: () => unknown) => {
  let at = Date.parse(time);
  return eventually(async () => {
    at += 100;
    harness.clock.set(new Date(at).toISOString());
    await check();
  });
};
/** Waits for longer than a due subscription takes to be sent. */
const nothingMore = async (count: number) => {
  const ids = (await database.sql`select id from subscriptions where step_at is not null`).length;
  await eventually(async () =>
    expect(await database.sql`select from subscription_mails where state = 'waiting'`).toHaveLength(0),
  );
  expect([smtp.received.length, ids]).toEqual([count, ids]);
};

beforeEach(async () => {
  harness.clock.set('2026-03-01T12:00:00.000Z');
  await database.sql`delete from subscriptions`;
  smtp.received.length = 0;
  smtp.onRecipient = () => undefined;
  await record('signups', content([40, 42]));
});

describe('the subscriptions of a project', () => {
  it('are stored, listed and deleted, and each has its next time', async () => {
    const stored = await weekly('a', { schedule: { ...schedule, every: 'month', on: 31 } });
    expect(stored.status, JSON.stringify(stored.body)).toBe(200);
    expect(stored.body).toMatchObject({
      id: 'a',
      target: { kind: 'report', id: 'signups' },
      recipients: [{ sub: 'grace', unsubscribed: false }],
      enabled: true,
      pausedReason: null,
      nextAt: '2026-03-31T06:30:00.000Z',
      lastSentAt: null,
      failure: null,
      createdBySub: 'ada',
    });
    const paused = await weekly('a', { enabled: false });
    expect([paused.body.enabled, paused.body.nextAt]).toEqual([false, null]);
    expect((await ada.call('GET', LIST)).body.subscriptions).toEqual([paused.body]);
    expect((await ada.call('DELETE', path('a'))).status).toBe(204);
    expect(await list()).toEqual([]);
    expect((await ada.call('GET', path('a'))).status).toBe(404);
  });

  it('are refused for strangers, unknown targets and dashboards with a range, and beyond the limit', async () => {
    const operator = harness.as('ops', ['service.manage']);
    const board = { name: 'Board', range: { last: 30, unit: 'day' } };
    await operator.call('PUT', '/management/v1/projects/shop/dashboards/narrow', board);
    const refused = [
      await weekly('x', { recipients: ['grace', 'eve'] }),
      await weekly('x', { target: { kind: 'report', id: 'posts' } }),
      await weekly('x', { target: { kind: 'dashboard', id: 'none' } }),
      await weekly('x', { target: { kind: 'dashboard', id: 'narrow' } }),
      await weekly('x', { schedule: { ...schedule, at: '24:00' } }),
      await weekly('x', { schedule: { ...schedule, timeZone: '+02:00' } }),
      await harness.as('vera').call('DELETE', path('x')),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 404, 404, 409, 400, 400, 403]);
    expect(refused[0]?.body.error.message).toBe('recipients[1]: "eve" is not a member of this company');
    await database.sql`
      insert into subscriptions (project_id, id, company_id, target_kind, target_id, schedule, enabled, created_at, updated_at)
      select 'shop', 'n' || n, 'acme', 'report', 'signups', ${JSON.stringify(schedule)}, false, now(), now()
      from generate_series(1, ${MAX_SUBSCRIPTIONS}) as n`;
    expect((await weekly('one-more')).status).toBe(409);
    expect((await weekly('n1')).status).toBe(200);
    expect((await harness.as('vera').call('GET', LIST)).body.subscriptions).toHaveLength(MAX_SUBSCRIPTIONS);
  });
});

describe('a subscription', () => {
  it('is mailed once to each recipient when it is due, with its numbers, by one of two instances', async () => {
    const other = await harness.another({}, FAST);
    await weekly('daily', { recipients: ['grace', 'alan'] });
    harness.clock.set('2026-03-02T07:30:00.000Z');
    await eventually(() => expect(to()).toEqual(['alan@acme.example', 'grace@acme.example']));
    const [mail] = smtp.received;
    expect(mail?.mail.subject).toBe('Weekly sign-ups, 1 Mar 2026');
    const text = mail?.mail.text?.replaceAll('\r\n', '\n') ?? '';
    expect(text).toContain(
      'The report “Weekly sign-ups” of Web shop, as of 1 Mar 2026, 13:00 (Europe/Berlin).',
    );
    expect(text).toContain(
      ['Day         Sign-ups', '1 Feb 2026        40', '2 Feb 2026        42', 'Total             82'].join(
        '\n',
      ),
    );
    expect(mail?.mail.html).toMatch(/<th scope="row"[^>]*>2 Feb 2026<\/th><td[^>]*>42<\/td>/);
    const files = mail?.mail.attachments ?? [];
    const file = files.find(({ mimeType }) => mimeType === 'text/csv');
    expect([file?.filename, file?.mimeType]).toEqual(['Sign-ups.csv', 'text/csv']);
    expect(Buffer.from(file?.content as ArrayBuffer).toString()).toContain('"2026-02-02",42\r\n');
    const picture = files.find(({ mimeType }) => mimeType === 'image/png');
    expect([files.length, picture?.contentId, picture?.disposition]).toEqual([
      2,
      '<chart-1-1@switchboard>',
      'inline',
    ]);
    expect(Buffer.from(picture?.content as ArrayBuffer).toString('latin1', 1, 4)).toBe('PNG');
    expect(mail?.mail.html).toMatch(/<img src="cid:chart-1-1@switchboard" alt="Sign-ups\. [^"]*42[^"]*"/);
    await eventually(async () =>
      expect(await get('daily')).toMatchObject({
        lastSentAt: '2026-03-02T07:30:00.000Z',
        nextAt: '2026-03-03T07:30:00.000Z',
        unopened: 1,
        isSending: false,
      }),
    );
    await other.stop();
    await nothingMore(2);
  });

  it('makes up for missed times once', async () => {
    await weekly('late');
    harness.clock.set('2026-03-09T12:00:00.000Z');
    await eventually(async () =>
      expect(await get('late')).toMatchObject({
        lastSentAt: '2026-03-09T12:00:00.000Z',
        nextAt: '2026-03-10T07:30:00.000Z',
      }),
    );
    await nothingMore(1);
  });

  it('waits for a new run of its reports, and is not sent if a query fails', async () => {
    await harness.directory.put('report', { projectId: 'shop', id: 'asked', name: 'Asked', query: {} });
    await harness.log.createTopics([
      { name: REPORT_RUNS_TOPIC, partitions: 1, replication: 1, cleanup: 'delete' },
    ]);
    const publish = (ranAt: string, more: object) =>
      harness.log.publish(REPORT_RUNS_TOPIC, [
        {
          partition: 0,
          key: 'shop/asked',
          value: Buffer.from(
            JSON.stringify({
              projectId: 'shop',
              reportId: 'asked',
              runId: crypto.randomUUID(),
              ranAt,
              ...more,
            }),
          ),
          headers: {},
        },
      ]);
    await publish('2026-03-01T11:00:00.000Z', { asOf: '2026-03-01T11:00:00.000Z', report: content([1]) });
    await eventually(async () =>
      expect(await database.sql`select from report_runs where report_id = 'asked'`).toHaveLength(1),
    );
    await weekly('fresh', { target: { kind: 'report', id: 'asked' } });
    expect((await ada.call('POST', `${path('fresh')}/send`)).status).toBe(202);
    expect((await ada.call('POST', `${path('fresh')}/send`)).status).toBe(409);
    const requests: unknown[] = [];
    await eventually(async () => {
      await readTopic(harness.log, REPORT_RUN_REQUESTS_TOPIC, {
        onRecord: ({ value }) => void requests.push(JSON.parse(String(value))),
      });
      expect(requests).toContainEqual({ projectId: 'shop', reportId: 'asked' });
    });
    expect([smtp.received.length, (await get('fresh')).isSending]).toEqual([0, true]);
    await publish('2026-03-01T12:00:01.000Z', { asOf: '2026-03-01T12:00:00.000Z', report: content([7]) });
    await eventuallyAfter('2026-03-01T12:00:01.000Z', () => expect(smtp.received).toHaveLength(1));
    expect(smtp.received[0]?.mail.text).toContain('1 Feb 2026         7');

    harness.clock.set('2026-03-02T07:30:00.000Z');
    await eventually(async () => expect((await get('fresh')).isSending).toBe(true));
    await publish('2026-03-02T07:30:01.000Z', { error: { code: 'INVALID_QUERY', message: 'names ada' } });
    await eventuallyAfter('2026-03-02T07:30:01.000Z', async () =>
      expect(await get('fresh')).toMatchObject({
        isSending: false,
        failure: { message: 'The query of the report “Asked” failed. The report shows why.' },
      }),
    );
    harness.clock.set('2026-03-03T07:30:00.000Z');
    await eventually(async () => expect((await get('fresh')).isSending).toBe(true));
    harness.clock.set('2026-03-03T07:46:00.000Z');
    await eventually(async () =>
      expect((await get('fresh')).failure?.message).toBe('The reports did not run within 15 minutes.'),
    );
    await nothingMore(1);
  });

  it('has the reports of a dashboard in reading order', async () => {
    await record('revenue', {
      kind: 'funnel',
      steps: [
        { name: 'Visit', count: 8 },
        { name: 'Buy', count: 2 },
      ],
    });
    const tile = { w: 6, h: 4, y: 0 };
    await harness.as('ops', ['service.manage']).call('PUT', '/management/v1/projects/shop/dashboards/both', {
      name: 'Both',
      tiles: [
        { ...tile, x: 6, reportId: 'signups' },
        { ...tile, x: 0, reportId: 'revenue' },
      ],
    });
    await weekly('board', { target: { kind: 'dashboard', id: 'both' } });
    await ada.call('POST', `${path('board')}/send`);
    await eventually(() => expect(smtp.received).toHaveLength(1));
    const { text = '', attachments = [] } = smtp.received[0]?.mail ?? {};
    expect(text).toMatch(/Revenue\s+Step +Count[\s\S]+Buy +2 +25%[\s\S]+Sign-ups\s+Day/);
    // A funnel has no picture.
    expect(attachments.map(({ filename }) => filename).sort()).toEqual([
      'Revenue.csv',
      'Sign-ups.csv',
      'chart-2-1.png',
    ]);
    const operator = harness.as('ops', ['service.manage']);
    await operator.call('DELETE', '/management/v1/projects/shop/dashboards/both');
    expect(await list()).toEqual([]);
  });

  it('shows that the mail server fails, and is sent when it is back', async () => {
    smtp.onRecipient = () => {
      throw Object.assign(new Error('later'), { responseCode: 451 });
    };
    await weekly('slow');
    await ada.call('POST', `${path('slow')}/send`);
    await eventually(async () =>
      expect((await get('slow')).failure?.message).toBe(
        'A mail was not sent: the mail server failed: EENVELOPE 451. It will be sent again.',
      ),
    );
    smtp.onRecipient = () => undefined;
    await eventually(async () =>
      expect(await get('slow')).toMatchObject({ failure: null, lastSentAt: expect.any(String) }),
    );
    await nothingMore(1);
    // A failed job has the reply of the mail server, which may have the address.
    const mails = await mailsTo('grace');
    expect(await jobsOf(mails)).toBe(1);
    await ada.call('DELETE', path('slow'));
    expect(await jobsOf(mails)).toBe(0);
  });
});

describe('a recipient', () => {
  it('unsubscribes with one request, and no one else can undo it', async () => {
    await weekly('two', { recipients: ['grace', 'alan'] });
    await ada.call('POST', `${path('two')}/send`);
    await eventually(() => expect(smtp.received).toHaveLength(2));
    const ofGrace = smtp.received.find((mail) => mail.to.includes('grace@acme.example'));
    const header = (key: string) => ofGrace?.mail.headers.find((one) => one.key === key)?.value ?? '';
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    const link = linkIn(header('list-unsubscribe'), '<');
    expect(linkIn(ofGrace?.mail.text, 'Unsubscribe: ')).toBe(link);
    const asked = await call(harness.url, 'GET', link);
    expect([asked.status, (await get('two')).recipients[1]?.unsubscribed]).toEqual([200, false]);
    expect((await call(harness.url, 'POST', link)).status).toBe(200);
    const recipients = [
      { sub: 'alan', unsubscribed: false },
      { sub: 'grace', unsubscribed: true },
    ];
    expect((await get('two')).recipients).toEqual(recipients);
    expect((await weekly('two', { recipients: ['grace', 'alan'] })).body.recipients).toEqual(recipients);
    await ada.call('POST', `${path('two')}/send`);
    await eventually(() => expect(smtp.received).toHaveLength(3));
    expect(smtp.received[2]?.to).toEqual(['alan@acme.example']);
    await call(harness.url, 'POST', linkIn(smtp.received[2]?.mail.text, 'Unsubscribe: '));
    expect(await get('two')).toMatchObject({ enabled: false, pausedReason: 'unsubscribed', nextAt: null });
    expect((await call(harness.url, 'POST', link.replace(/.{5}\/unsub/, 'AAAAA/unsub'))).status).toBe(404);
  });

  it('who opens a mail keeps the subscription running; one that no one opens is paused after eight', async () => {
    await weekly('quiet');
    const unopened = (count: number) => database.sql`update subscriptions set unopened = ${count}`;
    await unopened(7);
    await ada.call('POST', `${path('quiet')}/send`);
    await eventually(() => expect(smtp.received).toHaveLength(1));
    expect(smtp.received[0]?.mail.text).not.toContain('No one');
    const opened = await fetch(harness.url + linkIn(smtp.received[0]?.mail.text, 'Open the report:'), {
      redirect: 'manual',
    });
    expect([opened.status, opened.headers.get('location')]).toEqual([
      302,
      'https://console.example/projects/shop/reports/signups',
    ]);
    expect((await get('quiet')).unopened).toBe(0);
    await unopened(8);
    await ada.call('POST', `${path('quiet')}/send`);
    await eventually(() => expect(smtp.received).toHaveLength(2));
    expect(smtp.received[1]?.mail.text).toContain('No one has opened the last 8 mails');
    expect(await get('quiet')).toMatchObject({ enabled: false, pausedReason: 'unopened', nextAt: null });
    expect((await weekly('quiet')).body).toMatchObject({ enabled: true, pausedReason: null, unopened: 0 });
  });

  it('who leaves the company gets nothing more', async () => {
    await harness.directory.put('member', member('tess', 'Tess'));
    await weekly('left', { recipients: ['grace', 'tess'] });
    await ada.call('POST', `${path('left')}/send`);
    await eventually(() => expect(smtp.received).toHaveLength(2));
    const mails = await mailsTo('tess');
    expect(await jobsOf(mails)).toBe(1);
    await harness.directory.remove('member', 'acme', 'tess');
    await eventually(async () =>
      expect((await get('left')).recipients).toEqual([{ sub: 'grace', unsubscribed: false }]),
    );
    expect(await jobsOf(mails)).toBe(0);
    smtp.received.length = 0;
    await ada.call('POST', `${path('left')}/send`);
    await eventually(() => expect(to()).toEqual(['grace@acme.example']));
    await nothingMore(1);
  });
});
