import { request } from 'node:http';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gif, jpeg, multipartForm, pdf, png, pngOf, svg, webp } from '../testing/files.ts';
import { startMessenger, type TestMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';
import { type TestConversation, type Visitor, visitorOf } from '../testing/visitor.ts';

let messenger: TestMessenger;
let project: TestProject;
let visitor: Visitor;

beforeAll(async () => {
  messenger = await startMessenger({ env: { RATE_LIMITS_MULTIPLIER: '1000' } });
  project = await messenger.createProject();
  visitor = visitorOf(messenger, project);
});
afterAll(() => messenger.stop());

const codeOf = ({ status, body }: { status: number; body: { error: { code: string } } }) => [
  status,
  body.error.code,
];

describe('an upload', () => {
  test.each([
    ['image/png', png()],
    ['image/jpeg', jpeg()],
    ['image/webp', webp()],
    ['image/gif', gif()],
    ['application/pdf', pdf],
  ])(
    'detects the type of a %s upload from its bytes, never from header or name, and returns it unchanged',
    async (type, raw) => {
      const conversation = await visitor.open();
      const headers = { 'Content-Type': 'text/html' };
      const uploaded = await visitor.upload(conversation, raw, 'evil.html', headers);
      expect(uploaded.status).toBe(201);
      expect(uploaded.body).toEqual({
        id: expect.stringMatching(/^att_[0-9a-f]{32}$/),
        name: 'evil.html',
        contentType: type,
        bytes: raw.length,
      });
      const read = await visitor.download(conversation, uploaded.body.id);
      expect(read.status).toBe(200);
      expect(read.bytes.equals(raw)).toBe(true);
      expect(Object.fromEntries(read.headers)).toMatchObject({
        'content-type': type,
        'content-length': String(raw.length),
        'content-disposition': `${type === 'application/pdf' ? 'attachment' : 'inline'}; filename*=UTF-8''evil.html`,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cache-control': 'private, max-age=31536000, immutable',
        'cross-origin-resource-policy': 'cross-origin',
        vary: 'Authorization, X-Service-Conversation-Token',
      });
    },
  );

  test.each([
    ['HTML with a GIF header', Buffer.from('GIF89a<script>alert(1)</script>')],
    ['SVG as PNG', svg],
    ['a PNG header of 50,000 x 50,000', png(50_000, 50_000)],
    ['a truncated image', jpeg().subarray(0, 40)],
    ['text', Buffer.from('hello')],
  ])('rejects an upload of %s with ATTACHMENT_FORMAT', async (_, raw) => {
    const headers = { 'Content-Type': 'image/png' };
    expect(codeOf(await visitor.upload(await visitor.open(), raw, 'x.png', headers))).toEqual([
      415,
      'ATTACHMENT_FORMAT',
    ]);
  });

  test('rejects a multipart form with ATTACHMENT_FORMAT and asks for raw bytes', async () => {
    const conversation = await visitor.open();
    const { contentType, bytes } = await multipartForm(png());
    for (const headers of [{ 'Content-Type': contentType }, { 'Content-Type': 'image/png' }]) {
      const answer = await visitor.upload(conversation, bytes, 'x.png', headers);
      expect(codeOf(answer)).toEqual([415, 'ATTACHMENT_FORMAT']);
      expect(answer.body.error.message).toBe(
        'Send the raw file bytes as the request body, not a multipart form.',
      );
    }
    const raw = await visitor.upload(conversation, png(), 'x.png', { 'Content-Type': contentType });
    expect(raw.status).toBe(201);
  });

  test('serves a polyglot as the type of its header, with headers that prevent anything else', async () => {
    const conversation = await visitor.open();
    const polyglot = Buffer.concat([gif(), Buffer.from('<script>alert(1)</script>PK\x03\x04')]);
    const { body } = await visitor.upload(conversation, polyglot, 'a.html');
    const { headers } = await visitor.download(conversation, body.id);
    expect(headers.get('content-type')).toBe('image/gif');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain('sandbox');
  });

  test('accepts an upload of exactly 500,000 bytes and rejects one of one byte more, with and without Content-Length', async () => {
    const conversation = await visitor.open();
    expect((await visitor.upload(conversation, pngOf(500_000))).status).toBe(201);
    const tooLarge = [413, 'ATTACHMENT_TOO_LARGE'];
    expect(codeOf(await visitor.upload(conversation, pngOf(500_001)))).toEqual(tooLarge);
    const streamed = new Blob([new Uint8Array(pngOf(500_001))]).stream();
    expect(codeOf(await visitor.upload(conversation, streamed))).toEqual(tooLarge);
  });

  test('cuts off an endless upload at its 500,001st byte', async () => {
    const conversation = await visitor.open();
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536));
        if (sent > 100_000_000) controller.close();
      },
    });
    const answer = await visitor.upload(conversation, endless).catch(() => undefined);
    if (answer !== undefined) expect(codeOf(answer)).toEqual([413, 'ATTACHMENT_TOO_LARGE']);
    expect(sent).toBeLessThan(50_000_000);
  });

  test('rejects an empty or incomplete upload with ATTACHMENT_UNREAD', async () => {
    const conversation = await visitor.open();
    const unread = [400, 'ATTACHMENT_UNREAD'];
    expect(codeOf(await visitor.upload(conversation, Buffer.alloc(0)))).toEqual(unread);
    const gzip = { 'Content-Encoding': 'gzip' };
    expect(codeOf(await visitor.upload(conversation, png(), 'x', gzip))).toEqual(unread);
    await breakOff(conversation);
    expect((await visitor.read(conversation)).status).toBe(200);
  });

  test("counts an upload in progress towards the service's bytes in flight", async () => {
    const { id, token } = await visitor.open();
    const sending = request(`${messenger.url}/v1/conversations/${id}/attachments`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${project.key}`, 'X-Service-Conversation-Token': token },
    });
    sending.on('error', () => undefined).write(Buffer.alloc(1000));
    const inFlight = async () =>
      /switchboard_bytes_in_flight\{[^}]*\} (\d+)/.exec(
        await (await fetch(`${messenger.url}/metrics`)).text(),
      )?.[1];
    await eventually(async () => expect(await inFlight()).toBe('1000'));
    sending.destroy();
    await eventually(async () => expect(await inFlight()).toBe('0'));
  });

  /** Announces more bytes than it sends, then disconnects. */
  function breakOff({ id, token }: TestConversation): Promise<void> {
    return new Promise((resolve) => {
      const sending = request(`${messenger.url}/v1/conversations/${id}/attachments`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${project.key}`,
          'X-Service-Conversation-Token': token,
          'Content-Length': '1000',
        },
      });
      sending.on('error', () => resolve());
      sending.write(png(), () => setTimeout(() => sending.destroy(), 20));
    });
  }
});

describe('the name of an attachment', () => {
  test.each([
    [undefined, 'file'],
    ['', 'file'],
    ['  ', 'file'],
    ['..', 'file'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\ada\\me.png', 'me.png'],
    ['a/b\\c/', 'file'],
    ['in\u0000voice\r\n\u0085.pdf', 'invoice.pdf'],
    ['\u202egnp.exe\u2066\u200f', 'gnp.exe'],
    ['a"b\'c;d=e.png', 'a"b\'c;d=e.png'],
    ['Rechnung März – 請求書 🎉.pdf', 'Rechnung März – 請求書 🎉.pdf'],
    [`dir/${'🎉'.repeat(200)}`, '🎉'.repeat(200)],
  ])('stores the name %j as %j', async (given, kept) => {
    const conversation = await visitor.open();
    const { status, body } = await visitor.upload(conversation, png(), given);
    expect([status, body.name]).toEqual([201, kept]);
    const { headers } = await visitor.download(conversation, body.id);
    const disposition = headers.get('content-disposition') ?? '';
    expect(disposition).toMatch(/^inline; filename\*=UTF-8''[A-Za-z0-9%._~$&+^`|#-]+$/);
    expect(decodeURIComponent(disposition.split("''")[1] ?? '')).toBe(kept);
  });

  test('rejects a name of more than 200 characters with BAD_REQUEST', async () => {
    const answer = await visitor.upload(await visitor.open(), png(), 'x'.repeat(201));
    expect(codeOf(answer)).toEqual([400, 'BAD_REQUEST']);
    expect(answer.body.error.message).toContain('name: longer than 200');
  });
});

describe('access to attachments', () => {
  test('answers 401 to a missing or wrong key or token, and ATTACHMENTS_OFF to a key of another region', async () => {
    const [mine, other] = [await visitor.open(), await visitor.open()];
    const { body: file } = await visitor.upload(mine, png());
    const abroad = visitorOf(messenger, await messenger.createProject({ region: 'us' }));
    const stranger = visitorOf(messenger, await messenger.createProject());
    const nobody = visitorOf(messenger, { ...project, key: 'nonsense' });
    const wrong = { id: mine.id, token: other.token };
    for (const answer of [
      await nobody.upload(mine, png()),
      await nobody.download(mine, file.id),
      await visitor.upload(wrong, png()),
      await visitor.download(wrong, file.id),
      await stranger.upload(mine, png()),
      await stranger.download(mine, file.id),
      await visitor.upload({ id: 'cnv_x', token: mine.token }, png(), 'x'.repeat(300)),
    ]) {
      expect(codeOf(answer)).toEqual([401, 'UNAUTHORIZED']);
    }
    const off = [403, 'ATTACHMENTS_OFF'];
    expect(codeOf(await abroad.upload(mine, png()))).toEqual(off);
    expect(codeOf(await abroad.download({ ...mine, token: 'x' }, file.id))).toEqual(off);
  });

  test('answers ATTACHMENTS_OFF for a project with attachments turned off', async () => {
    const off = visitorOf(
      messenger,
      await messenger.createProject({ entitlements: { visitorAttachments: false } }),
    );
    const answer = await off.upload(await off.open(), png(), 'x'.repeat(300));
    expect(codeOf(answer)).toEqual([403, 'ATTACHMENTS_OFF']);
  });

  test('answers ATTACHMENT_NOT_FOUND for an attachment of another conversation or an unknown one', async () => {
    const [mine, other] = [await visitor.open(), await visitor.open()];
    const { body: file } = await visitor.upload(other, png());
    const notFound = [404, 'ATTACHMENT_NOT_FOUND'];
    expect(codeOf(await visitor.download(mine, file.id))).toEqual(notFound);
    expect(codeOf(await visitor.download(mine, 'att_0'))).toEqual(notFound);
    expect(codeOf(await visitor.download(mine, 'x%00'))).toEqual([400, 'BAD_REQUEST']);
  });
});

describe('limits of attachments', () => {
  test('limits uploads to 10 per minute and 60 per hour per conversation, and 30 per minute per address', async () => {
    const unset = { RATE_LIMITS_MULTIPLIER: '' };
    const { url } = await messenger.startInstance({ ...unset, TRUSTED_PROXY_HOPS: '1' });
    const limited = visitorOf(messenger, project, url);
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    const conversations = [];
    for (let count = 0; count < 4; count++) conversations.push(await limited.open());
    const [first, second, third, fourth] = conversations as [TestConversation, ...TestConversation[]];
    const upload = async (to: TestConversation | undefined, address = '10.0.0.1') =>
      limited.upload(to ?? first, png(), 'x.png', from(address));
    for (let count = 0; count < 10; count++) expect((await upload(first)).status).toBe(201);
    const refused = await upload(first, '10.0.0.2');
    expect(codeOf(refused)).toEqual([429, 'ATTACHMENT_RATE']);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    for (let count = 0; count < 20; count++) {
      expect((await upload(count < 10 ? second : third)).status).toBe(201);
    }
    expect(codeOf(await upload(fourth))).toEqual([429, 'ATTACHMENT_RATE']);
    expect((await upload(fourth, '10.0.0.3')).status).toBe(201);

    const hourly = await messenger.startInstance(unset, {
      constants: { limits: { uploadsPerConversation: 100, uploadsPerAddress: 100 } },
    });
    const slow = visitorOf(messenger, project, hourly.url);
    const conversation = await slow.open();
    for (let count = 0; count < 60; count++)
      expect((await slow.upload(conversation, png())).status).toBe(201);
    expect(codeOf(await slow.upload(conversation, png()))).toEqual([429, 'ATTACHMENT_RATE']);
  });

  test('limits downloads by address with ATTACHMENT_RATE', async () => {
    const { url } = await messenger.startInstance({}, { constants: { limits: { downloadsPerAddress: 2 } } });
    const limited = visitorOf(messenger, project, url);
    const conversation = await limited.open();
    const { body: file } = await limited.upload(conversation, png());
    for (let count = 0; count < 2; count++)
      expect((await limited.download(conversation, file.id)).status).toBe(200);
    expect(codeOf(await limited.download(conversation, file.id))).toEqual([429, 'ATTACHMENT_RATE']);
  });
});

test('answers 503 ATTACHMENT_STORAGE without storage', async () => {
  const { url } = await messenger.startInstance({ OBJECTS_FOLDER: '' });
  const without = visitorOf(messenger, project, url);
  const conversation = await visitor.open();
  const { body: file } = await visitor.upload(conversation, png());
  expect(codeOf(await without.upload(conversation, png()))).toEqual([503, 'ATTACHMENT_STORAGE']);
  expect(codeOf(await without.download(conversation, file.id))).toEqual([503, 'ATTACHMENT_STORAGE']);
});
