import { openDatabase } from '@switchboard/database';
import { mailServer } from '@switchboard/mail/testing';
import { pushService, vapidSettings } from '@switchboard/push/testing';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { member } from '../testing/directory.ts';
import { startHarness } from '../testing/harness.ts';

const [smtp, push] = await Promise.all([mailServer(), pushService()]);
const settings = { ...vapidSettings(), PUSH_PRIVATE_NETWORKS: '127.0.0.0/8,::1/128' };
const harness = await startHarness(
  { SMTP_URL: smtp.url, ...settings },
  // Mentions are not mailed during the tests.
  { subscriptionsEveryMs: 50, mentionDelaySeconds: 3600 },
);
const database = openDatabase({ url: harness.databaseUrl, applicationName: 'test' });
await harness.directory.put(
  'member',
  member('pia', 'Pia', { pushSubscriptions: [push.subscribe('phone'), push.subscribe('laptop')] }),
);
afterAll(async () => {
  await database.close();
  await harness.stop();
  await Promise.all([smtp.stop(), push.stop()]);
});
beforeEach(async () => {
  await database.sql`delete from subscriptions`;
  await database.sql`truncate threads cascade`;
  smtp.received.length = 0;
  push.received.length = 0;
  push.statuses.clear();
});

const ada = harness.as('ada');
const path = (id: string) => `/v1/projects/shop/subscriptions/${id}`;
const put = (id: string, recipients: string[], more: object = {}) =>
  ada.call('PUT', path(id), {
    target: { kind: 'threads' },
    schedule: { every: 'day', at: '08:30', timeZone: 'Europe/Berlin' },
    recipients,
    ...more,
  });
const get = async (id: string) => (await ada.call('GET', path(id))).body;
/** Sends a subscription, and waits until everything of it is settled. */
async function send(id: string) {
  expect((await ada.call('POST', `${path(id)}/send`)).status).toBe(202);
  await eventually(async () => {
    expect((await get(id)).isSending).toBe(false);
    expect(await database.sql`select from subscription_mails where state = 'waiting'`).toHaveLength(0);
  });
}
const threadsOf = (report: string) => `/v1/projects/shop/reports/${report}/comment-threads`;
const write = async (sub: string, body: string, mentions: string[] = [], report = 'signups') => {
  const started = await harness.as(sub).call('POST', threadsOf(report), { body, mentions });
  expect(started.status).toBe(201);
  return started.body;
};
const reply = (sub: string, thread: { id: string }, body: string) =>
  harness
    .as(sub)
    .call('POST', `/v1/projects/shop/comment-threads/${thread.id}/comments`, { body, mentions: [] });
const to = () => smtp.received.flatMap((mail) => mail.to).sort();
const textOf = (at: number) => smtp.received[at]?.mail.text?.replaceAll('\r\n', '\n') ?? '';

describe('a digest of threads', () => {
  it('has the unread threads of each recipient since their last digest, and is sent to no one without any', async () => {
    expect((await put('digest', ['grace', 'alan'])).body).toMatchObject({ target: { kind: 'threads' } });
    const thread = await write('grace', 'Why <b>Monday</b>?');
    await reply('ada', thread, 'The campaign began.');
    await write('ada', 'Look, Grace', ['grace'], 'revenue');
    await write('ada', 'No one is named here');
    await send('digest');
    expect(to()).toEqual(['grace@acme.example']);
    expect(smtp.received[0]?.mail.subject).toBe('2 unread threads in Web shop');
    expect(textOf(0)).toContain('Revenue (mentions you)\nAda Lovelace: Look, Grace');
    expect(textOf(0)).toContain('Weekly sign-ups\nAda Lovelace: The campaign began.');
    expect(textOf(0)).not.toContain('No one is named here');
    expect(await get('digest')).toMatchObject({ unopened: 1, failure: null, lastSentAt: expect.any(String) });

    // They have been in a digest already.
    await send('digest');
    expect(smtp.received).toHaveLength(1);
    expect((await get('digest')).unopened).toBe(1);

    await reply('ada', thread, 'And <i>more</i>');
    await write('ada', 'Alan?', ['alan']);
    await harness.as('alan').call('GET', threadsOf('signups'));
    await send('digest');
    expect(to()).toEqual(['grace@acme.example', 'grace@acme.example']);
    expect(smtp.received[1]?.mail.subject).toBe('1 unread thread in Web shop');
    expect(smtp.received[1]?.mail.html).toContain('Ada Lovelace: And &lt;i&gt;more&lt;/i&gt;');
  });

  it('is repeated when the mail server was down, and its link leads to the threads', async () => {
    smtp.onRecipient = () => {
      throw Object.assign(new Error('later'), { responseCode: 451 });
    };
    await put('late', ['grace']);
    await write('ada', 'Hello', ['grace']);
    await ada.call('POST', `${path('late')}/send`);
    await eventually(async () =>
      expect((await get('late')).failure?.message).toMatch(/^A mail was not sent/),
    );
    smtp.onRecipient = () => undefined;
    await eventually(() => expect(smtp.received).toHaveLength(1));
    const open = textOf(0).split('Open the threads:\n')[1]?.split('\n')[0] ?? '';
    const opened = await fetch(harness.url + new URL(open).pathname, { redirect: 'manual' });
    expect(opened.headers.get('location')).toBe('https://console.example/projects/shop/threads');
    expect((await get('late')).unopened).toBe(0);
  });

  it('needs a recipient and has no channels', async () => {
    const channels = [{ kind: 'slack', url: 'https://hooks.slack.com/services/T0/B0/x' }];
    const refused = [await put('x', []), await put('x', ['grace'], { channels })];
    expect(refused.map(({ status }) => status)).toEqual([400, 400]);
    expect(refused[1]?.body.error.message).toBe(
      'channels: a digest of threads differs for each recipient, so channels get none',
    );
  });

  it('shows only the threads of its project', async () => {
    await put('mine', ['grace']);
    await write('ada', 'Here', ['grace']);
    await database.sql`update threads set project_id = 'other'`;
    await send('mine');
    expect(smtp.received).toEqual([]);
  });
});

describe('a subscriber with pushes', () => {
  const report = {
    kind: 'line',
    title: 'Sign-ups',
    buckets: ['2026-02-01', '2026-02-02'],
    interval: 'day',
    series: [{ name: 'Sign-ups', values: [40, 42] }],
  };
  const weekly = () => put('weekly', ['pia', 'grace'], { target: { kind: 'report', id: 'signups' } });

  it('gets a mail and a push in each browser, with the numbers and a link that counts as opened', async () => {
    await harness
      .as('ops', ['service.manage'])
      .call('POST', '/management/v1/projects/shop/reports/signups/runs', { report });
    await weekly();
    await send('weekly');
    expect(to()).toEqual(['grace@acme.example', 'pia@acme.example']);
    expect(push.received).toHaveLength(2);
    const [first] = push.received;
    expect(first?.payload).toEqual({
      type: 'subscription',
      title: expect.stringMatching(/^Weekly sign-ups, \d+ \w+ \d{4}$/),
      body: 'Sign-ups 82',
      url: expect.stringMatching(/\/mails\/[\w-]+/),
      tag: expect.stringMatching(/^sml_/),
    });
    expect((await get('weekly')).unopened).toBe(1);
    await fetch(harness.url + new URL(first?.payload.url ?? '').pathname, { redirect: 'manual' });
    expect((await get('weekly')).unopened).toBe(0);
  });

  it('gets the digest as a mail and as pushes', async () => {
    await put('digest', ['pia']);
    await write('ada', 'Have a look', ['pia']);
    await send('digest');
    expect(to()).toEqual(['pia@acme.example']);
    expect(push.received.map(({ payload: { title, body } }) => [title, body])).toEqual([
      ['1 unread thread in Web shop', 'Weekly sign-ups: Ada Lovelace: Have a look'],
      ['1 unread thread in Web shop', 'Weekly sign-ups: Ada Lovelace: Have a look'],
    ]);
  });

  it('gets no more pushes in a browser that has unsubscribed, which is no failure', async () => {
    const gone = new URL(push.subscribe('laptop').endpoint).pathname;
    push.statuses.set(gone, 410);
    await put('digest', ['pia']);
    await write('ada', 'Once', ['pia']);
    await send('digest');
    expect(push.received).toHaveLength(1);
    expect(await get('digest')).toMatchObject({ failure: null });
    await write('ada', 'Twice', ['pia']);
    await send('digest');
    const endpoints =
      await database.sql`select endpoint from subscription_mails where endpoint like ${`%${gone}`}`;
    expect([push.received.length, endpoints.length]).toEqual([2, 1]);
  });
});
