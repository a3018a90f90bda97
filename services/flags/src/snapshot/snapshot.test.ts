import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestProject, useFlags } from '../testing/harness.ts';

const harness = await useFlags();
let project: TestProject;
beforeAll(async () => {
  project = await harness.createProject();
  for (let index = 0; index < 20; index++) {
    const description = 'a description that compresses well '.repeat(5);
    await harness.putFlag(project, {
      key: `flag-${index}`,
      enabled: true,
      rolloutPercentage: 50,
      description,
    });
  }
});

interface Raw {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Requests a snapshot without `fetch`, which negotiates and decodes encodings itself. */
function snapshot(headers: Record<string, string> = {}): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const all = { Authorization: `Bearer ${project.key}`, ...headers };
    request(`${harness.url}/v1/flags/snapshot`, { headers: all }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      );
    })
      .on('error', reject)
      .end();
  });
}

describe('GET /v1/flags/snapshot', () => {
  it('returns every stored flag, the time of the last change and the socket URL in the snapshot', async () => {
    const { status, headers, body } = await snapshot();
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=30, stale-while-revalidate=300',
      etag: expect.stringMatching(/^"[\w-]+"$/),
    });
    expect(String(headers['vary']).split(', ').sort()).toEqual(['Accept-Encoding', 'Authorization']);
    const { flags, generatedAt, socketUrl } = JSON.parse(body.toString());
    expect(flags).toHaveLength(20);
    expect(flags[0]).toMatchObject({ key: 'flag-0', enabled: true, rolloutPercentage: 50 });
    expect(generatedAt).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(socketUrl).toBe('wss://api.test/base/v1/flags/socket');
  });

  it('serves the snapshot as br or gzip if accepted, each with its own ETag', async () => {
    const plain = await snapshot();
    const gzip = await snapshot({ 'Accept-Encoding': 'gzip, deflate' });
    const br = await snapshot({ 'Accept-Encoding': 'gzip, deflate, br' });
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(br.headers['content-encoding']).toBe('br');
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true);
    expect(new Set([plain, gzip, br].map(({ headers }) => headers['etag'])).size).toBe(3);
  });

  it.each([
    ['gzip;q=0, br;q=0', undefined],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['*', 'br'],
    ['*;q=0.5, br;q=0', 'gzip'],
    ['identity, br;q=0.5', undefined],
    ['GZIP', 'gzip'],
    ['zstd', undefined],
    ['gzip;q=rather', undefined],
  ])('answers Accept-Encoding %s with %s', async (accepted, encoding) => {
    const { status, headers } = await snapshot({ 'Accept-Encoding': accepted });
    expect(status).toBe(200);
    expect(headers['content-encoding']).toBe(encoding);
  });

  it('answers 304 to a client that has the snapshot in any encoding, until it changes', async () => {
    const { headers } = await snapshot({ 'Accept-Encoding': 'br' });
    const tag = String(headers['etag']);
    for (const held of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await snapshot({ 'If-None-Match': held });
      expect(again.status).toBe(304);
      expect(again.body).toHaveLength(0);
      expect(again.headers).toMatchObject({
        'cache-control': 'public, max-age=30, stale-while-revalidate=300',
        etag: expect.any(String),
      });
    }
    expect((await snapshot({ 'If-None-Match': '"other"' })).status).toBe(200);
    await harness.putFlag(project, { key: 'one more', enabled: true, rolloutPercentage: 1 });
    expect((await snapshot({ 'If-None-Match': tag })).status).toBe(200);
  });

  it('serves a byte-identical snapshot on another instance', async () => {
    const other = await harness.startInstance();
    const [here, there] = await Promise.all(
      [harness.url, other.url].map((url) => harness.get('/v1/flags/snapshot', project.key, { url })),
    );
    expect(there?.headers.get('etag')).toBe(here?.headers.get('etag'));
    expect(await there?.text()).toBe(await here?.text());
  });
});
