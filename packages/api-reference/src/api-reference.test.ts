import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { createAdaptorServer } from '@hono/node-server';
import { interfaceOperations, openApiDocument } from '@switchboard/contracts';
import { Hono } from 'hono';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mountApiReference } from './index.ts';

const app = new Hono();
app.get('/openapi.json', (c) => c.json(openApiDocument()));
mountApiReference(app, { origins: ['https://events.example'] });

async function scriptPath(): Promise<string> {
  const page = await (await app.request('/docs')).text();
  return `/${/src="(.+?)"/.exec(page)?.[1]}`;
}

describe('the page', () => {
  test('may only connect to its own host and the hosts of the interface', async () => {
    const answer = await app.request('/docs');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; ");
    expect(policy).toContain("connect-src 'self' https://events.example; ");
    expect(policy).not.toMatch(/\*|unsafe-eval/);
  });

  test('serves its script immutably under a content hash, gzipped where accepted', async () => {
    const path = await scriptPath();
    expect(path).toMatch(/^\/docs\/scalar\.[0-9a-f]{16}\.js$/);
    const plain = await app.request(path);
    const small = await app.request(path, { headers: { 'Accept-Encoding': 'br, gzip' } });
    for (const answer of [plain, small]) {
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer.headers.get('vary')).toBe('Accept-Encoding');
    }
    expect(small.headers.get('content-encoding')).toBe('gzip');
    const zipped = Buffer.from(await small.arrayBuffer());
    const bytes = Buffer.from(await plain.arrayBuffer());
    expect(gunzipSync(zipped).equals(bytes)).toBe(true);
    expect(zipped.length).toBeLessThan(bytes.length / 3);
  });

  test('loads no other script', async () => {
    expect((await app.request('/docs/scalar.0000000000000000.js')).status).toBe(404);
  });
});

const chromiumPath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const hasChromium = existsSync(chromiumPath) || process.env['REQUIRE_BACKINGS'] === '1';

describe.skipIf(!hasChromium)('in a browser', () => {
  const server = createAdaptorServer({ fetch: app.fetch });
  const asked: string[] = [];
  const complaints: string[] = [];
  let browser: Browser;
  let page: Page;
  let origin: string;

  beforeAll(async () => {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await chromium.launch({
      executablePath: chromiumPath,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
    page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${origin}/docs`);
    await page.getByRole('heading', { name: 'Switchboard' }).waitFor();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    server.close();
  });

  test('lists the 40 operations, each with an example call and every status', async () => {
    expect(interfaceOperations).toHaveLength(40);
    for (const { method, path, responses } of interfaceOperations) {
      const address = `${method.toUpperCase()}${path}`;
      await page.locator(`a[href$="/${address}"]`).first().click();
      const section = page.locator(`section[id$="/${address}"]`);
      await section.getByText('curl').first().waitFor({ timeout: 10_000 });
      for (const status of Object.keys(responses)) {
        const answer = section.locator(`[id$="/${address}.responses.${status}"]`);
        await answer.waitFor({ timeout: 10_000 });
      }
    }
  }, 120_000);

  test('makes no other request and violates no policy', () => {
    expect(asked.filter((url) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
