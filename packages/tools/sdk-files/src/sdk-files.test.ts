import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { parseTar } from 'nanotar';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildSdks } from './build.ts';
import type { BuiltSdks } from './built.ts';
import { mountSdks } from './index.ts';

const BASE = 'https://switchboard.example/eu';
let built: BuiltSdks;
let app: Hono;
beforeAll(async () => {
  built = await buildSdks();
  app = mounted(built);
});

function mounted(read: BuiltSdks, baseUrl = `${BASE}/`): Hono {
  const hono = new Hono();
  mountSdks(hono, { baseUrl, read: async () => read });
  return hono;
}

const get = (name: string, headers: Record<string, string> = {}) => app.request(`/sdk/${name}`, { headers });
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
const index = async () => Object(await (await get('index.json')).json());
const ENCODED = { 'Accept-Encoding': 'gzip, deflate, br' };

async function unpacked(name: string, from = app) {
  const bytes = new Uint8Array(gunzipSync(await bytesOf(await from.request(`/sdk/${name}`))));
  return new Map(parseTar(bytes).map((file) => [file.name, file.text]));
}

describe('a script', () => {
  test('serves a script under a fixed name for five minutes, and under a hashed name for a year', async () => {
    const { scripts } = await index();
    expect(Object.keys(scripts)).toEqual(['browser.js', 'replay.js', 'messenger.js']);
    for (const [name, { url, integrity }] of Object.entries<{ url: string; integrity: string }>(scripts)) {
      expect(url).toMatch(new RegExp(`^${BASE}/sdk/${name.replace('.js', '')}\\.[0-9a-f]{16}\\.js$`));
      const short = await get(name);
      const hashed = await get(url.slice(`${BASE}/sdk/`.length));
      const caching = [short, hashed].map((response) => response.headers.get('cache-control'));
      expect(caching).toEqual(['public, max-age=300', 'public, max-age=31536000, immutable']);
      const bytes = await bytesOf(short);
      expect(await bytesOf(hashed)).toEqual(bytes);
      expect(integrity).toBe(`sha384-${createHash('sha384').update(bytes).digest('base64')}`);
      for (const { headers } of [short, hashed]) {
        expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
        expect(headers.get('access-control-allow-origin')).toBe('*');
        expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
        expect(headers.get('x-content-type-options')).toBe('nosniff');
      }
    }
  });

  test.each([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
  ])('compresses a script for a client that accepts %s', async (accepted, encoding, decode) => {
    const plain = await get('browser.js');
    const encoded = await get('browser.js', { 'Accept-Encoding': accepted });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(encoded.headers.get('content-encoding')).toBe(encoding);
    expect(encoded.headers.get('vary')).toBe('Accept-Encoding');
    expect(encoded.headers.get('etag')).not.toBe(plain.headers.get('etag'));
    expect(decode(await bytesOf(encoded))).toEqual(await bytesOf(plain));
  });

  test('does not send a script again to a client that has it', async () => {
    const first = await get('browser.js', ENCODED);
    const etag = first.headers.get('etag') ?? '';
    const again = await get('browser.js', { ...ENCODED, 'If-None-Match': etag });
    expect([again.status, await again.text()]).toEqual([304, '']);
    for (const name of ['etag', 'cache-control', 'vary', 'access-control-allow-origin'])
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    expect((await get('browser.js', { ...ENCODED, 'If-None-Match': '"other"' })).status).toBe(200);
  });

  test('redirects from the script of another version to the current one', async () => {
    for (const name of ['browser', 'replay', 'messenger']) {
      const { status, headers } = await get(`${name}.0123456789abcdef.js`);
      expect([status, headers.get('location'), headers.get('access-control-allow-origin')]).toEqual([
        302,
        `${name}.js`,
        '*',
      ]);
      expect(headers.get('cache-control')).toBe('no-cache');
    }
  });

  test('loads replay, messenger and a language into a page only when they are used', async () => {
    const browser = await (await get('browser.js', ENCODED)).arrayBuffer();
    expect(browser.byteLength).toBeLessThan(9_000);
    const messenger = await (await get('messenger.js')).text();
    const languages = messenger.match(/messenger-[a-z]{2}\.[0-9a-f]{16}\.js/g) ?? [];
    expect(new Set(languages).size).toBe(10);
    for (const language of languages) expect((await get(language)).status).toBe(200);
  });
});

describe('a tarball', () => {
  test('names the dependencies on other SDKs of a tarball as addresses of this deployment', async () => {
    const { packages } = await index();
    expect(Object.keys(packages).sort()).toEqual([
      '@switchboard/browser',
      '@switchboard/flag-engine',
      '@switchboard/management',
      '@switchboard/messenger',
      '@switchboard/node',
      '@switchboard/openfeature-server',
      '@switchboard/openfeature-web',
      '@switchboard/react',
      '@switchboard/replay',
    ]);
    for (const [name, url] of Object.entries<string>(packages)) {
      expect(url).toBe(`${BASE}/sdk/${name.replace('@switchboard/', '')}.tgz`);
      const files = await unpacked(url.slice(`${BASE}/sdk/`.length));
      const manifest = JSON.parse(files.get('package/package.json') ?? '');
      expect(manifest.name).toBe(name);
      for (const [dependency, version] of Object.entries(manifest.dependencies)) {
        if (dependency.startsWith('@switchboard/')) expect(version).toBe(packages[dependency]);
        else expect(version).toMatch(/^\d/);
      }
      expect([...files.keys()]).toEqual(
        expect.arrayContaining(['package/README.md', 'package/LICENSE', 'package/CHANGELOG.md']),
      );
      expect(files.get('package/README.md')).not.toContain('https://api.example.com');
    }
  });

  test('makes a tarball with the same bytes whenever and wherever, and with others for another address', async () => {
    const bytes = async (from: Hono) => bytesOf(await from.request('/sdk/messenger.tgz'));
    const first = await bytes(app);
    expect(await bytes(mounted(built))).toEqual(first);
    expect(await bytes(mounted(built, 'https://other.example'))).not.toEqual(first);
  });

  test('sends a tarball without HTTP compression, for five minutes, and not again to a client that has it', async () => {
    const response = await get('browser.tgz', ENCODED);
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(response.headers.get('content-type')).toBe('application/gzip');
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    const again = await get('browser.tgz', { 'If-None-Match': response.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
  });
});

test.each([
  'browser.mjs',
  'browser',
  'package.json',
  '..%2fpackage.json',
  'contracts.tgz',
  'toString',
  'messenger-xx.0123456789abcdef.js',
  'unknown.0123456789abcdef.js',
])('answers 404 for %s', async (name) => {
  expect((await get(name)).status).toBe(404);
});

test('reads files at the next request after a failed read', async () => {
  let attempts = 0;
  const hono = new Hono();
  hono.onError((_, c) => c.text('', 503));
  const read = () => (attempts++ === 0 ? Promise.reject(new Error('not there')) : Promise.resolve(built));
  mountSdks(hono, { baseUrl: BASE, read });
  expect((await hono.request('/sdk/browser.js')).status).toBe(503);
  expect((await hono.request('/sdk/browser.js')).status).toBe(200);
});
