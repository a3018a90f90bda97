import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { gif, jpeg, multipartForm, pdf, png, pngOf, svg, webp } from '../testing/files.ts';
import { useMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';
import { detectAvatarType } from './avatar-file.ts';

const messenger = await useMessenger();
let project: TestProject;
beforeAll(async () => {
  project = await messenger.createProject();
  await messenger.manage('PUT', at('ada'), { name: 'Ada' });
});

const at = (userId: string, of = project) => `/projects/${of.id}/team/${encodeURIComponent(userId)}`;
const upload = (bytes: Buffer, userId = 'ada') => messenger.manage('PUT', `${at(userId)}/avatar`, bytes);
const get = (path: string, headers = {}, token: string | null = project.key, url?: string) =>
  messenger.call('GET', path, { token, headers, ...(url && { url }) });

describe('an avatar', () => {
  test.each([
    ['image/png', 'png', png()],
    ['image/jpeg', 'jpg', jpeg()],
    ['image/webp', 'webp', webp()],
    ['image/svg+xml', 'svg', svg],
  ])('stores an avatar of %s under the SHA-256 of its bytes', async (type, extension, bytes) => {
    const { status, body } = await upload(bytes);
    const sha = createHash('sha256').update(bytes).digest('hex');
    expect([status, body]).toEqual([200, { url: `/v1/messenger/avatar/ada/${sha}.${extension}` }]);
    const { status: found, headers, bytes: answered } = await get(body.url);
    expect(found).toBe(200);
    expect(answered.equals(bytes)).toBe(true);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('cache-control')).toBe('private, max-age=86400, immutable');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('vary')).toContain('Authorization');
    expect(headers.get('content-security-policy')).toBe(
      type === 'image/svg+xml' ? "default-src 'none'; style-src 'unsafe-inline'; sandbox" : null,
    );
    const again = await get(body.url, { 'If-None-Match': headers.get('etag') ?? '' });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  });

  test('reads an avatar with the key in the query, since an image tag sets no header', async () => {
    const { body } = await upload(png());
    expect((await get(`${body.url}?api_key=${project.key}`, {}, null)).status).toBe(200);
    expect((await get(body.url, {}, null)).status).toBe(401);
    expect((await get(`${body.url}?api_key=nonsense`, {}, null)).status).toBe(401);
    const abroad = await messenger.createProject({ region: 'us' });
    expect((await get(`${body.url}?api_key=${abroad.key}`, {}, null)).status).toBe(403);
  });

  test('answers the same 404 for an avatar of an unknown user, an unknown file or another project', async () => {
    const { body } = await upload(png());
    const other = await messenger.createProject();
    const answers = [
      await get(body.url.replace('/ada/', '/nobody/')),
      await get('/v1/messenger/avatar/ada/nothing.png'),
      await get(body.url, {}, other.key),
      await get(`${body.url.slice(0, -4)}.svg`),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual({ ...answers[0]?.body, statusCode: 404, error: 'Not Found' });
    }
  });

  test('keeps an avatar at its path when it is replaced', async () => {
    const [first, second] = [await upload(png(2, 2)), await upload(png(3, 3))];
    expect((await get(first.body.url)).bytes.equals(png(2, 2))).toBe(true);
    const { body } = await messenger.manage('GET', at('ada'));
    expect(body.avatarUrl).toBe(second.body.url);
  });

  test.each([
    ['a GIF', gif()],
    ['a PDF', pdf],
    ['HTML', Buffer.from('<html><svg></svg></html>')],
    ['an SVG with entities of its own', Buffer.from('<!DOCTYPE svg [<!ENTITY a "b">]><svg></svg>')],
    ['a PNG of 50,000 x 50,000', png(50_000, 50_000)],
  ])('answers 415 to an avatar that is %s', async (_, bytes) => {
    expect((await upload(bytes)).status).toBe(415);
  });

  test('answers 415 to a multipart form, and asks for raw bytes', async () => {
    const { bytes } = await multipartForm(png());
    const answer = await upload(bytes);
    expect([answer.status, answer.body.error]).toEqual([
      415,
      {
        code: 'BAD_REQUEST',
        message: 'Send the raw file bytes as the request body, not a multipart form.',
      },
    ]);
  });

  test('accepts an avatar of up to 1 MB', async () => {
    expect((await upload(pngOf(1_000_000))).status).toBe(200);
    const answer = await upload(pngOf(1_000_001));
    expect([answer.status, answer.body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  test('answers 503 to an avatar without storage', async () => {
    const { body } = await upload(png());
    const { url } = await messenger.startInstance({ OBJECTS_FOLDER: '' });
    expect((await get(body.url, {}, project.key, url)).status).toBe(503);
  });
});

test('detects an SVG by its root element', () => {
  const types = [
    '<?xml version="1.0"?>\n<!-- made by hand -->\n<svg/>',
    '\ufeff<svg xmlns="x"></svg>\n',
    '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/x.dtd"><svg></svg>',
  ];
  for (const text of types) expect(detectAvatarType(Buffer.from(text))).toBe('image/svg+xml');
  for (const text of ['<svgx></svgx>', '<svg', '<!-- <svg></svg>', '<?xml ?><html/>', '']) {
    expect(detectAvatarType(Buffer.from(text))).toBeUndefined();
  }
});

describe('a teammate', () => {
  test('replaces and reads a teammate, and keeps the avatar', async () => {
    const { body: picture } = await upload(png());
    const written = await messenger.manage('PUT', at('ada'), {
      name: 'Ada L.',
      initials: 'AL',
      tone: 'blue',
    });
    expect([written.status, written.body]).toEqual([
      200,
      { id: 'ada', name: 'Ada L.', initials: 'AL', tone: 'blue', avatarUrl: picture.url },
    ]);
    expect((await messenger.manage('GET', at('ada'))).body).toEqual(written.body);
    const bare = await messenger.manage('PUT', at('a/b'), { name: 'B' });
    expect(bare.body).toEqual({ id: 'a/b', name: 'B', avatarUrl: null });
  });

  test('rejects the 1,001st teammate, and replaces one of 1,000', async () => {
    const full = await messenger.createProject();
    await messenger.database.sql`
      insert into teammates (project_id, user_id, name)
      select ${full.id}, 'u' || n, 'U' from generate_series(1, 1000) as n`;
    const more = await messenger.manage('PUT', at('more', full), { name: 'More' });
    expect([more.status, more.body]).toEqual([
      400,
      { error: expect.objectContaining({ message: 'A project has at most 1,000 teammates.' }) },
    ]);
    expect((await messenger.manage('PUT', at('u7', full), { name: 'New' })).status).toBe(200);
  });

  test('answers 404 for a missing teammate or project, and 400 to a blank name or id', async () => {
    expect((await upload(png(), 'nobody')).status).toBe(404);
    expect((await messenger.manage('GET', at('nobody'))).status).toBe(404);
    expect(
      (await messenger.manage('PUT', at('x', { ...project, id: 'nowhere' }), { name: 'x' })).status,
    ).toBe(404);
    expect((await messenger.manage('PUT', at('x'), { name: ' ' })).status).toBe(400);
    expect((await messenger.manage('PUT', at(' '), { name: 'x' })).status).toBe(400);
  });
});

test('lists the team to an operator by id', async () => {
  const mine = await messenger.createProject();
  const other = await messenger.createProject();
  expect((await messenger.manage('GET', `/projects/${mine.id}/team`)).body).toEqual({ team: [] });
  await messenger.manage('PUT', at('grace', mine), { name: 'Grace', initials: 'GH' });
  await messenger.manage('PUT', at('ada', mine), { name: 'Ada' });
  await messenger.manage('PUT', at('eve', other), { name: 'Eve' });
  expect((await messenger.manage('GET', `/projects/${mine.id}/team`)).body).toEqual({
    team: [
      { id: 'ada', name: 'Ada', avatarUrl: null },
      { id: 'grace', name: 'Grace', initials: 'GH', avatarUrl: null },
    ],
  });
  expect((await messenger.manage('GET', '/projects/none/team')).status).toBe(404);
});
