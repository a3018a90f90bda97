import { MAX_CHANNELS } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { mailServer } from '@switchboard/mail/testing';
import { createEncryption } from '@switchboard/runtime';
import { eventually, startReceiver } from '@switchboard/testkit';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { call, startHarness } from '../testing/harness.ts';

let status = 204;
const smtp = await mailServer();
const receiver = await startReceiver((response) => response.writeHead(status).end());
const harness = await startHarness(
  { SMTP_URL: smtp.url, WEBHOOK_PRIVATE_NETWORKS: '127.0.0.1/32' },
  { subscriptionsEveryMs: 50 },
);
const database = openDatabase({ url: harness.databaseUrl, applicationName: 'test' });
afterAll(async () => {
  await database.close();
  await harness.stop();
  await smtp.stop();
  await receiver.close();
});

const ada = harness.as('ada');
const PATH = '/v1/projects/shop/subscriptions/weekly';
const { origin } = new URL(receiver.url);
const urlOf = (name: string) => `${origin}/services/T0/B0/secret-of-${name}`;
const channel = (kind: string, name = kind) => ({ kind, url: urlOf(name) });
const short = (kind: string, end: string) => ({ kind, url: `${origin}/***${end}` });
const put = (more: object = {}) =>
  ada.call('PUT', PATH, {
    target: { kind: 'report', id: 'signups' },
    schedule: { every: 'day', at: '08:30', timeZone: 'Europe/Berlin' },
    recipients: ['grace'],
    ...more,
  });
const get = async () => (await ada.call('GET', PATH)).body;
const send = () => ada.call('POST', `${PATH}/send`);
const bodyAt = (name: string) => receiver.requests.find(({ path }) => path.endsWith(`-${name}`))?.json;

beforeEach(async () => {
  harness.clock.set('2026-03-01T12:00:00.000Z');
  await database.sql`delete from subscriptions`;
  receiver.requests.length = 0;
  smtp.received.length = 0;
  status = 204;
  const report = {
    kind: 'line',
    title: 'Sign-ups',
    buckets: ['2026-02-01', '2026-02-02'],
    interval: 'day',
    series: [{ name: 'Sign-ups', values: [40, 42] }],
  };
  const runs = '/management/v1/projects/shop/reports/signups/runs';
  await harness.as('ops', ['service.manage']).call('POST', runs, { report });
});

describe('the channels of a subscription', () => {
  it('get its numbers and its link, in the format of each chat', async () => {
    expect((await put({ channels: ['slack', 'discord', 'teams'].map((kind) => channel(kind)) })).status).toBe(
      200,
    );
    await send();
    await eventually(() => expect(receiver.requests).toHaveLength(3));
    const intro = 'The report “Weekly sign-ups” of Web shop, as of 1 Mar 2026, 13:00 (Europe/Berlin).';
    const table = [
      'Day         Sign-ups',
      '1 Feb 2026        40',
      '2 Feb 2026        42',
      'Total             82',
    ].join('\n');
    const link = 'https://console.example/projects/shop/reports/signups';
    expect(bodyAt('slack').text).toBe(
      `*Weekly sign-ups*\n${intro}\n\`\`\`\n${table}\n\`\`\`\n<${link}|Open the report>`,
    );
    expect(bodyAt('discord').embeds).toEqual([
      {
        title: 'Weekly sign-ups',
        url: link,
        description: `${intro.replace('(Europe/Berlin)', '\\(Europe/Berlin\\)')}\n\`\`\`\n${table}\n\`\`\`\n[Open the report](${link})`,
      },
    ]);
    const [{ content }] = bodyAt('teams').attachments;
    expect(content.actions).toEqual([{ type: 'Action.OpenUrl', title: 'Open the report', url: link }]);
    const [name, said, grid] = content.body;
    expect([name, said].map(({ inlines }) => inlines[0].text)).toEqual(['Weekly sign-ups', intro]);
    const texts = grid.rows.map(({ cells }: { cells: { items: { inlines: { text: string }[] }[] }[] }) =>
      cells.map(({ items }) => items[0]?.inlines[0]?.text),
    );
    expect(texts).toEqual([
      ['Day', 'Sign-ups'],
      ['1 Feb 2026', '40'],
      ['2 Feb 2026', '42'],
      ['Total', '82'],
    ]);
    await eventually(() => expect(smtp.received).toHaveLength(1));
  });

  it('are stored encrypted and shown shortened, and stay with their shortened URL or without the field', async () => {
    const stored = await put({ channels: [channel('slack', 'slack-1234'), channel('teams', 'teams-5678')] });
    const shown = [short('slack', '1234'), short('teams', '5678')];
    expect(stored.body.channels).toEqual(shown);
    expect((await put({ enabled: false })).body.channels).toEqual(shown);
    const changed = await put({ channels: [shown[1], channel('discord', 'discord-9')] });
    expect(changed.body.channels).toEqual([shown[1], short('discord', 'rd-9')]);
    const rows = await database.sql`select row_to_json(c)::text as text from subscription_channels as c`;
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain('secret-of');
    await send();
    await eventually(() =>
      expect(receiver.requests.map(({ path }) => path).sort()).toEqual([
        '/services/T0/B0/secret-of-discord-9',
        '/services/T0/B0/secret-of-teams-5678',
      ]),
    );
    expect((await put({ channels: [] })).body.channels).toEqual([]);
  });

  it('are refused if nothing can be sent to them, they are too many or no one would get anything', async () => {
    await put({ channels: [channel('slack')] });
    const refused: [object, string][] = [
      [{ channels: [{ kind: 'slack', url: 'http://hooks.example.com/' }] }, 'channels[0].url: not an https'],
      [{ channels: [{ kind: 'slack', url: 'https://10.0.0.1/' }] }, 'channels[0].url: 10.0.0.1 is a private'],
      [
        { channels: [{ kind: 'slack', url: 'https://a:b@example.com/' }] },
        'channels[0].url: contains a user',
      ],
      [{ channels: [{ kind: 'irc', url: urlOf('irc') }] }, 'channels[0].kind'],
      [{ channels: [short('slack', '0000')] }, 'channels[0].url: shortened'],
      [{ channels: [short('teams', 'lack')] }, 'channels[0].url: shortened'],
      [{ channels: [channel('slack'), short('slack', 'lack')] }, 'channels[1].url: looks like'],
      [
        { channels: Array.from({ length: MAX_CHANNELS + 1 }, (_, at) => channel('slack', `${at}`)) },
        'channels',
      ],
      [{ channels: [], recipients: [] }, 'recipients: name a member, or add a channel'],
    ];
    for (const [more, message] of refused) {
      const answer = await put(more);
      expect([answer.status, answer.body.error.message], message).toEqual([
        400,
        expect.stringContaining(message),
      ]);
      expect(JSON.stringify(answer.body)).not.toContain('secret-of');
    }
    expect((await get()).channels).toEqual([short('slack', 'lack')]);
  });

  it('get a message again after a failure, which the subscription shows until then', async () => {
    await put({ channels: [channel('slack')] });
    status = 500;
    await send();
    await eventually(async () =>
      expect((await get()).failure?.message).toBe(
        'A chat message was not sent: Slack failed: status 500. It will be sent again.',
      ),
    );
    status = 204;
    await eventually(async () => expect(await get()).toMatchObject({ failure: null }));
    expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(1);
  });

  it('that reject a message show it, although the mails were sent', async () => {
    await put({ channels: [channel('teams')] });
    status = 404;
    await send();
    await eventually(() => expect([smtp.received.length, receiver.requests.length]).toEqual([1, 1]));
    await eventually(async () =>
      expect(await database.sql`select from subscription_mails where state = 'waiting'`).toHaveLength(0),
    );
    expect(await get()).toMatchObject({
      lastSentAt: '2026-03-01T12:00:00.000Z',
      failure: { message: 'A chat message was not sent: Teams rejected the message: status 404.' },
    });
    status = 204;
    harness.clock.set('2026-03-01T13:00:00.000Z');
    await send();
    await eventually(async () => expect(await get()).toMatchObject({ failure: null }));
  });

  it('keep a subscription without mails running', async () => {
    await put({ recipients: [], channels: [channel('slack')] });
    await database.sql`update subscriptions set unopened = 8`;
    await send();
    await eventually(() => expect(receiver.requests).toHaveLength(1));
    expect(await get()).toMatchObject({ enabled: true, recipients: [] });

    await put({ recipients: ['grace'] });
    await send();
    await eventually(() => expect(smtp.received).toHaveLength(1));
    const link = /Unsubscribe: (\S+)/.exec(smtp.received[0]?.mail.text ?? '')?.[1] ?? '';
    expect((await call(harness.url, 'POST', new URL(link).pathname)).status).toBe(200);
    expect(await get()).toMatchObject({
      enabled: true,
      recipients: [{ sub: 'grace', unsubscribed: true }],
    });
  });

  it('that were removed get nothing that waits', async () => {
    await put({ channels: [channel('slack')] });
    status = 500;
    await send();
    await eventually(() => expect(receiver.requests.length).toBeGreaterThan(0));
    await put({ channels: [] });
    const before = receiver.requests.length;
    status = 204;
    await eventually(async () =>
      expect(
        await database.sql`select from pgboss.job where name = 'chat_messages' and state < 'completed'`,
      ).toHaveLength(0),
    );
    expect(receiver.requests.length).toBe(before);
  });

  it('are encrypted again when LINK_SECRET changes', async () => {
    await put({ channels: [channel('slack')] });
    const next = 'the next secret of more than thirty-two characters';
    const encryption = createEncryption({ secrets: [next], purpose: 'subscription channel' });
    const instance = await harness.another({ LINK_SECRET: `${next},${harness.env['LINK_SECRET']}` });
    await eventually(async () => {
      const [row] = await database.sql`select id, encrypted_url from subscription_channels`;
      const context = JSON.stringify(['shop', 'weekly', row?.['id']]);
      expect(await encryption.decrypt(row?.['encrypted_url'], context)).toBe(urlOf('slack'));
    });
    await instance.stop();
  });
});
