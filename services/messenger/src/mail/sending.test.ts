import { testMember } from '@switchboard/directory/testing';
import { type MailServer, mailServer, noSuchMailbox, type ReceivedMail } from '@switchboard/mail/testing';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { png } from '../testing/files.ts';
import { startMessenger, type TestMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';
import { type TestConversation, type Visitor, visitorOf } from '../testing/visitor.ts';

const DOMAIN = 'replies.switchboard.example';
const MINUTE = 60_000;

let smtp: MailServer;
let messenger: TestMessenger;
let project: TestProject;
let visitor: Visitor;
let ada: string;

beforeAll(async () => {
  smtp = await mailServer();
  messenger = await startMessenger({
    env: {
      RATE_LIMITS_MULTIPLIER: '1000',
      SMTP_URL: smtp.url,
      MAIL_FROM: 'support@switchboard.example',
      SUPPORT_MAIL_DOMAIN: DOMAIN,
    },
  });
  project = await messenger.createProject();
  await messenger.directory.put(
    'member',
    testMember(project.companyId, 'ada', { name: 'Ada Lovelace', role: 'support' }),
  );
  visitor = visitorOf(messenger, project);
  ada = await messenger.mint({ sub: 'ada' });
});
afterAll(async () => {
  await messenger.stop();
  await smtp.stop();
});
beforeEach(() => {
  smtp.received.length = 0;
  smtp.onRecipient = () => undefined;
});

const asAda = (method: string, path: string, body?: unknown) =>
  messenger.call(method, `/v1/projects/${project.id}${path}`, { token: ada, body });
const read = async ({ id }: TestConversation) => (await asAda('GET', `/conversations/${id}`)).body;

/** Opens a conversation with an address. */
async function open(request: object = {}, headers: Record<string, string> = {}): Promise<TestConversation> {
  const { status, body } = await visitor.to('POST', '/v1/conversations', {
    body: { distinctId: 'visitor', email: 'grace@visitor.example', ...request },
    headers,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  const conversation = { id: body.conversationId, token: body.token };
  await visitor.send(conversation, 'My invoice is wrong.');
  return conversation;
}

async function reply({ id }: TestConversation, body: string, attachmentIds: string[] = []) {
  const { status } = await asAda('POST', `/conversations/${id}/turns`, { body, attachmentIds });
  expect(status).toBe(201);
}

/** Lets the minutes pass after which unread replies are mailed. */
const wait = (minutes = 11) => {
  messenger.time.shift += minutes * MINUTE;
};

const mails = (count: number): Promise<ReceivedMail[]> =>
  eventually(() => {
    expect(smtp.received).toHaveLength(count);
    return smtp.received;
  });

async function firstMail(): Promise<ReceivedMail> {
  const [mail] = await mails(1);
  if (mail === undefined) throw new Error('no mail');
  return mail;
}

/** Resolves once nothing waits to be mailed. */
const settled = () =>
  eventually(async () => {
    const waiting = await messenger.database.sql`select 1 from conversation_mail where due_at is not null`;
    expect(waiting).toHaveLength(0);
  });

describe('mail of a reply', () => {
  it('reaches a visitor who has not read the replies after ten minutes, once for all of them', async () => {
    const conversation = await open({ subject: 'Invoice for March' });
    await reply(conversation, 'Which invoice?');
    wait(5);
    await reply(conversation, 'The one of <March>?');
    wait(6);
    const { mail, raw, to } = await firstMail();
    expect(to).toEqual(['grace@visitor.example']);
    expect(mail.subject).toBe('Invoice for March');
    expect(mail.from).toMatchObject({ address: 'support@switchboard.example' });
    expect(mail.from?.name).toContain('Ada Lovelace');
    expect(mail.text).toMatch(/^Which invoice\?\n\nThe one of <March>\?\n/);
    expect(mail.html).toContain('The one of &lt;March&gt;?');
    expect(mail.messageId).toBe(`<${conversation.id}.3@switchboard.example>`);
    expect(mail.replyTo?.[0]?.address).toMatch(new RegExp(`^r[0-9a-f]{60}@${DOMAIN}$`));
    expect(raw).toMatch(/^Auto-Submitted: auto-generated/m);
    expect(raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click/m);
    await settled();
    const { contact } = await read(conversation);
    expect(contact).toMatchObject({ email: 'grace@visitor.example', source: 'opening', bouncedAt: null });
    expect(contact.mailedAt).not.toBeNull();
    expect(smtp.received).toHaveLength(1);
  });

  it('has only the replies since the last mail, in the same thread', async () => {
    const conversation = await open();
    await reply(conversation, 'First.');
    wait();
    const first = await firstMail();
    await settled();
    await reply(conversation, 'Second.');
    wait();
    const [, second] = await mails(2);
    expect(second?.mail.text).toMatch(/^Second\./);
    expect(second?.mail.text).not.toContain('First.');
    expect(second?.mail.inReplyTo).toBe(first.mail.messageId);
    expect(second?.mail.references).toBe(first.mail.messageId);
    expect(second?.mail.subject).toBe(`Re: ${first.mail.subject}`);
  });

  it('is written in the language of the visitor', async () => {
    const conversation = await open({}, { 'Accept-Language': 'de-AT,en;q=0.5' });
    await reply(conversation, 'Guten Tag');
    wait();
    const { mail, raw } = await firstMail();
    expect(mail.subject).toMatch(/^Ihre Unterhaltung mit /);
    expect(raw).toMatch(/^Content-Language: de/m);
    await settled();
  });

  it('is not sent if the visitor has read or answered the replies', async () => {
    const [reading, answering] = [await open(), await open()];
    await reply(reading, 'Read me.');
    await reply(answering, 'Answer me.');
    const socket = await connect(reading);
    socket.send(JSON.stringify({ type: 'read', conversationId: reading.id }));
    await eventually(async () => expect((await read(reading)).visitorReadAt).not.toBeNull());
    socket.close();
    await visitor.send(answering, 'Here is the answer.');
    wait();
    await settled();
    expect(smtp.received).toHaveLength(0);
  });

  it('waits while the visitor is connected', async () => {
    const conversation = await open();
    const socket = await connect(conversation);
    await reply(conversation, 'Are you there?');
    wait();
    const stages = () =>
      messenger.database
        .sql`select stage, due_at > ${new Date(Date.now() + messenger.time.shift + 30_000).toISOString()}::timestamptz as later
        from conversation_mail where conversation_id = ${conversation.id}`;
    await eventually(async () => expect(await stages()).toEqual([{ stage: 'waiting', later: true }]));
    expect(smtp.received).toHaveLength(0);
    socket.close();
    await new Promise((resolve) => socket.once('close', resolve));
    wait(2);
    const { mail } = await firstMail();
    expect(mail.text).toMatch(/^Are you there\?/);
    await settled();
  });

  it('has the files of the replies', async () => {
    const conversation = await open();
    const { body } = await messenger.call(
      'POST',
      `/v1/projects/${project.id}/conversations/${conversation.id}/attachments?name=shot.png`,
      { token: ada, raw: png() },
    );
    await reply(conversation, '', [body.id]);
    wait();
    const { mail } = await firstMail();
    expect(mail.attachments).toMatchObject([{ filename: 'shot.png', mimeType: 'image/png' }]);
    await settled();
  });

  it('is not sent where the project mails no replies', async () => {
    const conversation = await open();
    await configure({ mailAfterMinutes: null });
    await reply(conversation, 'Read this in the messenger.');
    wait();
    await settled();
    expect(smtp.received).toHaveLength(0);
    await configure({ mailAfterMinutes: 10 });
  });

  it('is not sent after the visitor ended mails with one click, or with the button of the page', async () => {
    for (const clicks of [['POST'], ['GET', 'POST']]) {
      smtp.received.length = 0;
      const conversation = await open();
      await reply(conversation, 'First.');
      wait();
      const { raw } = await firstMail();
      await settled();
      const [, path = ''] =
        /^List-Unsubscribe: <https:\/\/api\.test\/base(\/unsubscribe\/\w+)>/m.exec(
          raw.replaceAll(/\r\n\s/g, ' '),
        ) ?? [];
      for (const method of clicks) {
        const answer = await messenger.call(method, path);
        expect(answer.status).toBe(200);
        const { contact } = await read(conversation);
        expect(contact.unsubscribedAt === null).toBe(method === 'GET');
      }
      await reply(conversation, 'Second.');
      wait();
      await settled();
      expect(smtp.received).toHaveLength(1);
    }
    expect((await messenger.call('POST', `/unsubscribe/u${'0'.repeat(60)}`)).status).toBe(404);
  });

  it('shows the agent that the mail server does not know the address, and is not sent again', async () => {
    smtp.onRecipient = () => {
      throw noSuchMailbox();
    };
    const conversation = await open({ email: 'unknown@visitor.example' });
    await reply(conversation, 'Hello?');
    wait();
    await eventually(async () => {
      expect((await read(conversation)).contact.bounce).toMatch(/550/);
    });
    await settled();
    expect((await read(conversation)).contact.bouncedAt).not.toBeNull();
  });

  it('is sent later if the mail server is down, with the same Message-ID', async () => {
    const conversation = await open();
    smtp.onRecipient = () => {
      throw Object.assign(new Error('try later'), { responseCode: 450 });
    };
    await reply(conversation, 'Hello again.');
    wait();
    await eventually(async () => {
      const [row] = await messenger.database.sql`select attempts from conversation_mail
        where conversation_id = ${conversation.id}`;
      expect(row?.['attempts']).toBe(1);
    });
    smtp.onRecipient = () => undefined;
    wait(3);
    const { mail } = await firstMail();
    expect(mail.messageId).toBe(`<${conversation.id}.2@switchboard.example>`);
    await settled();
  });

  it('keeps line breaks in a subject out of its header', async () => {
    const conversation = await open({ subject: 'Hi\r\nBcc: eve@evil.example' });
    await reply(conversation, 'Hello.');
    wait();
    const { mail, to } = await firstMail();
    expect(to).toEqual(['grace@visitor.example']);
    expect(mail.bcc).toBeUndefined();
    await settled();
  });
});

it('rejects an address that is not one with 400', async () => {
  for (const email of ['grace', 'grace@x.example\r\nBcc: eve@evil.example', `${'x'.repeat(250)}@a.example`]) {
    const answer = await visitor.to('POST', '/v1/conversations', { body: { distinctId: 'visitor', email } });
    expect(answer.status).toBe(400);
  }
});

async function configure(changes: object) {
  const { version } = (await asAda('GET', '/support-settings')).body;
  const answer = await asAda('PUT', '/support-settings', {
    version,
    teams: [],
    labels: [],
    savedReplies: [],
    views: [],
    keepAssigneeDays: null,
    ...changes,
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}

async function connect({ id, token }: TestConversation): Promise<WebSocket> {
  const url = `${messenger.url.replace(/^http/, 'ws')}/v1/messenger/socket?api_key=${project.key}`;
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const subscribed = new Promise((resolve) => socket.once('message', resolve));
  socket.send(JSON.stringify({ type: 'subscribe', conversationId: id, token }));
  await subscribed;
  return socket;
}
