import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { MailTooComplex, readMail } from './read.ts';
import { createMailReader } from './reader.ts';

const reader = createMailReader();
afterAll(() => reader.stop());

const mail = (body: string, headers: string[] = []) =>
  Buffer.from(['From: Grace <grace@visitor.example>', ...headers, '', body].join('\r\n'));

describe('the thread that reads mails', () => {
  it('reads several mails that arrive at once, each with its own text and files', async () => {
    const bodies = Array.from({ length: 5 }, (_, at) => `Question ${at}`);
    const read = await Promise.all(bodies.map((body) => reader.read(mail(body), 'a')));
    expect(read.map(({ text }) => text.trim())).toEqual(bodies);
    const file = mail(Buffer.from('%PDF').toString('base64'), [
      'Content-Type: application/pdf; name=a.pdf',
      'Content-Transfer-Encoding: base64',
    ]);
    const { attachments } = await reader.read(file, 'a');
    expect(attachments.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(['%PDF']);
  });

  it('moves a large mail to the thread instead of copying it, and leaves the buffers that others share', async () => {
    const body = 'Hello\r\n'.repeat(10_000);
    const [large, small] = [Buffer.concat([mail(body)]), Buffer.from('Subject: Shared\r\n\r\n')];
    const read = await Promise.all([large, small].map((raw) => reader.read(raw, 'a')));
    expect(read.map(({ text, subject }) => [text.length > 1_000, subject])).toEqual([
      [true, undefined],
      [false, 'Shared'],
    ]);
    expect([large.length, small.toString().trim()]).toEqual([0, 'Subject: Shared']);
  });

  it('refuses a mail of too many lines, and continues', async () => {
    let spent = 0;
    const refused = reader.read(mail('\n'.repeat(300_000)), 'a', (ms) => (spent += ms));
    await expect(refused).rejects.toThrow(MailTooComplex);
    expect(spent).toBeGreaterThan(0);
    expect((await reader.read(mail('Next'), 'a')).text.trim()).toBe('Next');
  });

  it('reads mails of projects in rotation', async () => {
    const order: string[] = [];
    const read = (key: string) => reader.read(mail('Hello'), key).then(() => order.push(key));
    await Promise.all(['a', 'a', 'a', 'b'].map(read));
    expect(order).toEqual(['a', 'a', 'b', 'a']);
  });

  it('rejects the mail in progress when it stops, but does not refuse it', async () => {
    const stopping = createMailReader();
    const lost = stopping.read(mail('Lost'), 'a').catch((error: unknown) => error);
    // The call has begun, but the thread has not finished starting.
    await setImmediate();
    await stopping.stop();
    expect(await lost).toMatchObject({ reason: 'stopped' });
  });
});

describe('readMail', () => {
  it('joins the lines of a text before it makes a blob of them', async () => {
    let parts = 0;
    class CountedBlob extends Blob {
      constructor(...[given = [], options]: ConstructorParameters<typeof Blob>) {
        super(given, options);
        parts = Math.max(parts, [...given].length);
      }
    }
    vi.stubGlobal('Blob', CountedBlob);
    try {
      const { text } = await readMail(mail('> quoted\n'.repeat(100_000)));
      expect(text).toHaveLength(100_000);
    } finally {
      vi.unstubAllGlobals();
    }
    expect(parts).toBeGreaterThan(0);
    expect(parts).toBeLessThan(100);
  });
});
