import { describe, expect, it } from 'vitest';
import { parseMail as parse } from './parse.ts';
import { readMail } from './read.ts';

const parseMail = async (raw: Buffer) => parse(await readMail(raw));

const mail = (headers: string[], body = 'Hello') =>
  Buffer.from(['From: Grace <grace@visitor.example>', ...headers, '', body].join('\r\n'));
const multipart = (parts: string) =>
  mail(['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary="b"'], parts);

describe('parseMail', () => {
  it('reads the sender, the subject and the text', async () => {
    const parsed = await parseMail(
      mail([
        'Subject: =?utf-8?Q?Rechnung_f=C3=BCr_M=C3=A4rz?=',
        'Message-ID: <1@visitor.example>',
        'Content-Language: de',
      ]),
    );
    expect(parsed).toMatchObject({
      from: { address: 'grace@visitor.example', name: 'Grace' },
      subject: 'Rechnung für März',
      messageId: '<1@visitor.example>',
      language: 'de',
      text: 'Hello',
      automatic: undefined,
      report: undefined,
    });
  });

  it('reads the text of HTML without scripts and styles, and marks its quotes', async () => {
    const html =
      '<style>p{}</style><p>Hi <b>Ada</b>,<br>the one of <i>March</i>.</p><script>alert(1)</script><blockquote>Which one?</blockquote>';
    const { text } = await parseMail(mail(['Content-Type: text/html; charset=utf-8'], html));
    expect(text).toBe('Hi Ada,\nthe one of March.\n\n> Which one?');
  });

  it.each([
    ['too many parts', multipart(`--b\r\n\r\nx\r\n`.repeat(2_000))],
    [
      'parts too deep in each other',
      Buffer.concat([
        mail(['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary="b0"'], ''),
        Buffer.from(
          Array.from(
            { length: 200 },
            (_, n) => `--b${n}\r\nContent-Type: multipart/mixed; boundary="b${n + 1}"\r\n\r\n`,
          ).join(''),
        ),
      ]),
    ],
    ['headers of a megabyte', mail([`X-Long: ${'x'.repeat(1_000_000)}`])],
    ['100,000 headers', mail(Array.from({ length: 100_000 }, (_, n) => `X-${n}: 1`))],
  ])('refuses a mail with %s', async (_, raw) => {
    await expect(parseMail(raw)).rejects.toThrow();
  });

  it.each([
    ['deep HTML', mail(['Content-Type: text/html'], '<blockquote><div>'.repeat(50_000))],
    ['megabytes of open brackets', mail(['Content-Type: text/html'], '<'.repeat(2_000_000))],
    ['megabytes of one line', mail([], 'x'.repeat(4_000_000))],
    ['a nested message', multipart(`--b\r\nContent-Type: message/rfc822\r\n\r\n${mail([])}\r\n--b--`)],
    ['an unknown charset', mail(['Content-Type: text/plain; charset=nothing'], 'Hello')],
    ['broken base64', mail(['Content-Transfer-Encoding: base64'], '!!!!')],
  ])('reads a bounded text of a mail with %s', async (_, raw) => {
    const { text, files } = await parseMail(raw);
    expect(text.length).toBeLessThanOrEqual(100_000);
    expect(files).toEqual([]);
  });

  it('keeps characters out of names, subjects and texts that break or reorder them', async () => {
    const parsed = await parseMail(
      mail(['Subject: =?utf-8?B?YQpCY2M6IHhAeS5leGFtcGxl4oCuYg==?='], 'a\0b\u202ec\td'),
    );
    expect(parsed.subject).toBe('a Bcc: x@y.exampleb');
    expect(parsed.text).toBe('abc\td');
  });

  it.each(['<1@a>\r\n Bcc: <x@y>', '<1 2@a>', '1@a', `<${'x'.repeat(300)}@a>`])(
    'does not repeat the Message-ID %j',
    async (id) => {
      expect((await parseMail(mail([`Message-ID: ${id}`]))).messageId).toBeNull();
    },
  );

  it.each(['From: nothing', 'From: "a@b.example, c" <x>', `From: ${'x'.repeat(200)}@visitor.example`])(
    'knows no sender in %s',
    async (from) => {
      expect((await parseMail(Buffer.from(`${from}\r\n\r\nHello`))).from).toBeNull();
    },
  );

  it.each([
    ['Auto-Submitted: auto-replied', 'automatic'],
    ['Auto-Submitted: no', undefined],
    ['Precedence: bulk', 'automatic'],
    ['Precedence: list', 'list'],
    ['X-Auto-Response-Suppress: OOF, AutoReply', 'automatic'],
    ['X-Autoreply: yes', 'automatic'],
  ])('recognises %s', async (header, automatic) => {
    expect((await parseMail(mail([header]))).automatic).toBe(automatic);
  });

  it('reads the report of a mail server', async () => {
    const parsed = await parseMail(
      mail(
        ['MIME-Version: 1.0', 'Content-Type: multipart/report; report-type=delivery-status; boundary="b"'],
        '--b\r\n\r\nSorry\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; grace@visitor.example\r\nAction: failed\r\nStatus: 5.1.1\r\n--b--',
      ),
    );
    expect(parsed.report).toEqual({ isFailure: true, status: '5.1.1' });
  });
});
