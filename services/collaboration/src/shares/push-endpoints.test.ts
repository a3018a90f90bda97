import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { openDatabase } from '@switchboard/database';
import { testMember } from '@switchboard/directory/testing';
import { type MailServer, mailServer } from '@switchboard/mail/testing';
import { type PushService, pushService, vapidSettings } from '@switchboard/push/testing';
import { eventually } from '@switchboard/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { member } from '../testing/directory.ts';
import { type Harness, startHarness } from '../testing/harness.ts';

let harness: Harness;
let smtp: MailServer;
let push: PushService;
let database: ReturnType<typeof openDatabase>;
const open = new Set<ServerResponse>();
let mostOpen = 0;

beforeAll(async () => {
  [smtp, push] = await Promise.all([mailServer(), pushService()]);
  harness = await startHarness({
    SMTP_URL: smtp.url,
    ...vapidSettings(),
    PUSH_PRIVATE_NETWORKS: '127.0.0.0/8,::1/128',
  });
  await harness.directory.put('report', { projectId: 'theirs', id: 'sales', name: 'Sales' });
  database = openDatabase({ url: harness.databaseUrl, applicationName: 'test' });
});
afterEach(() => {
  push.answers.clear();
  for (const response of open) response.destroy();
});
afterAll(async () => {
  await database.close();
  await harness.stop();
  await Promise.all([smtp.stop(), push.stop()]);
});

/** Counts the response as open until either side closes it. */
function hold(response: ServerResponse): void {
  open.add(response);
  mostOpen = Math.max(mostOpen, open.size);
  response.on('close', () => open.delete(response));
}

/** Sends informational responses endlessly: the connection is never idle, but no final response arrives. */
function drip(response: ServerResponse): void {
  hold(response);
  const timer = setInterval(() => response.writeProcessing(), 100);
  response.on('close', () => clearInterval(timer));
}

/** Sends an endless body after the status. */
function flood(response: ServerResponse): void {
  hold(response);
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536)));
  };
  response.writeHead(201).on('drain', more);
  more();
}

const share = (recipients: string[], { sub = 'ada', project = 'shop', report = 'signups' } = {}) =>
  harness.as(sub).call('POST', `/v1/projects/${project}/reports/${report}/shares`, {
    recipients,
    link: `https://console.example/projects/${project}/reports/${report}`,
    language: 'en',
  });

/** Shares with a member once the service knows the member. */
async function shareWith(
  entry: ReturnType<typeof member>,
  where?: Parameters<typeof share>[1],
): Promise<void> {
  await harness.directory.put('member', entry);
  await eventually(async () => expect((await share([entry.sub], where)).status).toBe(201));
}

const deliveriesTo = (sub: string) =>
  database.sql`select state, reason from deliveries where recipient_sub = ${sub} and channel = 'push'`;

const received = (wanted: string) =>
  eventually(() => expect(push.received.map(({ path }) => path)).toContain(wanted), { withinMs: 15_000 });

const rival = (sub: string, name: string) =>
  testMember('rival', sub, { pushSubscriptions: [push.subscribe(name)] });
const ofRival = { sub: 'eve', project: 'theirs', report: 'sales' };

describe('a push endpoint', () => {
  it('reports the status of a push endpoint with an endless response', async () => {
    push.answers.set('/flood', flood);
    await shareWith(member('flo', 'Flo', { pushSubscriptions: [push.subscribe('flood')] }));
    await eventually(async () => expect(await deliveriesTo('flo')).toMatchObject([{ state: 'sent' }]));
    await eventually(() => expect(open.size).toBe(0));
  });

  it('delays no other company when a push endpoint never responds', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `drip${index}`);
    for (const name of names) push.answers.set(`/${name}`, drip);
    await shareWith(member('dora', 'Dora', { pushSubscriptions: names.map(push.subscribe) }));
    await eventually(() => expect(open.size).toBe(2));
    await shareWith(rival('rita', 'quick'), ofRival);
    await received('/quick');
    expect([open.size > 0, mostOpen]).toEqual([true, 2]);
    const [row] = await database.sql`select distinct retry_limit from pgboss.job where name = 'pushes'`;
    expect(row?.['retry_limit']).toBe(10);
  });

  it('fails for good, with the reason, at a private address, behind a redirect or with unusable keys', async () => {
    push.answers.set('/moved', (response) =>
      response.writeHead(302, { Location: 'https://localhost/' }).end(),
    );
    const { keys } = push.subscribe('unused');
    const bad = { p256dh: randomBytes(65).toString('base64url'), auth: keys.auth };
    const pushSubscriptions = [
      { endpoint: 'https://169.254.169.254/latest', keys },
      { endpoint: 'https://[::ffff:10.0.0.1]/', keys },
      push.subscribe('moved'),
      { endpoint: push.subscribe('bad').endpoint, keys: bad },
    ];
    await shareWith(member('mona', 'Mona', { pushSubscriptions }));
    await eventually(async () => {
      const rows = await deliveriesTo('mona');
      expect(rows.map(({ state, reason }) => `${state}: ${reason}`).sort()).toEqual([
        expect.stringMatching(/^failed: the keys of the subscription are not usable$/),
        expect.stringMatching(
          /^failed: the push service is not allowed: .*169\.254\.169\.254.*PUSH_PRIVATE_NETWORKS/,
        ),
        expect.stringMatching(/^failed: the push service is not allowed: .*::ffff:.*PUSH_PRIVATE_NETWORKS/),
        'failed: the push service rejected the message: status 302',
      ]);
    });
  });
});
