import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createLogger } from '@switchboard/runtime';
import { eventually } from '@switchboard/testkit';
import { createTransport } from 'nodemailer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMailListener, MAIL_LIMITS, type MailLimits } from './listener.ts';
import type { IncomingMail } from './parsing/parse.ts';
import { type MailOutcome, MailRefused, type MailTarget } from './receiving.ts';

const KNOWN = 'known@replies.example';
const logger = createLogger({ service: 'messenger', level: 'silent' });

let received: { to: MailTarget; mail: IncomingMail }[];
let outcomes: string[];
let failure: Error | undefined;
/** The number of recipients that were looked up. */
let lookups: number;
let stop: () => Promise<void>;
let port: number;
let sockets: Socket[];

const UNLIMITED = { bytesPerSecondOfProject: 1e9, bytesPerSecondOfSender: 1e9 };

async function open(limits: Partial<MailLimits> = {}): Promise<void> {
  const listener = createMailListener({
    receiving: {
      async targetOf(address) {
        lookups += 1;
        if (address.startsWith('known')) return { kind: 'project', projectId: address };
        throw new MailRefused(550, '5.1.1 No such recipient');
      },
      async receive(to, mail): Promise<MailOutcome> {
        if (failure !== undefined) throw failure;
        received.push({ to, mail });
        return 'turn';
      },
    },
    host: '127.0.0.1',
    port: 0,
    domain: 'replies.example',
    limits: { ...MAIL_LIMITS, ...UNLIMITED, ...limits },
    onReceived: (outcome) => outcomes.push(outcome),
    logger,
  });
  await listener.start();
  stop = listener.stop;
  port = listener.port() ?? 0;
}

beforeEach(() => {
  [received, outcomes, sockets, failure, lookups] = [[], [], [], undefined, 0];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await stop();
});

/** A client that sends what it is given. */
async function client() {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  await once(socket, 'connect');
  const expectReply = (reply: RegExp) => eventually(() => expect(text).toMatch(reply));
  return {
    socket,
    expectReply,
    text: () => text,
    async command(line: string, reply: RegExp) {
      text = '';
      socket.write(`${line}\r\n`);
      await expectReply(reply);
    },
    closed: () => (socket.closed ? Promise.resolve() : once(socket, 'close')),
  };
}

/** A client that has begun a message. */
async function inData(recipient = KNOWN) {
  const one = await client();
  await one.expectReply(/^220 /);
  await one.command('EHLO client.example', /250 /);
  await one.command('MAIL FROM:<grace@visitor.example>', /^250 /);
  await one.command(`RCPT TO:<${recipient}>`, /^250 /);
  await one.command('DATA', /^354 /);
  return one;
}

const send = async (to: string | string[], text: string): Promise<string> => {
  const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
  try {
    const { response } = await transport.sendMail({ from: 'grace@visitor.example', to, text });
    return response;
  } catch (error) {
    return error instanceof Error && 'response' in error ? String(error.response) : String(error);
  } finally {
    transport.close();
  }
};

describe('the listener for mail', () => {
  it('refuses a message that states too large a size before it is sent, and one that is too large', async () => {
    await open({ maxBytes: 10_000 });
    expect(await send(KNOWN, 'x'.repeat(5_000))).toMatch(/^250 /);
    const stating = await client();
    await stating.expectReply(/^220 /);
    await stating.command('EHLO client.example', /SIZE 10000/);
    await stating.command('MAIL FROM:<grace@visitor.example> SIZE=10001', /^552 /);
    expect(await send(KNOWN, 'x'.repeat(12_000))).toMatch(/^552 /);
    expect(received).toHaveLength(1);
  });

  it('disconnects a client that sends without end', async () => {
    await open({ maxBytes: 10_000 });
    const endless = await inData();
    const line = `${'x'.repeat(998)}\r\n`;
    const flood = setInterval(() => endless.socket.write(line.repeat(10)), 1);
    await endless.closed();
    clearInterval(flood);
    expect(received).toEqual([]);
    expect(await send(KNOWN, 'Hello')).toMatch(/^250 /);
  });

  it('refuses messages for now that do not fit into memory, and accepts the next', async () => {
    await open({ maxBytesInFlight: 10_000 });
    const slow = await inData();
    slow.socket.write(`Subject: slow\r\n\r\n${'x'.repeat(900)}\r\n`);
    const busy = await inData();
    busy.socket.write(`${`${'x'.repeat(900)}\r\n`.repeat(20)}\r\n.\r\n`);
    await busy.expectReply(/452 4\.3\.1/);
    slow.socket.write('\r\n.\r\n');
    await slow.expectReply(/250 /);
    expect(received.map(({ mail }) => mail.subject)).toEqual(['slow']);
  });

  it('refuses mail to a project that gets too much, before the content is sent, and accepts that of others', async () => {
    await open({ bytesPerSecondOfProject: 50_000 });
    expect(await send(KNOWN, 'x'.repeat(200_000))).toMatch(/^250 /);
    const found = lookups;
    expect(await send(KNOWN, 'Hello')).toMatch(/^451 4\.7\.1/);
    expect(lookups).toBe(found);
    expect(await send('known-other@replies.example', 'Hello')).toMatch(/^250 /);
    expect(outcomes).toEqual(['turn', 'deferred', 'turn']);
  });

  it('refuses a sender who sends too much, but no report of a mail server', async () => {
    await open({ bytesPerSecondOfSender: 50_000 });
    expect(await send(KNOWN, 'x'.repeat(200_000))).toMatch(/^250 /);
    expect(await send(KNOWN, 'Hello')).toMatch(/^451 4\.7\.1/);
    const one = await client();
    await one.expectReply(/^220 /);
    await one.command('EHLO client.example', /250 /);
    await one.command('MAIL FROM:<>', /^250 /);
  });

  it('disconnects messages of a project that together are too much, except the first', async () => {
    await open({ bytesPerSecondOfProject: 50_000 });
    const [first, second, other] = [
      await inData(),
      await inData(),
      await inData('known-other@replies.example'),
    ];
    const lines = `${'x'.repeat(900)}\r\n`.repeat(120);
    first.socket.write(`Subject: first\r\n\r\n${lines}`);
    await eventually(() => expect(first.socket.writableLength).toBe(0));
    second.socket.write(`Subject: second\r\n\r\n${lines}`);
    await second.closed();
    first.socket.write('\r\n.\r\n');
    await first.expectReply(/250 /);
    other.socket.write('Subject: other\r\n\r\nHello\r\n.\r\n');
    await other.expectReply(/250 /);
    expect(received.map(({ mail }) => mail.subject)).toEqual(['first', 'other']);
  });

  it('disconnects a client that sends nothing, and one with too long a session', async () => {
    await open({ idleMs: 200 });
    const idle = await client();
    await idle.closed();
    await stop();
    await open({ sessionMs: 500 });
    const slow = await inData();
    const drip = setInterval(() => slow.socket.write('x'), 50);
    await slow.closed();
    clearInterval(drip);
    expect(received).toEqual([]);
    // Retried, because the thread that parses mail may take longer to start than a session.
    await eventually(async () => expect(await send(KNOWN, 'Hello')).toMatch(/^250 /));
  });

  it('limits connections, in total and of an address, and counts them down', async () => {
    await open({ maxConnectionsPerAddress: 2 });
    const [first, second] = [await client(), await client()];
    await Promise.all([first.expectReply(/^220 /), second.expectReply(/^220 /)]);
    const third = await client();
    await third.expectReply(/^421 /);
    first.socket.destroy();
    await eventually(async () => expect(await send(KNOWN, 'Hello')).toMatch(/^250 /));
    await stop();
    await open({ maxConnections: 1 });
    await (await client()).expectReply(/^220 /);
    await (await client()).expectReply(/^421 /);
  });

  it('limits the recipients of a message', async () => {
    await open();
    const many = Array.from({ length: 11 }, (_, n) => `known-${n}@replies.example`);
    const one = await client();
    await one.expectReply(/^220 /);
    await one.command('EHLO client.example', /250 /);
    await one.command('MAIL FROM:<grace@visitor.example>', /^250 /);
    for (const address of many.slice(0, 10)) await one.command(`RCPT TO:<${address}>`, /^250 /);
    await one.command(`RCPT TO:<${many[10]}>`, /^452 /);
    await one.command('DATA', /^354 /);
    await one.command('Subject: all\r\n\r\nHello\r\n.', /^250 /);
    expect(received).toHaveLength(10);
  });

  it('refuses unknown recipients, log-ins and commands of other protocols', async () => {
    await open();
    expect(await send('nobody@replies.example', 'Hello')).toMatch(/^550 /);
    const one = await client();
    await one.expectReply(/^220 /);
    await one.command('EHLO client.example', /250 /);
    expect(one.text()).not.toMatch(/AUTH|STARTTLS/);
    await one.command('AUTH PLAIN AGEAYg==', /^50\d /);
    const web = await client();
    await web.command('GET / HTTP/1.1', /421 /);
  });

  it('does not take a second mail out of a body with other line ends', async () => {
    await open();
    const smuggler = await inData();
    smuggler.socket.write(
      `Subject: one\r\n\r\nHello\n.\nMAIL FROM:<ceo@visitor.example>\nRCPT TO:<${KNOWN}>\nDATA\nSubject: two\n\n.\r\n\r\n.\r\n`,
    );
    await smuggler.expectReply(/250 /);
    expect(received.map(({ mail }) => mail.subject)).toEqual(['one']);
  });

  it('refuses mail for good that is too complex, and for now while a dependency is away', async () => {
    await open();
    const complex = await inData();
    complex.socket.write(
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(2_000)}\r\n.\r\n`,
    );
    await complex.expectReply(/554 5\.6\.0/);
    failure = new Error('the database is away: secret');
    const answer = await send(KNOWN, 'Hello');
    expect(answer).toMatch(/^451 /);
    expect(answer).not.toContain('secret');
    expect(outcomes).toEqual(['refused', 'refused']);
  });
});
