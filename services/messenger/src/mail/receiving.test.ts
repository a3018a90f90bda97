import { testMember } from '@switchboard/directory/testing';
import { type MailServer, mailServer, type ReceivedMail } from '@switchboard/mail/testing';
import { eventually, freePort } from '@switchboard/testkit';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { png } from '../testing/files.ts';
import { startMessenger, type TestMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';
import { type TestConversation, type Visitor, visitorOf } from '../testing/visitor.ts';

const DOMAIN = 'replies.switchboard.example';
const GRACE = 'grace@visitor.example';

let smtp: MailServer;
let messenger: TestMessenger;
let project: TestProject;
let visitor: Visitor;
let ada: string;
let port: number;
let transport: ReturnType<typeof createTransport>;

beforeAll(async () => {
  smtp = await mailServer();
  port = await freePort();
  messenger = await startMessenger({
    env: {
      SMTP_URL: smtp.url,
      MAIL_FROM: 'support@switchboard.example',
      SUPPORT_MAIL_DOMAIN: DOMAIN,
      SUPPORT_MAIL_PORT: String(port),
    },
  });
  transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
  project = await messenger.createProject();
  await messenger.directory.put(
    'member',
    testMember(project.companyId, 'ada', { name: 'Ada Lovelace', role: 'support' }),
  );
  visitor = visitorOf(messenger, project);
  ada = await messenger.mint({ sub: 'ada' });
});
afterAll(async () => {
  transport.close();
  await messenger.stop();
  await smtp.stop();
});
beforeEach(() => {
  smtp.received.length = 0;
});

const asAda = (method: string, path: string, body?: unknown) =>
  messenger.call(method, `/v1/projects/${project.id}${path}`, { token: ada, body });
const read = async (id: string) => (await asAda('GET', `/conversations/${id}`)).body;

/** Opens a conversation of a visitor, in which an agent has replied by mail. */
async function mailed(): Promise<{ conversation: TestConversation; mail: ReceivedMail; replyTo: string }> {
  smtp.received.length = 0;
  const conversation = await visitor.open({ email: GRACE, subject: 'Invoice for March' });
  await visitor.send(conversation, 'My invoice is wrong.');
  const { status } = await asAda('POST', `/conversations/${conversation.id}/turns`, { body: 'Which one?' });
  expect(status).toBe(201);
  messenger.time.shift += 11 * 60_000;
  const mail = await eventually(() => {
    const [first] = smtp.received;
    if (first === undefined) throw new Error('no mail yet');
    return first;
  });
  return { conversation, mail, replyTo: mail.mail.replyTo?.[0]?.address ?? '' };
}

/** Sends an answer as a mail program does. */
const answer = (to: string, options: SendMailOptions = {}) =>
  transport.sendMail({
    from: { name: 'Grace Hopper', address: GRACE },
    to,
    subject: 'Re: Invoice for March',
    text: 'The one of March.\n\nOn Friday, Ada wrote:\n> Which one?\n\n-- \nGrace',
    disableFileAccess: true,
    disableUrlAccess: true,
    ...options,
  });

/** Returns the refusal of the mail server. */
const refusal = async (sent: Promise<unknown>): Promise<string> =>
  sent.then(
    () => 'accepted',
    (error: { response?: string; message: string }) => error.response ?? error.message,
  );

const lastTurn = async (id: string) => (await read(id)).turns.at(-1);

async function mailAddress(on = true): Promise<string> {
  const { mailAddress: _, ...settings } = (await asAda('GET', '/support-settings')).body;
  const put = await asAda('PUT', '/support-settings', { ...settings, mailOpensConversations: on });
  expect(put.status).toBe(200);
  return put.body.mailAddress;
}

/** Returns the latest conversation of a sender. */
async function opened(address: string) {
  const { body } = await asAda('GET', `/conversations?distinctId=${encodeURIComponent(`mail:${address}`)}`);
  return body.conversations;
}

describe('the answer to a mail', () => {
  it('becomes a turn of the visitor, with the quote and the signature folded, and reopens the conversation', async () => {
    const { conversation, mail, replyTo } = await mailed();
    await asAda('POST', '/conversation-changes', {
      conversationIds: [conversation.id],
      change: { status: 'resolved' },
    });
    const socket = new WebSocket(
      `${messenger.url.replace(/^http/, 'ws')}/v1/messenger/socket?api_key=${project.key}`,
    );
    await new Promise((resolve) => socket.once('open', resolve));
    const messages: Record<string, unknown>[] = [];
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    socket.send(
      JSON.stringify({ type: 'subscribe', conversationId: conversation.id, token: conversation.token }),
    );
    await eventually(() => expect(messages.map(({ type }) => type)).toContain('subscribed'));

    const sent = await answer(replyTo, {
      inReplyTo: mail.mail.messageId ?? '',
      attachments: [{ filename: 'shot.png', content: png() }],
    });
    const { turns, status, contact } = await read(conversation.id);
    expect(status).toBe('open');
    expect(turns.at(-1)).toMatchObject({
      authorKind: 'visitor',
      authorId: null,
      body: 'The one of March.',
      via: 'mail',
      mail: {
        name: 'Grace Hopper',
        address: GRACE,
        isContact: true,
        folded: 'On Friday, Ada wrote:\n> Which one?\n\n--\nGrace',
        leftOut: [],
      },
      attachments: [{ name: 'shot.png', contentType: 'image/png' }],
    });
    expect(turns[0]).toMatchObject({ via: 'messenger', mail: null });
    expect(contact.email).toBe(GRACE);

    // The visitor sees the body and the file, and nothing else of the mail.
    const { body: seen } = await visitor.read(conversation);
    expect(seen.turns.at(-1).body).toBe('The one of March.');
    await eventually(() => expect(messages.map(({ type }) => type)).toContain('turn'));
    for (const shown of [seen, messages])
      expect(JSON.stringify(shown)).not.toMatch(/Hopper|visitor\.example|folded|via|isContact/);
    socket.close();
    await new Promise((resolve) => socket.once('close', resolve));

    // The next mail answers it.
    smtp.received.length = 0;
    await asAda('POST', `/conversations/${conversation.id}/turns`, { body: 'Thank you.' });
    messenger.time.shift += 11 * 60_000;
    await eventually(() => expect(smtp.received).toHaveLength(1));
    const [next] = smtp.received;
    expect(next?.mail.inReplyTo).toBe(sent.messageId);
    expect(next?.mail.references).toBe(`${mail.mail.messageId} ${sent.messageId}`);
  });

  it('becomes one turn when the mail server sends it twice', async () => {
    const { conversation, replyTo } = await mailed();
    const messageId = '<twice@visitor.example>';
    await answer(replyTo, { messageId });
    await answer(replyTo, { messageId });
    expect((await read(conversation.id)).turns).toHaveLength(3);
  });

  it('is marked if another sender wrote it', async () => {
    const { conversation, replyTo } = await mailed();
    await answer(replyTo, { from: 'Eve <eve@evil.example>' });
    expect(await lastTurn(conversation.id)).toMatchObject({
      authorId: null,
      mail: { address: 'eve@evil.example', isContact: false },
    });
  });

  it('has no user as author, even if the user of the conversation is verified', async () => {
    const { replyTo, conversation } = await mailed();
    await messenger.database
      .sql`update conversations set user_id = 'grace', user_verified = true where id = ${conversation.id}`;
    await answer(replyTo);
    expect(await lastTurn(conversation.id)).toMatchObject({ authorKind: 'visitor', authorId: null });
  });

  it('names files that break a rule of uploads, and keeps the others', async () => {
    const { conversation, replyTo } = await mailed();
    await answer(replyTo, {
      attachments: [
        { filename: 'evil.html', content: '<script>alert(1)</script>' },
        { filename: 'large.png', content: Buffer.concat([png(), Buffer.alloc(500_000)]) },
        { filename: '../../ok.png', content: png() },
        { filename: 'fake.png', content: 'not a picture' },
      ],
    });
    const turn = await lastTurn(conversation.id);
    expect(turn.attachments.map(({ name }: { name: string }) => name)).toEqual(['ok.png']);
    expect(turn.mail.leftOut).toEqual(['evil.html', 'large.png', 'fake.png']);
  });

  it('is cut to the length of a turn, and folds the rest', async () => {
    const { conversation, replyTo } = await mailed();
    await answer(replyTo, { text: 'x'.repeat(50_000) });
    const turn = await lastTurn(conversation.id);
    expect([turn.body.length, turn.mail.folded.length]).toEqual([10_000, 20_000]);
  });

  it.each<[string, SendMailOptions]>([
    ['an auto-reply', { headers: { 'Auto-Submitted': 'auto-replied' } }],
    ['an absence note of Exchange', { headers: { 'X-Auto-Response-Suppress': 'All' } }],
    ['a mail of a list', { headers: { Precedence: 'list' } }],
    ['a mail with the null sender', { envelope: { from: '', to: 'replaced' } }],
  ])('is left out if it is %s', async (_, options) => {
    const { conversation, replyTo } = await mailed();
    const envelope = options.envelope && { envelope: { from: '', to: replyTo } };
    await answer(replyTo, { ...options, ...envelope });
    expect((await read(conversation.id)).turns).toHaveLength(2);
  });

  it('is left out if it is a mail of this deployment that came back', async () => {
    const { conversation, mail, replyTo } = await mailed();
    await transport.sendMail({
      envelope: { from: GRACE, to: replyTo },
      raw: mail.raw.replace(/^Auto-Submitted:.*\r\n/m, ''),
    });
    expect((await read(conversation.id)).turns).toHaveLength(2);
  });

  it('is refused for now after 30 mails to a conversation in an hour, without affecting another', async () => {
    const [{ replyTo }, other] = [await mailed(), await mailed()];
    for (let count = 0; count < 30; count++) await answer(replyTo);
    expect(await refusal(answer(replyTo))).toMatch(/^450 /);
    await answer(other.replyTo);
  });

  it('is refused if its conversation was removed', async () => {
    const { conversation, replyTo } = await mailed();
    for (const table of ['turns', 'conversation_mail'])
      await messenger.database
        .sql`delete from ${messenger.database.sql(table)} where conversation_id = ${conversation.id}`;
    await messenger.database.sql`delete from conversations where id = ${conversation.id}`;
    expect(await refusal(answer(replyTo))).toMatch(/^550 /);
  });
});

it('refuses unknown, changed and foreign recipients with 550, and keeps the others of a mail', async () => {
  const { conversation, replyTo } = await mailed();
  const changed = replyTo.replace(/.@/, (end) => (end === '0@' ? '1@' : '0@'));
  for (const to of [changed, `unknown@${DOMAIN}`, replyTo.replace(DOMAIN, 'other.example')])
    expect(await refusal(answer(to))).toMatch(/^550 /);
  const { accepted, rejected } = await answer(`${replyTo}, unknown@${DOMAIN}`);
  expect([accepted.length, rejected.length]).toEqual([1, 1]);
  expect((await read(conversation.id)).turns).toHaveLength(3);
});

describe('a report of a mail server', () => {
  const report = (action: string) =>
    [
      'From: MAILER-DAEMON@mx.example',
      'Subject: Undelivered Mail',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
      '',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.example',
      '',
      `Action: ${action}`,
      'Status: 5.1.1',
      '--b--',
    ].join('\r\n');

  it('is shown to the agent as a bounce, ends mails, and is forgotten once the visitor answers', async () => {
    const { conversation, mail, replyTo } = await mailed();
    const to = mail.from;
    expect(to).toMatch(new RegExp(`^b[0-9a-f]{60}@${DOMAIN}$`));
    await transport.sendMail({ envelope: { from: '', to }, raw: report('delayed') });
    expect((await read(conversation.id)).contact.bounce).toBeNull();
    await transport.sendMail({ envelope: { from: '', to }, raw: report('failed') });
    const { contact, turns } = await read(conversation.id);
    expect(contact).toMatchObject({ bounce: '5.1.1' });
    expect(contact.bouncedAt).not.toBeNull();
    expect(turns).toHaveLength(2);
    await answer(replyTo);
    expect((await read(conversation.id)).contact.bounce).toBeNull();
  });
});

describe('mail to the address of a project', () => {
  it('opens a conversation with an unverified sender, and further answers go on with it', async () => {
    const to = await mailAddress();
    expect(to).toMatch(new RegExp(`^in[0-9a-f]{24}@${DOMAIN}$`));
    const from = 'Alan <Alan@customer.example>';
    const sent = await answer(to, {
      from,
      subject: 'Where is\r\n my order?',
      messageId: '<new@customer.example>',
    });
    await answer(to, { from, subject: 'Where is my order?', messageId: '<new@customer.example>' });
    const [conversation, ...others] = await opened('alan@customer.example');
    expect(others).toEqual([]);
    expect(conversation).toMatchObject({ status: 'open', userId: null, userVerified: false });
    expect(conversation.subject).toContain('my order?');
    const { contact, turns } = await read(conversation.id);
    expect(contact).toMatchObject({ email: 'alan@customer.example', name: 'Alan', source: 'mail' });
    expect(turns).toHaveLength(1);

    await asAda('POST', `/conversations/${conversation.id}/turns`, { body: 'On its way.' });
    messenger.time.shift += 11 * 60_000;
    const mail = await eventually(() => {
      const found = smtp.received.find((one) => one.to.includes('alan@customer.example'));
      if (found === undefined) throw new Error('no mail yet');
      return found.mail;
    });
    expect(mail.inReplyTo).toBe(sent.messageId);
    expect(mail.subject).toMatch(/^Re: /);
    await answer(mail.replyTo?.[0]?.address ?? '', { from });
    expect((await read(conversation.id)).turns).toHaveLength(3);
  });

  it('is accepted from a mailing list that forwards it', async () => {
    const to = await mailAddress();
    await answer(to, { from: 'list@customer.example', headers: { Precedence: 'list' } });
    expect(await opened('list@customer.example')).toHaveLength(1);
  });

  it('opens no conversation with itself in a loop', async () => {
    const to = await mailAddress();
    await answer(to, { from: 'loop@customer.example', headers: { 'Auto-Submitted': 'auto-generated' } });
    expect(await opened('loop@customer.example')).toEqual([]);
  });

  it('is refused for now after 20 conversations of a sender in an hour', async () => {
    const to = await mailAddress();
    for (let count = 0; count < 20; count++) await answer(to, { from: 'busy@customer.example' });
    expect(await refusal(answer(to, { from: 'busy@customer.example' }))).toMatch(/^450 /);
    expect(await opened('busy@customer.example')).toHaveLength(20);
  });

  it('is refused if the project turned it off, and the next address is another one', async () => {
    const to = await mailAddress();
    await mailAddress(false);
    expect(await refusal(answer(to))).toMatch(/^550 /);
    expect(await mailAddress()).not.toBe(to);
  });
});
