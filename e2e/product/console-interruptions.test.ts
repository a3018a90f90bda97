import { eventually, hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openConsole } from './testing/console.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();
const KEYS = '/projects/prj_shop/settings/keys';
/** Longer than an access token is valid. */
const TOKEN_LIFETIME = '10:00';

describe.skipIf(!hasChromium)('the console, interrupted', () => {
  let browser: Browser;
  let page: Page;
  let context: BrowserContext;
  let problems: string[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });

  async function open(path: string, token = running.demo.tokens.owner): Promise<void> {
    ({ page, problems, context } = await openConsole(browser, running.demo, path, { token }));
  }

  /** Signs in as the demo's owner, on a clock that the test can move. Returns the renewals of tokens so far. */
  async function signIn(path: string): Promise<string[]> {
    problems = [];
    context = await browser.newContext();
    await context.clock.install();
    const renewals: string[] = [];
    context.on('request', (request) => {
      if (request.url().endsWith('/session/token')) renewals.push(request.url());
    });
    page = await context.newPage();
    await page.goto(running.demo.console_url + path);
    await page.locator('form[action$="/as/user_ines"] button').click();
    await page.locator('main h1').waitFor();
    return renewals;
  }

  const keyRows = (of = page) => of.getByRole('table', { name: 'Project keys' }).locator('[data-row]');
  const notices = (of = page) => of.locator('[role="status"]').filter({ has: of.locator('p') });

  async function manage(method: string, path: string, body: unknown): Promise<unknown> {
    const { management_url, tokens } = running.demo;
    const answer = await fetch(`${management_url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${tokens.operator}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status, path).toBeLessThan(300);
    return answer.json();
  }

  it('says that it is offline, and makes the waiting change when it is connected again', async () => {
    await open(KEYS);
    await keyRows().first().waitFor();
    const before = await keyRows().count();
    await context.setOffline(true);
    await notices().filter({ hasText: 'You are offline.' }).waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    expect(await keyRows().count()).toBe(before);
    await context.setOffline(false);
    await notices().waitFor({ state: 'detached' });
    await eventually(async () => expect(await keyRows().count()).toBe(before + 1));
  });

  it('keeps what was typed in a dialog while it is offline', async () => {
    await open('/projects/prj_shop/flags/payments');
    await page.getByRole('button', { name: 'Turn off flag' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('The bank is down.');
    await context.setOffline(true);
    await notices().filter({ hasText: 'You are offline.' }).waitFor();
    await context.setOffline(false);
    await notices().waitFor({ state: 'detached' });
    expect(await page.getByRole('dialog').getByLabel('Reason').inputValue()).toBe('The bank is down.');
  });

  it('shows the shape of a page, then the page, on a slow network, and makes a change once', async () => {
    await open('/projects/prj_shop');
    const network = await context.newCDPSession(page);
    await network.send('Network.enable');
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 400,
      downloadThroughput: 50_000,
      uploadThroughput: 50_000,
    });
    await page.goto(running.demo.console_url + KEYS);
    await page.getByRole('status', { name: 'Loading' }).first().waitFor();
    await keyRows().first().waitFor();
    const before = await keyRows().count();
    const create = page.getByRole('button', { name: 'Create key' });
    await create.dblclick();
    await eventually(async () => expect(await keyRows().count()).toBe(before + 1));
    expect(await create.isEnabled()).toBe(true);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('leads from an ended session to the sign-in, and back to the same address', async () => {
    const path = '/projects/prj_shop/settings/members?open=user_mei';
    await signIn(path);
    await page.getByRole('region', { name: 'Mei Tanaka' }).waitFor();
    await context.clearCookies();
    await page.clock.fastForward(TOKEN_LIFETIME);
    await page.getByRole('button', { name: 'Ines Duarte' }).click();
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    const ended = notices().filter({ hasText: 'Your session has ended.' });
    await ended.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('form[action$="/as/user_ines"] button').click();
    await page.getByRole('region', { name: 'Ines Duarte' }).waitFor();
    expect(new URL(page.url()).searchParams.get('open')).toBe('user_ines');
  });

  it('says what happened when a role is taken away, and hides what the role does not allow', async () => {
    const setRole = (role: string) =>
      manage('PUT', '/management/v1/companies/co_lumen/members/user_eve', {
        name: 'Eve Editor',
        email: 'eve@lumen.example',
        role,
      });
    await setRole('editor');
    const minted = await fetch(`${running.demo.base_url}/dev/tokens`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ sub: 'user_eve' }),
    });
    const { token } = z.object({ token: z.string() }).parse(await minted.json());
    await open('/projects/prj_shop/flags/payments', token);
    await page.getByRole('button', { name: 'Turn off flag' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('The bank is down.');
    await setRole('viewer');
    await eventually(async () => {
      const answer = await fetch(`${running.demo.base_url}/v1/projects/prj_shop/flags/none`, {
        method: 'DELETE',
        headers: { Authorization: `Bearer ${token}` },
      });
      expect(answer.status).toBe(403);
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off flag' }).click();
    await notices().filter({ hasText: 'Your change was not made.' }).waitFor();
    await page.getByText('Editors can switch and change this flag.').waitFor();
    expect(await page.getByRole('button', { name: 'Turn off flag' }).count()).toBe(0);
  });

  it('renews the token once for two tabs, and signs both out', async () => {
    const renewals = await signIn(KEYS);
    const other = await context.newPage();
    await other.goto(running.demo.console_url + KEYS);
    for (const tab of [page, other]) await keyRows(tab).first().waitFor();
    const before = renewals.length;
    for (const tab of [page, other]) await tab.clock.fastForward(TOKEN_LIFETIME);
    await Promise.all([page, other].map((tab) => tab.getByRole('link', { name: 'Members' }).click()));
    for (const tab of [page, other]) await tab.getByRole('button', { name: 'Ines Duarte' }).waitFor();
    expect(renewals.length).toBe(before + 1);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await page.waitForURL('**/identity/sign-out**');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.locator('form[action$="/as/user_ines"] button').waitFor();
  });

  /** Answers 404 for the file of a page, as a release does that replaced it. */
  async function release(file: string): Promise<{ isOver: boolean; loads: number }> {
    const state = { isOver: false, loads: 0 };
    page.on('load', () => {
      state.loads++;
    });
    await page.route(`**/assets/${file}-*.js`, (route) =>
      state.isOver ? route.continue() : route.fulfill({ status: 404 }),
    );
    return state;
  }

  it('loads itself again once after a release, at the page that was asked for', async () => {
    await open('/projects/prj_shop');
    const state = await release('audit');
    page.on('request', (request) => {
      if (request.isNavigationRequest()) state.isOver = true;
    });
    await page.getByRole('link', { name: 'Audit trail' }).click();
    await page.getByRole('heading', { name: 'Audit trail', level: 1 }).waitFor();
    expect(state.loads).toBe(1);
  });

  it('does not load itself again and again if a file stays missing', async () => {
    await open('/projects/prj_shop');
    const state = await release('audit');
    await page.getByRole('link', { name: 'Audit trail' }).click();
    await notices().filter({ hasText: 'A new version of the console is available.' }).waitFor();
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
    expect(state.loads).toBe(1);
  });

  it('offers to load again after a release, instead of losing what was typed', async () => {
    await open('/projects/prj_shop/flags/payments');
    const state = await release('audit');
    await page.getByRole('button', { name: 'Turn off flag' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('The bank is down.');
    await page.evaluate("dispatchEvent(new Event('vite:preloadError'))");
    await notices().filter({ hasText: 'A new version of the console is available.' }).waitFor();
    expect(await page.getByRole('dialog').getByLabel('Reason').inputValue()).toBe('The bank is down.');
    expect(state.loads).toBe(0);
  });
});
