import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { call, hasChromium, openBrowser } from '@switchboard/testkit';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();
const asBrowser = { headers: { Accept: 'text/html' } };

it('serves browsers a start page that lists everything except tokens', async () => {
  const { base_url, project_key, management_url, tokens } = running.demo;
  const answer = await fetch(base_url, { headers: { Accept: 'text/html' } });
  const text = await answer.text();
  for (const shown of [project_key, management_url, '/demo', '/docs', '/shared/'])
    expect(text).toContain(shown);
  for (const token of Object.values(tokens)) expect(text).not.toContain(token);
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(answer.headers.get('content-security-policy')).not.toContain('unsafe');
});

it('serves mails in a sandbox, and no other file', async () => {
  const { base_url } = running.demo;
  await mkdir(join(running.home, 'mail'), { recursive: true });
  const mail =
    'To: mei@lumen.example\r\nSubject: Sign-ups\r\nContent-Type: text/html\r\n\r\n<script>1</script><b>Look</b>';
  await writeFile(join(running.home, 'mail/one.eml'), mail);
  const page = await fetch(base_url, { headers: { Accept: 'text/html' } });
  expect(await page.text()).toContain('mei@lumen.example');
  const shown = await fetch(`${base_url}/mails/one.eml`);
  expect(await shown.text()).toContain('<b>Look</b>');
  expect(shown.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
  expect((await fetch(`${base_url}/mails/..%2fdemo.json`)).status).toBe(404);
});

it('prevents pages of other origins from reading or switching the state of the shop', async () => {
  const state = `${running.demo.base_url}/demo/state`;
  const put = (headers: Record<string, string>, body = '{"enabled":false}', key = 'payments') =>
    fetch(`${state}/flags/${key}`, { method: 'PUT', headers, body });
  const json = { 'Content-Type': 'application/json' };
  const evil = { Origin: 'https://evil.example' };
  expect((await fetch(`${state}/flags`, { headers: evil })).status).toBe(403);
  expect((await put({ ...json, ...evil })).status).toBe(403);
  expect((await put({ 'Content-Type': 'text/plain' })).status).toBe(415);
  expect((await put(json, '{"enabled":1}')).status).toBe(400);
  expect((await put(json, undefined, 'no-such-flag')).status).toBe(404);
  const answer = (headers: Record<string, string>, body: object) =>
    fetch(`${state}/answers`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect((await answer({ ...json, ...evil }, { distinctId: 'user-ada', body: 'x' })).status).toBe(403);
  expect((await answer(json, { distinctId: 'user-ada', body: ' ' })).status).toBe(400);
  expect((await answer(json, { distinctId: 'nobody', body: 'x' })).status).toBe(404);
  expect((await fetch(`${state}/events?ids=${Array(51).fill('a')}`)).status).toBe(400);
  const flags = await fetch(`${state}/flags`);
  expect([flags.status, flags.headers.get('access-control-allow-origin')]).toEqual([200, null]);
});

it('answers an unknown path with a page for browsers, and with JSON for other clients', async () => {
  const { base_url } = running.demo;
  const page = await fetch(`${base_url}/no/<b>such`, asBrowser);
  expect(page.status).toBe(404);
  const text = await page.text();
  expect(text).toContain('<code>/no/');
  expect(text).not.toContain('<b>');
  for (const leads of ['href="/"', 'href="/guides"', 'href="/docs"']) expect(text).toContain(leads);
  const other = await fetch(`${base_url}/no/such`);
  expect([other.status, await other.json()]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }]);
  expect((await fetch(`${base_url}/guides/..%2fREADME`, asBrowser)).status).toBe(404);
});

it('links a mail to the public page of its report, or to the console for a person with a session or while the link is off', async () => {
  const { console_url, project_id } = running.demo;
  const open = (report: string, headers: Record<string, string> = {}) =>
    fetch(`${console_url}/projects/${project_id}/reports/${report}`, { redirect: 'manual', headers });
  const on = await open('rep_orders');
  expect([on.status, on.headers.get('location')]).toEqual([
    303,
    expect.stringMatching(`^${running.demo.base_url}/shared/`),
  ]);
  // Browsers send no strict cookie with a link from another site, so the page opens itself once more.
  const fromMail = await call('GET', `${console_url}/projects/${project_id}/reports/rep_orders`, {
    headers: { 'Sec-Fetch-Site': 'cross-site' },
  });
  expect([fromMail.status, fromMail.body]).toEqual([200, expect.stringContaining('http-equiv="refresh"')]);
  const inside = [
    await open('rep_%3Cb%3E'),
    await open('rep_orders', { Cookie: 'switchboard_console=x' }),
    await open('rep_orders', { Cookie: '__Host-switchboard_console=x' }),
  ];
  for (const answer of inside)
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('<div id="root">')]);
});

it('serves every page of the documentation, and every link in it leads to an existing section', async () => {
  const { base_url } = running.demo;
  const pages = new Map<string, string>();
  const read = async (path: string): Promise<string> => {
    const kept = pages.get(path);
    if (kept !== undefined) return kept;
    const answer = await fetch(`${base_url}${path}`, asBrowser);
    expect(answer.status, path).toBe(200);
    const text = await answer.text();
    pages.set(path, text);
    for (const [, href = ''] of text.matchAll(/<a href="((?:\/guides)?(?:\/[a-z-]*){0,2}(?:#[^"]*)?)"/g)) {
      if (!/^(\/guides|#)/.test(href)) continue;
      const [to = '', section] = href.split('#');
      const target = await read(to === '' ? path : to);
      if (section !== undefined) expect(target, `${path}: ${href}`).toContain(` id="${section}"`);
    }
    return text;
  };
  await read('/guides');
  expect(pages.size).toBeGreaterThan(15);
});

describe.skipIf(!hasChromium)('the pages of standalone in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  const PAGES = ['/', '/demo', '/guides', '/guides/flags', '/nothing/here'];

  it.each(PAGES)(
    'the page %s violates no axe rule, and fits every width, in both color schemes',
    async (path) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await browser.newPage({ colorScheme });
        for (const width of [390, 768, 1280, 1920]) {
          await page.setViewportSize({ width, height: 900 });
          await page.goto(`${running.demo.base_url}${path}`);
          await page.waitForLoadState('networkidle');
          expect(await page.evaluate('document.documentElement.scrollWidth'), `${width} px`).toBe(width);
        }
        await page.evaluate(axe.source);
        const { violations } = (await page.evaluate(
          `axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })`,
        )) as axe.AxeResults;
        expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
        await page.close();
      }
    },
    90_000,
  );

  it('links the API reference to the start page and the guides', async () => {
    const page = await browser.newPage();
    await page.goto(`${running.demo.base_url}/docs`);
    await page.getByRole('link', { name: 'Guides' }).click();
    await page.getByRole('heading', { name: 'Documentation' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Switchboard', exact: true }).click();
    await page.getByRole('link', { name: 'Open the demo shop' }).waitFor();
    await page.close();
  });

  it('keeps the chat of the shop clear of products on a phone', async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    await page.goto(`${running.demo.base_url}/demo`);
    const chat = page.getByRole('button', { name: /^Chat/ });
    await chat.waitFor();
    // At the end of the page, the last product and the basket must be above the bar.
    await page.getByRole('button', { name: 'Add Enamel mug to the basket' }).scrollIntoViewIfNeeded();
    await page.getByRole('button', { name: 'Add Enamel mug to the basket' }).click();
    expect(await page.locator('switchboard-messenger').getByRole('button').count()).toBe(0);
    await chat.click();
    await page.getByRole('button', { name: 'Send us a message' }).waitFor();
    await page.close();
  });
});
