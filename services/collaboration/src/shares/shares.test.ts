import { openDatabase } from '@switchboard/database';
import { type MailServer, mailServer, noSuchMailbox } from '@switchboard/mail/testing';
import { type PushService, pushService, vapidSettings } from '@switchboard/push/testing';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { member } from '../testing/directory.ts';
import { type Harness, startHarness } from '../testing/harness.ts';
import { createSharesStore } from './store.ts';

let harness: Harness;
let smtp: MailServer;
let push: PushService;
let database: ReturnType<typeof openDatabase>;

beforeAll(async () => {
  [smtp, push] = await Promise.all([mailServer(), pushService()]);
  harness = await startHarness({
    SMTP_URL: smtp.url,
    MAIL_FROM: 'reports@switchboard.example',
    ...vapidSettings(),
    PUSH_PRIVATE_NETWORKS: '127.0.0.0/8,::1/128',
  });
  database = openDatabase({ url: harness.databaseUrl, applicationName: 'test' });
});
afterAll(async () => {
  await database.close();
  await harness.stop();
  await Promise.all([smtp.stop(), push.stop()]);
});
beforeEach(async () => {
  await eventually(async () => {
    const [row] = await database.sql`select count(*) from deliveries where state = 'waiting'`;
    expect(Number(row?.['count'])).toBe(0);
  });
  smtp.received.length = 0;
  push.received.length = 0;
  smtp.onRecipient = () => undefined;
});

const link = 'https://console.example/projects/shop/reports/signups';
const share = (body: object = {}, sub = 'ada', report = 'signups') =>
  harness.as(sub).call('POST', `/v1/projects/shop/reports/${report}/shares`, {
    recipients: ['grace'],
    link,
    language: 'en',
    ...body,
  });
const mailed = () => smtp.received.flatMap(({ to }) => to).sort();
const states = () =>
  database.sql`select recipient_sub, channel, state, reason from deliveries order by id desc`;

/** Adds a member with these push subscriptions and waits until the service knows the member. */
async function newMember(sub: string, subscriptions: string[] = []) {
  const entry = member(sub, sub, { pushSubscriptions: subscriptions.map(push.subscribe) });
  await harness.directory.put('member', entry);
  // Recipients are validated before the link.
  await expect
    .poll(async () => (await share({ recipients: [sub], link: 'none' })).body.error.message)
    .toMatch(/^link: /);
  return entry;
}

describe('a share', () => {
  it('returns the number of recipients of a share, without duplicates', async () => {
    const { status, body } = await share({ recipients: ['grace', 'alan', 'grace'] });
    expect([status, body]).toEqual([201, { sent: 2 }]);
    await eventually(() => expect(mailed()).toEqual(['alan@acme.example', 'grace@acme.example']));
  });

  it('e-mails a share in the language of the sender', async () => {
    await share({ note: 'Schau <b>hier</b>\n& da', link: `${link}?tab=1`, language: 'de-AT' });
    const { mail, raw } = await eventually(() => {
      const [first] = smtp.received;
      if (first === undefined) throw new Error('no mail yet');
      return first;
    });
    expect(mail.subject).toBe('Ada Lovelace hat „Weekly sign-ups“ mit Ihnen geteilt');
    expect(mail.from).toMatchObject({ name: 'Ada Lovelace', address: 'reports@switchboard.example' });
    expect(mail.to).toMatchObject([{ address: 'grace@acme.example' }]);
    expect(mail.replyTo).toMatchObject([{ address: 'ada@acme.example' }]);
    expect(mail.messageId).toMatch(/^<dlv_[0-9a-f]{32}@switchboard\.example>$/);
    expect(mail.text).toContain('Schau <b>hier</b>\n& da');
    expect(mail.text).toContain(`${link}?tab=1`);
    expect(mail.html).toContain('Schau &lt;b&gt;hier&lt;/b&gt;<br>&amp; da');
    expect(mail.html).toContain(`href="${link}?tab=1"`);
    expect(raw).toMatch(/^Content-Language: de/m);
    await eventually(async () => expect((await states())[0]).toMatchObject({ state: 'sent' }));
  });

  it('delivers a share to each push subscription of a recipient, encrypted for it', async () => {
    await newMember('pia', ['phone', 'laptop']);
    await share({ recipients: ['pia'], note: 'Bonjour', language: 'fr' });
    await eventually(() => expect(push.received).toHaveLength(2));
    expect(push.received.map(({ path }) => path).sort()).toEqual(['/laptop', '/phone']);
    for (const { headers, payload } of push.received) {
      expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400' });
      expect(headers['authorization']).toMatch(/^vapid t=/);
      expect(payload).toEqual({
        type: 'report_shared',
        title: 'Ada Lovelace a partagé « Weekly sign-ups » avec vous',
        body: 'Bonjour',
        url: link,
        tag: expect.stringMatching(/^dlv_/),
      });
    }
    await eventually(() => expect(mailed()).toEqual(['pia@acme.example']));
  });

  it('delivers a share to push subscriptions while the mail server hangs', async () => {
    await newMember('hugo', ['watch']);
    const { promise: hung, resolve: release } = Promise.withResolvers<void>();
    onTestFinished(() => release());
    let mails = 0;
    smtp.onRecipient = () => {
      mails += 1;
      return hung;
    };
    for (let count = 0; count < 3; count++) await share({ recipients: ['ada', 'grace', 'alan'] });
    await eventually(() => expect(mails).toBe(4));
    await share({ recipients: ['hugo'] });
    await eventually(() => expect(push.received.map(({ path }) => path)).toEqual(['/watch']), {
      withinMs: 60_000,
    });
    // None of the company's mails completed in between.
    expect([mails, smtp.received.length]).toEqual([4, 0]);
  });

  it.each<[string, object]>([
    ['20 recipients', { recipients: Array.from({ length: 20 }, () => 'grace') }],
    ['a note of 1,000 characters', { note: '\u{1F680}'.repeat(1000) }],
    ['a note of null', { note: null }],
    ['an empty note', { note: '' }],
    ['a language that is not written', { language: 'sv-SE' }],
  ])('accepts a share with %s', async (_, body) => {
    expect((await share(body)).body).toEqual({ sent: 1 });
  });

  it.each<[string, object]>([
    ['no recipients', { recipients: [] }],
    ['recipients left out', { recipients: undefined }],
    ['21 recipients', { recipients: Array.from({ length: 21 }, () => 'grace') }],
    ['a recipient who is no member', { recipients: ['grace', 'eve'] }],
    ['a note of 1,001 characters', { note: 'x'.repeat(1001) }],
    ['no link', { link: undefined }],
    ['a link to another report', { link: 'https://console.example/projects/shop/reports/revenue' }],
    ['a link to another site', { link: 'https://evil.example/projects/shop/reports/signups' }],
    ['no language', { language: undefined }],
    ['a malformed language', { language: 'e' }],
    ['an empty language', { language: '' }],
    ['another property', { subject: 'x' }],
  ])('rejects a share with %s with 400, and sends nothing', async (_, body) => {
    const before = (await states()).length;
    expect((await share(body)).status).toBe(400);
    expect((await states()).length).toBe(before);
  });

  it('counts a waiting share in the metrics', async () => {
    const exposed = await (await fetch(`${harness.url}/metrics`)).text();
    expect(exposed).toMatch(/^switchboard_deliveries_waiting\{[^}]*\} \d+$/m);
  });

  it('names a recipient who is not a member in the error', async () => {
    const { body } = await share({ recipients: ['grace', 'eve'] });
    expect(body.error.message).toBe('recipients[1]: "eve" is not a member of this company');
  });

  it('stores a share together with its jobs or not at all', async () => {
    const count = async () => (await database.sql`select 1 from shares`).length;
    const before = await count();
    const row = {
      id: 'shr_1',
      projectId: 'shop',
      companyId: 'acme',
      reportId: 'signups',
      reportName: 'Weekly sign-ups',
      senderSub: 'ada',
      senderName: 'Ada Lovelace',
      note: null,
      link,
      language: 'en',
      idempotencyKey: null,
      commentId: null,
      createdAt: new Date(),
    };
    const delivery = { id: 'dlv_1', recipientSub: 'grace', channel: 'email' } as const;
    const failing = createSharesStore(database.drizzle).add(
      row,
      [delivery],
      () => Promise.reject(new Error('the queue is broken')),
      database.drizzle,
    );
    await expect(failing).rejects.toThrow('the queue is broken');
    expect(await count()).toBe(before);
  });

  it('answers 404 to a share of an unknown report', async () => {
    expect((await share({}, 'ada', 'nothing')).status).toBe(404);
  });
});

describe('a delivery', () => {
  it('fails only the delivery that the server refuses permanently, and records it', async () => {
    smtp.onRecipient = (address) => {
      if (address.startsWith('grace')) throw noSuchMailbox();
    };
    await share({ recipients: ['grace', 'alan'] });
    await eventually(() => expect(mailed()).toEqual(['alan@acme.example']));
    const refused = await eventually(async () => {
      const row = (await states()).find(({ state }) => state === 'failed');
      if (row === undefined) throw new Error('not failed yet');
      return row;
    });
    expect(refused).toMatchObject({ recipient_sub: 'grace', channel: 'email' });
    expect(refused['reason']).toBe('the mail server rejected the message: EENVELOPE 550');
  });

  it('delivers once to everyone after the mail server was down', async () => {
    await smtp.stop();
    await share({ recipients: ['grace', 'alan', 'ada'] });
    await eventually(async () => {
      const [row] = await database.sql`select max(retry_count) as tries from pgboss.job`;
      expect(Number(row?.['tries'])).toBeGreaterThan(0);
    });
    await smtp.start();
    await eventually(() => expect(mailed()).toHaveLength(3), { withinMs: 25_000 });
    await eventually(async () =>
      expect((await states()).slice(0, 3).map(({ state }) => state)).toEqual(['sent', 'sent', 'sent']),
    );
    expect(mailed()).toEqual(['ada@acme.example', 'alan@acme.example', 'grace@acme.example']);
  });

  it('retries only the delivery that was refused temporarily', async () => {
    let refusals = 2;
    smtp.onRecipient = (address) => {
      if (address.startsWith('grace') && refusals-- > 0)
        throw Object.assign(new Error('greylisted'), { responseCode: 451 });
    };
    await share({ recipients: ['grace', 'alan'] });
    await eventually(() => expect(mailed()).toEqual(['alan@acme.example', 'grace@acme.example']), {
      withinMs: 25_000,
    });
    expect(refusals).toBe(-1);
  });

  it.each([404, 410])('drops the subscription when a push service answers %s', async (status) => {
    const sub = `quentin${status}`;
    await newMember(sub, [`gone${status}`, `here${status}`]);
    push.statuses.set(`/gone${status}`, status);
    await share({ recipients: [sub] });
    await eventually(async () => {
      const [row] =
        await database.sql`select count(*) from dropped_endpoints where endpoint like ${`%/gone${status}`}`;
      expect(Number(row?.['count'])).toBe(1);
    });
    push.statuses.delete(`/gone${status}`);
    push.received.length = 0;
    await share({ recipients: [sub] });
    await eventually(() => expect(push.received.map(({ path }) => path)).toEqual([`/here${status}`]));
    const pushed =
      await database.sql`select endpoint from deliveries where recipient_sub = ${sub} and channel = 'push'`;
    expect(pushed).toHaveLength(3);
  });

  it('retries only the subscription of a push service that fails temporarily', async () => {
    await newMember('rosa', ['busy', 'idle']);
    push.statuses.set('/busy', 503);
    await share({ recipients: ['rosa'] });
    await eventually(() => expect(push.received.map(({ path }) => path)).toEqual(['/idle']));
    push.statuses.delete('/busy');
    await eventually(() => expect(push.received.map(({ path }) => path)).toEqual(['/idle', '/busy']), {
      withinMs: 25_000,
    });
    await eventually(() => expect(mailed()).toEqual(['rosa@acme.example']));
  });

  it('makes no delivery to a person who has left the company', async () => {
    await smtp.stop();
    await newMember('sven');
    await share({ recipients: ['sven'] });
    await harness.directory.remove('member', 'acme', 'sven');
    await eventually(async () => expect((await share({ recipients: ['sven'] })).status).toBe(400));
    await smtp.start();
    await eventually(
      async () => {
        const rows = (await states()).filter(({ recipient_sub }) => recipient_sub === 'sven');
        // The removal of the member also removes deliveries that still wait.
        expect(rows.filter(({ state }) => state !== 'failed')).toEqual([]);
      },
      { withinMs: 25_000 },
    );
    expect(mailed()).toEqual([]);
  });
});
