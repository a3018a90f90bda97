import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { createAdaptorServer } from '@hono/node-server';
import { asyncApiDocument, interfaceOperations, openApiDocument } from '@switchboard/contracts';
import { hasChromium, openBrowser } from '@switchboard/testkit';
import { Hono } from 'hono';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mountApiReference } from './index.ts';

const app = new Hono();
mountApiReference(app, {
  origins: ['https://events.example'],
  documents: { 'openapi.json': openApiDocument, 'asyncapi.json': asyncApiDocument },
});

async function scriptPath(): Promise<string> {
  const page = await (await app.request('/docs')).text();
  return `/${/src="(.+?)"/.exec(page)?.[1]}`;
}

test.each([
  ['openapi.json', { openapi: '3.1.0' }],
  ['asyncapi.json', { asyncapi: '3.0.0' }],
])('serves %s beside the page, to any origin', async (name, content) => {
  const answer = await app.request(`/${name}`);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(await answer.json()).toMatchObject(content);
});

describe('the page of the API reference', () => {
  test('allows connections only to its own host and the hosts of the interface', async () => {
    const answer = await app.request('/docs');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; ");
    expect(policy).toContain("connect-src 'self' https://events.example; ");
    expect(policy).not.toMatch(/\*|unsafe-eval/);
  });

  test('serves the script of the page immutably under a content hash, gzipped where accepted', async () => {
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

describe.skipIf(!hasChromium)('the API reference in a browser', () => {
  const server = createAdaptorServer({ fetch: app.fetch });
  const asked: string[] = [];
  const complaints: string[] = [];
  let browser: Browser;
  let page: Page;
  let origin: string;

  beforeAll(async () => {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await openBrowser();
    page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${origin}/docs`);
    await page.getByRole('heading', { name: 'Switchboard' }).waitFor();
  });
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
  });

  test('makes no other request and violates no content security policy', () => {
    expect(asked.filter((url) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
