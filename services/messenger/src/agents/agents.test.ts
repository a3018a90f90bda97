import { DEFAULT_INBOX_PREFERENCES } from '@switchboard/contracts';
import { testMember } from '@switchboard/directory/testing';
import { type MailServer, mailServer, type ReceivedMail } from '@switchboard/mail/testing';
import { eventually, freePort } from '@switchboard/testkit';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMessenger, type TestMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';
import { type TestConversation, type Visitor, visitorOf } from '../testing/visitor.ts';

const DOMAIN = 'replies.switchboard.example';
const MINUTE = 60_000;
const DIGEST = { ...DEFAULT_INBOX_PREFERENCES, mailDigest: true };

let smtp: MailServer;
let messenger: TestMessenger;
let transport: ReturnType<typeof createTransport>;

beforeAll(async () => {
  smtp = await mailServer();
  const port = await freePort();
  messenger = await startMessenger({
    env: {
      RATE_LIMITS_MULTIPLIER: '1000',
      SMTP_URL: smtp.url,
      MAIL_FROM: 'support@switchboard.example',
      SUPPORT_MAIL_DOMAIN: DOMAIN,
      SUPPORT_MAIL_PORT: String(port),
    },
  });
  transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
});
afterAll(async () => {
  transport.close();
  await messenger.stop();
  await smtp.stop();
});

interface Desk {
  project: TestProject;
  visitor: Visitor;
  /** The address of Ada, an agent. */
  email: string;
  as(
    sub: string,
  ): Promise<(method: string, path: string, body?: unknown) => ReturnType<TestMessenger['call']>>;
  /** Opens a conversation that waits for an answer. */
  waiting(subject?: string): Promise<TestConversation>;
}

/** Creates a project with Ada, who is an agent. */
async function desk(): Promise<Desk> {
  const project = await messenger.createProject();
  const email = `ada@${project.id}.example`;
  await join(project, 'ada', 'support', email);
  const visitor = visitorOf(messenger, project);
  return {
    project,
    visitor,
    email,
    async as(sub) {
      const token = await messenger.mint({ sub });
      return (method, path, body) =>
        messenger.call(method, `/v1/projects/${project.id}${path}`, { token, body });
    },
    async waiting(subject = 'Invoice') {
      const conversation = await visitor.open({ subject, email: 'grace@visitor.example' });
      await visitor.send(conversation, 'My invoice is wrong.');
      return conversation;
    },
  };
}

const join = ({ companyId }: TestProject, sub: string, role: string, email = `${sub}@example.com`) =>
  messenger.directory.put('member', { ...testMember(companyId, sub, { role }), name: 'Ada Lovelace', email });

const assign = async ({ as }: Desk, { id }: TestConversation, change: object = { assigneeId: 'ada' }) => {
  const ada = await as('ada');
  const { status } = await ada('POST', '/conversation-changes', { conversationIds: [id], change });
  expect(status).toBe(200);
};

async function prefer({ as }: Desk, preferences: object): Promise<void> {
  const ada = await as('ada');
  const { status, body } = await ada('PUT', '/inbox-preferences', { ...DIGEST, ...preferences });
  expect([status, body]).toEqual([200, { ...DIGEST, ...preferences }]);
}

const later = (minutes: number) => {
  messenger.time.shift += minutes * MINUTE;
};

const digestsTo = ({ email }: Desk): ReceivedMail[] =>
  smtp.received.filter(({ mail }) => JSON.stringify(mail.to).includes(email));

const digest = (of: Desk, count = 1) =>
  eventually(() => {
    const mails = digestsTo(of);
    expect(mails).toHaveLength(count);
    return mails[count - 1] as ReceivedMail;
  });

/** Waits until the digest of a member was looked at after this moment. */
async function looked({ project }: Desk): Promise<void> {
  const { sql } = messenger.database;
  const due = new Date(Date.now() + messenger.time.shift).toISOString();
  await eventually(async () => {
    // While an instance looks, the time is two minutes away.
    const [row] = await sql`select look_at > ${due}::timestamptz
        and not look_at between ${due}::timestamptz + interval '90 s' and ${due}::timestamptz + interval '150 s' as looked
      from inbox_preferences
      where project_id = ${project.id} and sub = 'ada'`;
    expect(row?.['looked']).toBe(true);
  });
}

const answer = (to: string, options: SendMailOptions = {}) =>
  transport.sendMail({
    from: { name: 'Ada', address: 'ada@home.example' },
    to,
    subject: 'Re: 1 conversation waits for an answer',
    text: 'I have sent you another one.\n\nOn Friday, Switchboard wrote:\n> My invoice is wrong.\n\n-- \nAda',
    disableFileAccess: true,
    disableUrlAccess: true,
    ...options,
  });

const refusal = async (sent: Promise<unknown>): Promise<string> =>
  sent.then(
    () => 'accepted',
    (error: { response?: string; message: string }) => error.response ?? error.message,
  );

const addressesIn = ({ mail }: ReceivedMail) =>
  [...(mail.text ?? '').matchAll(/a[0-9a-f]{62}@[\w.-]+/g)].map(([address]) => address);

describe('the preferences of the inbox', () => {
  it('belong to one member of a project, and have defaults', async () => {
    const of = await desk();
    await join(of.project, 'bob', 'support');
    await prefer(of, { desktop: 'all', quietHours: { from: '22:00', to: '07:00' } });
    const [ada, bob] = [await of.as('ada'), await of.as('bob')];
    expect((await ada('GET', '/inbox-preferences')).body).toMatchObject({ desktop: 'all', mailDigest: true });
    expect((await bob('GET', '/inbox-preferences')).body).toEqual(DEFAULT_INBOX_PREFERENCES);
  });

  it.each([
    ['timezone: not an IANA time zone', { timezone: 'Mars/Olympus' }],
    ['quietHours.to: equal to from; use another time', { quietHours: { from: '08:00', to: '08:00' } }],
    ['teamIds: team_other is not in the settings of support', { teamIds: ['team_other'] }],
  ])('are refused: %s', async (message, wrong) => {
    const ada = await (await desk()).as('ada');
    const { status, body } = await ada('PUT', '/inbox-preferences', { ...DIGEST, ...wrong });
    expect([status, body.error.message]).toEqual([400, message]);
  });

  it('are refused to a viewer', async () => {
    const of = await desk();
    await join(of.project, 'vera', 'viewer');
    const vera = await of.as('vera');
    expect((await vera('GET', '/inbox-preferences')).status).toBe(403);
    expect((await vera('PUT', '/inbox-preferences', DIGEST)).status).toBe(403);
  });
});

describe('the digest of waiting conversations', () => {
  it('names conversations of the member and of their teams, at most hourly, and only when a new one waits', async () => {
    const of = await desk();
    const ada = await of.as('ada');
    const settings = (await ada('GET', '/support-settings')).body;
    const { teams } = (
      await ada('PUT', '/support-settings', { ...settings, teams: [{ name: 'Billing' }, { name: 'Other' }] })
    ).body;
    const [own, team, others, nobodys] = [
      await of.waiting('Mine'),
      await of.waiting('Of the team'),
      await of.waiting('Of others'),
      await of.waiting('Of no one'),
    ];
    await assign(of, own);
    await assign(of, team, { teamId: teams[0].id });
    await assign(of, others, { teamId: teams[1].id });
    await prefer(of, { teamIds: [teams[0].id] });
    await looked(of);
    expect(digestsTo(of)).toEqual([]);
    later(31);
    const first = await digest(of);
    expect(first.mail.subject).toBe(`2 conversations wait for an answer (${of.project.id})`);
    expect(first.mail.text).toContain('Mine\nSince ');
    expect(first.mail.text).toContain('assigned to you\nMy invoice is wrong.');
    expect(first.mail.text).toContain('Of the team\n');
    for (const hidden of ['Of others', 'Of no one', nobodys.token])
      expect(first.mail.text).not.toContain(hidden);
    expect(first.mail.html).toContain('Mine<br>');
    expect(addressesIn(first)).toHaveLength(2);
    await assign(of, nobodys);
    await looked(of);
    expect(digestsTo(of)).toHaveLength(1);
    later(61);
    expect((await digest(of, 2)).mail.subject).toContain('3 conversations');
    await looked(of);
    later(61);
    await looked(of);
    expect(digestsTo(of)).toHaveLength(2);
  });

  it('is in the language of the member, else in that of the project, or in English', async () => {
    const of = await desk();
    await assign(of, await of.waiting());
    await prefer(of, { language: 'de', timezone: 'Europe/Berlin' });
    later(31);
    const german = await digest(of);
    expect(german.mail.subject).toBe(`1 Gespräch wartet auf eine Antwort (${of.project.id})`);
    expect(german.mail.text).toMatch(/Seit \d\d\.\d\d\.\d{4}, \d\d:\d\d, Ihnen zugewiesen/);
    expect(german.mail.html).toContain('lang="de"');
    const { sql } = messenger.database;
    await sql`update inbox_preferences set preferences = (preferences::jsonb - 'language')::json
      where project_id = ${of.project.id}`;
    await assign(of, await of.waiting());
    later(61);
    expect((await digest(of, 2)).mail.subject).toBe(`2 conversations wait for an answer (${of.project.id})`);
  });

  it('waits until the quiet hours are over', async () => {
    const of = await desk();
    await assign(of, await of.waiting());
    const at = new Date(Date.now() + messenger.time.shift);
    const time = (minutes: number) => new Date(at.getTime() + minutes * MINUTE).toISOString().slice(11, 16);
    await prefer(of, { quietHours: { from: time(-10), to: time(45) }, digestAfterMinutes: 5 });
    later(20);
    await looked(of);
    expect(digestsTo(of)).toEqual([]);
    later(60);
    await digest(of);
  });

  it('ends when the member may no longer reply', async () => {
    const of = await desk();
    await assign(of, await of.waiting());
    await prefer(of, {});
    await join(of.project, 'ada', 'viewer', of.email);
    const { sql } = messenger.database;
    await eventually(async () => {
      later(2);
      const [row] = await sql`select look_at from inbox_preferences where project_id = ${of.project.id}`;
      expect(row?.['look_at']).toBeNull();
    });
    expect(digestsTo(of)).toEqual([]);
  });
});

describe('the answer of a member to a digest', () => {
  async function digested() {
    const of = await desk();
    const conversation = await of.waiting();
    await assign(of, conversation);
    await prefer(of, {});
    later(31);
    const mail = await digest(of);
    return { of, conversation, mail, to: mail.mail.replyTo?.[0]?.address ?? '' };
  }
  const turnsOf = async (of: Desk, { id }: TestConversation) =>
    (await (await of.as('ada'))('GET', `/conversations/${id}`)).body.turns;

  it('becomes a turn of theirs whatever the From header says, with the quote folded', async () => {
    const { of, conversation, to, mail } = await digested();
    expect(addressesIn(mail)).toEqual([to]);
    const before = await messenger.auditEntries();
    await answer(to);
    expect(await messenger.auditEntries()).toBe(before + 1n);
    await answer(to, { messageId: '<again@home.example>', text: 'And one more.' });
    await answer(to, { messageId: '<again@home.example>', text: 'And one more.' });
    const [, first, second, ...none] = await turnsOf(of, conversation);
    expect(first).toMatchObject({
      authorKind: 'teammate',
      authorId: 'ada',
      body: 'I have sent you another one.',
      via: 'mail',
      mail: { address: 'ada@home.example', folded: expect.stringContaining('> My invoice is wrong.') },
    });
    expect([second.body, none]).toEqual(['And one more.', []]);
    const seen = await of.visitor.read(conversation);
    expect(seen.body).toMatchObject({ status: 'pending' });
    expect(seen.body.turns[1]).toMatchObject({ authorKind: 'teammate', authorName: 'Ada Lovelace' });
    expect(JSON.stringify(seen.body)).not.toContain('home.example');
  });

  it('is refused once they may not reply, to a forged address and after a week', async () => {
    const { of, conversation, to } = await digested();
    const forged = to.replace(/^a(.)/, (_, digit) => `a${digit === '0' ? '1' : '0'}`);
    expect(await refusal(answer(forged))).toContain('550 5.1.1');
    const other = await of.waiting();
    const moved = to.replace(conversation.id.slice(4), other.id.slice(4));
    expect(await refusal(answer(moved))).toContain('550 5.1.1');
    await join(of.project, 'ada', 'viewer', of.email);
    await eventually(async () => expect(await refusal(answer(to))).toContain('550 5.7.1'));
    await join(of.project, 'ada', 'support', of.email);
    messenger.time.shift += 9 * 24 * 60 * MINUTE;
    expect(await refusal(answer(to))).toContain('550 5.1.1');
    // The messenger learns a moment later that Ada may read again.
    await eventually(async () => expect(await turnsOf(of, conversation)).toHaveLength(1));
  });

  it('is left out if it is automatic, empty or the digest itself', async () => {
    const { of, conversation, to, mail } = await digested();
    await answer(to, { headers: { 'Auto-Submitted': 'auto-replied' } });
    await answer(to, { headers: { Precedence: 'list' } });
    await answer(to, { subject: '', text: ' ' });
    await answer(to, { messageId: mail.mail.messageId ?? '' });
    const turns = await turnsOf(of, conversation);
    expect(turns.map(({ body }: { body: string }) => body)).toEqual(['My invoice is wrong.']);
  });
});
