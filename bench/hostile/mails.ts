import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const MB = 1_000_000;
const WITHIN_MS = 20_000;
const HEAD = ['From: Bomber <bomber@nowhere.example>', 'Subject: A bomb', 'MIME-Version: 1.0'];

/** Returns mails that are expensive to read: nested, of many parts, of large headers, of quotes, and too large. */
export function mailBombs(): Buffer[] {
  const depth = 2_000;
  const nested = Array.from({ length: depth }, (_, at) => [
    `Content-Type: multipart/mixed; boundary="b${at}"`,
    '',
    `--b${at}`,
  ]).flat();
  const parts = '--b\r\nContent-Type: text/plain\r\n\r\nx\r\n'.repeat((4 * MB) / 40);
  const headers = Array.from({ length: 40_000 }, (_, at) => `X-Bomb-${at}: =?utf-8?B?${'eHh4'.repeat(20)}?=`);
  const messages = [
    [...HEAD, ...nested, '', 'x'],
    [...HEAD, 'Content-Type: multipart/mixed; boundary="b"', '', parts, '--b--'],
    [...HEAD, ...headers, '', 'x'],
    [...HEAD, '', '> quoted\r\n'.repeat((4 * MB) / 10)],
    [...HEAD, 'Content-Type: text/html', '', '<div><p>x'.repeat((4 * MB) / 9)],
    [...HEAD, '', `${'x'.repeat(900)}\r\n`.repeat((9 * MB) / 902)],
  ];
  return messages.map((lines) => Buffer.from(lines.join('\r\n')));
}

/** Sends one mail by SMTP. Returns the code of the first reply that refuses it, or of the last one. */
export async function deliver(port: number, to: string, mail: Buffer, from: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  const timer = setTimeout(() => socket.destroy(), WITHIN_MS);
  const closed = new AbortController();
  socket.once('close', () => closed.abort());
  socket.once('error', () => undefined);
  const replies = createInterface({ input: socket });
  const reply = async (): Promise<string> => {
    for (;;) {
      const [line] = await once(replies, 'line', { signal: closed.signal });
      // A reply of several lines has a hyphen after the code of all but the last.
      if (line[3] !== '-') return line.slice(0, 3);
    }
  };
  try {
    let code = await reply();
    for (const command of ['HELO bomber', `MAIL FROM:<${from}>`, `RCPT TO:<${to}>`, 'DATA']) {
      if (code >= '400') return code;
      socket.write(`${command}\r\n`);
      code = await reply();
    }
    if (code >= '400') return code;
    socket.write(mail);
    socket.write('\r\n.\r\n');
    return await reply();
  } catch {
    return 'no response';
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}
