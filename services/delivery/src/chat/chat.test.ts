import type { AuditEntry } from '@switchboard/contracts';
import { eventually, type Received } from '@switchboard/testkit';
import { afterEach, expect, it } from 'vitest';
import { useDelivery } from '../testing/harness.ts';

const delivery = await useDelivery({ constants: { schedule: [0, 0, 0] } });
const { manage } = delivery;
const FORMATS = ['slack', 'discord', 'teams'] as const;
const TYPES = [
  ...['event', 'report.ran', 'alert.fired', 'alert.recovered', 'cohort.entered', 'cohort.left'],
  ...['conversation.opened', 'conversation.turn', 'conversation.resolved', 'flag.changed'],
  ...['change_request.changed', 'erasure.done', 'audit'],
];

const project = await delivery.createProject();
await delivery.directory.put('member', {
  ...{ companyId: project.companyId, sub: 'sub-grace', name: 'Grace <Hopper>', email: 'grace@example.com' },
  ...{ role: 'admin', avatarUrl: null, pushSubscriptions: [] },
});
await delivery.directory.put('report', { projectId: project.id, id: 'weekly', name: 'Weekly sign-ups' });
const name = project.name ?? project.id;
const chats = await Promise.all(
  FORMATS.map(async (format) => {
    const receiver = await delivery.receiver();
    const types = {
      types: TYPES,
      events: [{ event: 'order placed' }, { event: '@everyone' }],
      cohorts: ['vip'],
    };
    return {
      format,
      receiver,
      ...(await delivery.createWebhook(project.id, receiver, { format, ...types })),
    };
  }),
);
afterEach(() => {
  for (const { receiver } of chats) receiver.requests.length = 0;
});

interface Shown {
  title: string;
  lines: string[];
  link: string;
}

const unescaped = (text: string) => text.replaceAll(/\\(.)/g, '$1');
const unentitied = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** Reads a message as people see it. */
const READ: Record<(typeof FORMATS)[number], (body: Received['json']) => Shown> = {
  slack({ text }) {
    const lines: string[] = text.split('\n').map(unentitied);
    const [title = '', ...rest] = lines;
    return {
      title: title.slice(1, -1),
      lines: rest.slice(0, -1),
      link: rest.at(-1)?.slice(1).split('|')[0] ?? '',
    };
  },
  discord({ embeds: [{ title, url, description }], allowed_mentions: mentions }) {
    expect(mentions).toEqual({ parse: [] });
    return { title, lines: description.split('\n').slice(0, -1).map(unescaped), link: url };
  },
  teams({ attachments: [{ content }] }) {
    const [title, ...lines] = content.body.map(
      ({ inlines: [{ text }] }: { inlines: [{ text: string }] }) => text,
    );
    return { title, lines, link: content.actions[0].url };
  },
};

const at = new Date(Date.now() + 1).toISOString();
const { id: projectId, companyId } = project;
const entry: AuditEntry = {
  ...{ id: 'aud_1', at, companyId, projectId, status: null, reason: null, address: 'none', requestId: null },
  ...{ region: 'eu', service: 'flags', count: 1, until: null, outcome: 'allowed' },
  ...{
    actor: { kind: 'person', id: 'sub-grace', tokenId: null },
    action: 'putFlag',
    object: 'flag:new/checkout',
  },
};
const audit = (more: Partial<AuditEntry>) => () => delivery.publishAudit({ ...entry, ...more });
const record = (topic: string, more: object) => () =>
  delivery.publishRecord(topic, 'key', { projectId, at, ...more });
const alert = {
  ...{ alertId: 'drop', name: 'Orders drop', incidentId: 'inc_1', bucket: '2026-03-01T09:00' },
  ...{ rule: { kind: 'threshold', below: 10 }, value: 1234.5, expected: 10 },
};
const conversation = {
  ...{ conversationId: 'cnv_1', distinctId: 'visitor-1', userId: 'user-1', userVerified: false },
  ...{ subject: 'Invoice', status: 'open' },
};
const cohort = { cohortId: 'vip', members: 2, failure: null, entered: [], left: [] };
const run = { reportId: 'weekly', runId: '0198c5f1-6d2a-7c3e-9f40-5b8d2e1a7c64', ranAt: at, asOf: at };
const flag = { key: 'new', enabled: false, rolloutPercentage: 10, targeting: [] };

const CASES: [type: string, publish: () => Promise<unknown>, title: string, lines: string[], path: string][] =
  [
    [
      'event',
      () =>
        delivery.publishEvents(projectId, [
          {
            event_name: 'order placed',
            distinct_id: 'a/b (c)',
            properties: { total: 12.5, note: 'ok', list: [1] },
          },
        ]),
      'Event “order placed”',
      ['Person: a/b (c)', 'total: 12.5, note: ok'],
      'people/a%2Fb%20%28c%29',
    ],
    [
      'report.ran',
      record('report-runs', { ...run, report: { kind: 'bar' } }),
      'The report “Weekly sign-ups” ran',
      [],
      'reports/weekly',
    ],
    [
      'report.ran with an error',
      record('report-runs', {
        ...{ ...run, runId: '0198c5f1-6d2a-7c3e-9f40-5b8d2e1a7c65' },
        error: { code: 'TOO_LARGE', message: 'Choose a shorter range.' },
      }),
      'The report “Weekly sign-ups” failed',
      ['Choose a shorter range.'],
      'reports/weekly',
    ],
    [
      'alert.fired',
      record('alerts', { type: 'alert.fired', ...alert }),
      'Alert fired: Orders drop',
      ['Value: 1,234.5 (limit 10), 2026-03-01T09:00'],
      'alerts?open=drop',
    ],
    [
      'alert.recovered',
      record('alerts', { type: 'alert.recovered', ...alert, rule: { kind: 'missing' }, ended: 'recovered' }),
      'Alert recovered: Orders drop',
      ['Value: 1,234.5, 2026-03-01T09:00'],
      'alerts?open=drop',
    ],
    [
      'alert.recovered after a change',
      record('alerts', { type: 'alert.recovered', ...alert, incidentId: 'inc_2', ended: 'changed' }),
      'Alert ended: Orders drop',
      ['The alert was changed.'],
      'alerts?open=drop',
    ],
    [
      'cohort.entered',
      record('cohort-changes', { ...cohort, entered: ['visitor-1'] }),
      'visitor-1 entered the cohort “vip”',
      [],
      'people/visitor-1',
    ],
    [
      'cohort.left',
      record('cohort-changes', { ...cohort, left: ['visitor-1'] }),
      'visitor-1 left the cohort “vip”',
      [],
      'people/visitor-1',
    ],
    [
      'conversation.opened',
      record('conversations', { type: 'conversation.opened', ...conversation }),
      'visitor-1 opened a conversation',
      ['Invoice'],
      'inbox?open=cnv_1',
    ],
    [
      'conversation.turn',
      record('conversations', {
        ...{ type: 'conversation.turn', ...conversation, userVerified: true },
        ...{ turnId: 'trn_1', authorKind: 'visitor', text: 'Where is\nmy invoice?' },
      }),
      'Message of user-1',
      ['Invoice', 'Where is my invoice?'],
      'inbox?open=cnv_1',
    ],
    [
      'conversation.resolved',
      record('conversations', { type: 'conversation.resolved', ...conversation, status: 'resolved' }),
      'The conversation of visitor-1 was resolved',
      ['Invoice'],
      'inbox?open=cnv_1',
    ],
    [
      'flag.changed',
      audit({
        id: 'aud_2',
        before: flag,
        after: { ...flag, enabled: true, targeting: [{}] },
        reason: 'Launch',
      }),
      'Grace <Hopper> changed the flag “new/checkout”',
      ['enabled: false → true', 'targeting: changed', 'Reason: Launch'],
      'flags/new%2Fcheckout',
    ],
    [
      'flag.changed of a new flag',
      audit({ id: 'aud_3', after: flag }),
      'Grace <Hopper> created the flag “new/checkout”',
      [],
      'flags/new%2Fcheckout',
    ],
    [
      'flag.changed of a deleted flag',
      audit({ id: 'aud_4', before: flag, action: 'deleteFlag' }),
      'Grace <Hopper> deleted the flag “new/checkout”',
      [],
      'flags',
    ],
    [
      'change_request.changed',
      audit({
        ...{ id: 'aud_5', action: 'decideChangeRequest', object: 'change-request:chr_1' },
        before: { key: 'new', state: 'waiting', flag },
        after: { key: 'new', decision: 'approve', state: 'approved', flag: { ...flag, enabled: true } },
      }),
      'Grace <Hopper> approved a change request for the flag “new”',
      ['enabled: false → true'],
      'flag-requests?open=chr_1',
    ],
    [
      'erasure.done',
      audit({
        ...{ id: 'aud_6', actor: { kind: 'scheduler', id: 'ers_1', tokenId: null } },
        ...{ action: 'finishErasure', object: 'erasure:ers_1' },
      }),
      'A person was erased',
      ['Erasure: ers_1'],
      'settings/erasures?open=ers_1',
    ],
    [
      'audit',
      audit({ id: 'aud_7', action: 'putMember', object: 'member:x', outcome: 'refused', status: 403 }),
      'Grace <Hopper>: Create or replace a member of a company',
      ['member:x', 'Refused'],
      'settings/audit?open=aud_7',
    ],
  ];

it.each(CASES)('says %s in each chat, with a link to the console', async (_, publish, title, lines, path) => {
  await publish();
  for (const { format, receiver } of chats)
    await eventually(() =>
      expect(receiver.requests.map(({ json }) => READ[format](json))).toContainEqual({
        title,
        lines: [...lines, name],
        link: `https://console.example/projects/${projectId}/${path}`,
      }),
    );
});

it('has a case for each type', () => {
  const tested = CASES.map(([type]) => type.split(' ')[0]);
  expect(TYPES.filter((type) => !tested.includes(type))).toEqual([]);
});

it('sends a test message, and shows in the log what it sent', async () => {
  for (const { format, receiver, path } of chats) {
    const { body: queued } = await manage('POST', `${path}/test`);
    await eventually(() =>
      expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toContain(queued.id),
    );
    const sent = receiver.requests.find(({ headers }) => headers['webhook-id'] === queued.id);
    expect(sent && READ[format](sent.json).title).toMatch(/^Test of the webhook “hook-\d+”$/);
    expect(sent?.headers['webhook-signature']).toMatch(/^v1,/);
    await eventually(async () =>
      expect((await manage('GET', `${path}/messages/${queued.id}`)).body).toMatchObject({
        ...{ type: 'webhook.test', state: 'delivered', body: sent?.body },
      }),
    );
  }
});

it('sends hostile names as text', async () => {
  const properties = { '<!channel>': '<https://evil.example|here> [here](https://evil.example)' };
  await delivery.publishEvents(projectId, [{ event_name: '@everyone', distinct_id: ')<!here>', properties }]);
  const [slack, discord, teams] = await Promise.all(
    chats.map(async ({ receiver }) => {
      const find = () => receiver.requests.find(({ body }) => body.includes('@everyone'));
      await eventually(() => expect(find()).toBeDefined());
      return find()?.json;
    }),
  );
  const link = `https://console.example/projects/${projectId}/people/%29%3C%21here%3E`;
  expect(slack.text.match(/<[^>]*>/g)).toEqual([`<${link}|Open the person>`]);
  const [{ description }] = discord.embeds;
  expect(description).not.toMatch(/(?<!\\)\[(?!Open the person\])/);
  expect(description).toContain(`[Open the person](${link})`);
  expect(discord).not.toHaveProperty('content');
  expect(JSON.stringify(teams)).not.toContain('"TextBlock"');
});

it('sends messages that wait, and a replay, in the format that the webhook has then', async () => {
  const other = await delivery.createProject();
  let isBroken = true;
  const receiver = await delivery.receiver((response) => response.writeHead(isBroken ? 500 : 200).end());
  const { path } = await delivery.createWebhook(other.id, receiver);
  await delivery.publishEvents(other.id, [{}]);
  await eventually(async () =>
    expect((await manage('GET', `${path}/messages`)).body.messages).toMatchObject([{ state: 'failed' }]),
  );
  isBroken = false;
  const definition = { url: receiver.url, types: ['event'], events: [{ event: 'paid' }] };
  expect((await manage('PUT', path, { ...definition, format: 'discord' })).body.format).toBe('discord');
  const messageId = receiver.requests[0]?.headers['webhook-id'];
  await manage('POST', `${path}/replays`, { messageId });
  await eventually(() =>
    expect(receiver.requests.at(-1)?.json.embeds).toMatchObject([{ title: 'Event “paid”' }]),
  );
  expect(receiver.requests[0]?.json).toMatchObject({ type: 'event', data: { name: 'paid' } });
  expect((await manage('PUT', path, definition)).body.format).toBe('standard');
  expect((await manage('PUT', path, { ...definition, format: 'irc' })).status).toBe(400);
});
