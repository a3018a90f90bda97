import { call, eventually, hasChromium, openBrowser, programFile } from '@switchboard/testkit';
import { execa } from 'execa';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { lookAt, openConsole, violationsOf } from './testing/console.ts';
import { openEventLog } from './testing/event-log.ts';
import { standaloneForTests } from './testing/launch.ts';
import { manyMembers } from './testing/many-members.ts';

const running = standaloneForTests();

describe('the address of the console', () => {
  it('serves the application under a strict policy that no cache keeps', async () => {
    const answer = await fetch(`${running.demo.console_url}/projects/prj_shop/settings/members`);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const policy = answer.headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'"])
      expect(policy).toContain(part);
    expect(policy).not.toContain('unsafe');
    const [, script = ''] = /src="(\/assets\/[^"]+)"/.exec(await answer.text()) ?? [];
    const asset = await fetch(running.demo.console_url + script);
    expect([asset.status, asset.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ]);
    expect((await fetch(`${running.demo.console_url}/assets/old.js`)).status).toBe(404);
  });

  it('gives tokens to its own pages only', async () => {
    const ask = (headers: Record<string, string>, path = 'token') =>
      fetch(`${running.demo.console_url}/session/${path}`, { method: 'POST', headers });
    const statuses = await Promise.all([
      ask({}),
      ask({ Origin: 'https://evil.example' }),
      ask({ 'Sec-Fetch-Site': 'same-site', Origin: running.demo.console_url }),
      ask({ 'Sec-Fetch-Site': 'cross-site' }, 'sign-out'),
      ask({ Origin: running.demo.console_url }),
      ask({ 'Sec-Fetch-Site': 'same-origin' }),
      ask({ 'Sec-Fetch-Site': 'same-origin', Cookie: 'switchboard_console=forged' }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([403, 403, 403, 403, 401, 401, 401]);
  });

  it('ignores the answer to a sign-in that this browser did not start', async () => {
    const answer = await fetch(`${running.demo.console_url}/signed-in?code=a&state=b`, {
      redirect: 'manual',
    });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    expect(answer.headers.getSetCookie().some((cookie) => cookie.startsWith('switchboard_console='))).toBe(
      false,
    );
  });
});

describe.skipIf(!hasChromium)('the application', () => {
  let browser: Browser;
  let page: Page;
  let problems: string[] = [];

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    await page.context().close();
    expect(problems).toEqual([]);
  });

  /** Opens a page of the console as the demo's owner, with a token instead of a sign-in. */
  async function open(path: string, colorScheme: 'light' | 'dark' = 'light'): Promise<void> {
    ({ page, problems } = await openConsole(browser, running.demo, path, { colorScheme }));
  }

  it.each(['light', 'dark'] as const)(
    'has no violation of accessibility on a page of the rail, %s',
    async (scheme) => {
      await open('/', scheme);
      await page.waitForURL('**/projects/prj_shop');
      const rail = page.getByRole('navigation', { name: 'Pages' });
      const links = rail.getByRole('link');
      await links.first().waitFor();
      const addresses = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
      expect(addresses.length).toBeGreaterThan(3);
      for (const address of addresses) {
        await rail.locator(`a[href="${address}"]`).click();
        await page.waitForURL(`**${address}`);
        await page.locator('main h1').waitFor();
        await page.waitForLoadState('networkidle');
        expect(await violationsOf(page), address).toEqual([]);
      }
    },
  );

  it('signs in, returns to the page, and signs out', async () => {
    const { console_url } = running.demo;
    problems = [];
    const context = await browser.newContext();
    page = await context.newPage();
    await page.goto(`${console_url}/projects/prj_shop/settings/members?open=user_mei`);
    await page.locator('form[action$="/as/user_ines"] button').click();
    await page.getByRole('region', { name: 'Mei Tanaka' }).waitFor();
    const cookie = (await context.cookies(console_url)).find(({ name }) => name === 'switchboard_console');
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
    await page.reload();
    await page.getByRole('region', { name: 'Mei Tanaka' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/identity/sign-out**');
    expect((await context.cookies(console_url)).map(({ name }) => name)).not.toContain('switchboard_console');
  });

  it('opens a member by keyboard alone, and closes it again', async () => {
    await open('/projects/prj_shop');
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.getByRole('table', { name: 'Members' }).waitFor();
    await page.keyboard.press('j');
    // The last key is neither the end of `g j` nor of `g k`.
    await page.keyboard.press('k');
    await page.getByRole('button', { name: 'Ines Duarte' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Ines Duarte' }).waitFor();
    expect(new URL(page.url()).searchParams.get('open')).toBe('user_ines');
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Ines Duarte' }).waitFor({ state: 'detached' });
  });

  it('lists its keys with a question mark', async () => {
    await open('/projects/prj_shop');
    await page.keyboard.press('Shift+?');
    expect(await page.getByRole('dialog', { name: 'Keys' }).textContent()).toContain('Members');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The list is the longest on the builder of insights.
    await open('/projects/prj_shop/reports/rep_orders');
    await page.getByRole('img', { name: /^Orders/ }).waitFor();
    await page.keyboard.press('Shift+?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    for (const title of ['Save report', 'Chart: show the people', 'Usage', 'Search'])
      await keys.getByText(title, { exact: true }).waitFor();
  });

  it('takes the primary action of a page with c', async () => {
    await open('/projects/prj_shop/settings/members');
    await page.getByRole('table', { name: 'Members' }).waitFor();
    await page.keyboard.press('c');
    await page.getByRole('dialog', { name: /^Invite to / }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox', { name: 'Find a member' }).press('c');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('names the open entry in the trail and in the title, and leads back to its list', async () => {
    await open('/projects/prj_shop/reports/rep_orders');
    const trail = page.getByRole('navigation', { name: 'You are here' });
    await trail.getByText('Orders', { exact: true }).waitFor();
    expect(await trail.getByRole('link').allTextContents()).toEqual(['Lumen shop', 'Insights']);
    expect(await page.title()).toBe('Orders · Lumen shop · Switchboard');
    const rail = page.getByRole('navigation', { name: 'Pages' });
    expect(await rail.locator('[aria-current="page"]').allTextContents()).toEqual(['Insights']);
    await trail.getByRole('link', { name: 'Insights' }).click();
    await page.waitForURL('**/insights');
    expect(await trail.getByRole('link').allTextContents()).toEqual(['Lumen shop']);
    expect(await page.title()).toBe('Insights · Lumen shop · Switchboard');
  });

  it('creates and revokes a key', async () => {
    await open('/projects/prj_shop/settings/keys');
    const rows = page.getByRole('table', { name: 'Project keys' }).getByRole('row');
    await page.getByRole('button', { name: 'Create key' }).click();
    await expect.poll(() => rows.count()).toBe(3);
    const created = rows.filter({ hasNotText: running.demo.project_key }).last();
    await created.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
    await expect.poll(() => rows.count()).toBe(2);
    expect(await rows.last().textContent()).toContain(running.demo.project_key);
  });

  /** Makes `interruption` end the stream of events, and refuse others until there is a new one. */
  const INTERRUPTIBLE = `
    const send = window.fetch;
    window.interruption = new AbortController();
    window.fetch = (url, init) =>
      send(url, String(url).includes('/live-events')
        ? { ...init, signal: AbortSignal.any([init.signal, interruption.signal]) }
        : init);`;

  /** Sends an event as a visitor's page does. */
  async function sendEvent(name: string, person = 'visitor-live'): Promise<void> {
    const { eu_api_url: url, project_key: key } = running.demo;
    const now = new Date().toISOString();
    const event = {
      event_id: `${name} ${person}`,
      distinct_id: person,
      event_name: name,
      schema_version: 1,
      timestamp: now,
    };
    const answer = await fetch(`${url}/v1/events`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: JSON.stringify({ sent_at: now, events: [{ ...event, properties: { total: 42 } }] }),
    });
    expect(answer.status).toBe(202);
  }

  it('shows an event as it is accepted, then archived, holds it back while paused, and shows its properties', async () => {
    // The archive takes up to 30 s.
    await sendEvent('console event zero');
    // The demo's visitors send more events than a list draws.
    await open('/projects/prj_shop/events?person=visitor-live');
    await page.getByText('Live', { exact: true }).waitFor();
    const table = page.getByRole('table', { name: 'Live events' });
    const earlier = table.getByRole('row').filter({ hasText: 'console event zero' });
    await earlier.waitFor();
    await sendEvent('console event one');
    const row = table.getByRole('row').filter({ hasText: 'console event one' });
    await row.getByText('Archived').waitFor();
    await earlier.getByText('Archived').waitFor();
    // The list of archived events has it too.
    await page.waitForResponse((answer) => answer.url().includes('/events?') && answer.ok());
    expect(await earlier.count()).toBe(1);
    await page.keyboard.press('p');
    await sendEvent('console event two');
    await page.getByText('Paused', { exact: true }).waitFor();
    await row.getByRole('button').click();
    const detail = page.getByRole('region', { name: 'console event one', exact: true });
    await detail.getByText('"total": 42').waitFor();
    await detail.getByText('In a file of the archive').waitFor();
    expect(await table.getByText('console event two').count()).toBe(0);
    await page.keyboard.press('p');
    await table.getByText('console event two').waitFor();
    // The stream begins again with each filter.
    await page.getByRole('searchbox', { name: 'Event' }).fill('console event two');
    await row.waitFor({ state: 'detached' });
    await table.getByText('console event two').waitFor();
    await page.getByRole('searchbox', { name: 'Event' }).fill('console event three');
    await page.getByText('Live', { exact: true }).waitFor();
    await table.waitFor({ state: 'detached' });
  });

  it('removes the live events of a person who is being erased', async () => {
    await open('/projects/prj_shop/events?name=console+event+four');
    await page.getByText('Live', { exact: true }).waitFor();
    await sendEvent('console event four', 'visitor-erased');
    await sendEvent('console event four', 'visitor-kept');
    const table = page.getByRole('table', { name: 'Live events' });
    await table.getByText('visitor-kept').waitFor();
    await table.getByText('visitor-erased').waitFor();
    await page.keyboard.press('p');
    const { management_url: url, tokens } = running.demo;
    const { status } = await call('POST', `${url}/management/v1/projects/prj_shop/erasures`, {
      token: tokens.operator,
      body: { distinctIds: ['visitor-erased'] },
      headers: { 'Content-Type': 'application/json' },
    });
    expect(status).toBe(202);
    await table.getByText('visitor-erased').waitFor({ state: 'detached' });
    await table.getByText('visitor-kept').waitFor();
  });

  it('shows what was archived while the stream was interrupted', async () => {
    await open('/projects/prj_shop/events?name=console+event+five');
    await page.addInitScript(INTERRUPTIBLE);
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    const table = page.getByRole('table', { name: 'Live events' });
    const row = (person: string) => table.getByRole('row').filter({ hasText: person });
    await sendEvent('console event five', 'visitor-before');
    await row('visitor-before').waitFor();
    await page.evaluate('interruption.abort()');
    await page.getByText('Connecting', { exact: true }).waitFor();
    await sendEvent('console event five', 'visitor-between');
    const { management_url: url, tokens } = running.demo;
    const people = ['visitor-before', 'visitor-between'];
    await eventually(
      async () => {
        for (const person of people) {
          const id = encodeURIComponent(`console event five ${person}`);
          const path = `/management/v1/projects/prj_shop/events/${id}`;
          const { body } = await call('GET', url + path, { token: tokens.operator });
          expect(body).toMatchObject({ state: 'archived' });
        }
      },
      { withinMs: 90_000 },
    );
    await page.evaluate('interruption = new AbortController()');
    await page.getByText('Live', { exact: true }).waitFor();
    for (const person of people) await row(person).getByText('Archived').waitFor();
  });

  it('says why an event is not archived', async () => {
    const name = 'console event unread';
    await open('/projects/prj_shop/events?name=console+event+unread');
    await page.getByText('Live', { exact: true }).waitFor();
    const now = new Date().toISOString();
    const event = { event_id: 'unread', event_name: name, distinct_id: 'visitor-unread', schema_version: 1 };
    const value = Buffer.from(JSON.stringify({ ...event, timestamp: 'never', occurred_at: now }));
    const headers = { project: 'prj_shop', received_at: now, sent_at: now, count: '1' };
    const log = await openEventLog(running.home);
    await log.publish('events', [{ partition: 0, key: 'prj_shop', value, headers }]);
    await log.close();
    const table = page.getByRole('table', { name: 'Live events' });
    await table.getByRole('button', { name }).click();
    const detail = page.getByRole('region', { name, exact: true });
    // The archive takes up to 30 s.
    await detail.getByText('Not archived because').waitFor({ timeout: 60_000 });
    await detail.getByText(/^timestamp: /).waitFor();
    await table.getByText('Not archived', { exact: true }).waitFor();
    await lookAt(page, 'event-not-archived');
  });

  it('explains the name of an event in the dictionary', async () => {
    await open('/projects/prj_shop/dictionary?open=order+placed');
    const detail = page.getByRole('region', { name: 'order placed', exact: true });
    await detail.getByLabel('Description').fill('A visitor has paid.');
    await detail.getByLabel('Owner').selectOption('Mei Tanaka');
    await detail.getByLabel('Verified').check();
    await detail.getByRole('button', { name: 'Save explanation' }).click();
    await expect.poll(() => detail.getByRole('button', { name: 'Save explanation' }).isEnabled()).toBe(true);
    await detail.getByRole('button', { name: 'Close' }).click();
    const row = page
      .getByRole('table', { name: 'Events' })
      .getByRole('row')
      .filter({ hasText: 'order placed' });
    await row.getByText('A visitor has paid.').waitFor();
    await row.getByText('Verified').waitFor();
  });

  it('explains a property in the dictionary, with its types and most frequent values', async () => {
    await open('/projects/prj_shop/dictionary?open=order+placed');
    const property = page.getByRole('listitem').filter({ hasText: /^product/ });
    await property.getByText(/^text · \d+ events · last seen \S/).click();
    await property.getByText(/^Most often: .*Trail tent/).waitFor();
    await property.getByLabel('Description').fill('The product that was ordered.');
    await property.getByLabel('Hidden from suggestions').check();
    await property.getByRole('button', { name: 'Save explanation' }).click();
    await property.getByText('Hidden', { exact: true }).waitFor();
    await property.locator('p', { hasText: 'The product that was ordered.' }).waitFor();
    await lookAt(page, 'dictionary-property');
    await page.reload();
    await property.getByText('Hidden', { exact: true }).waitFor();
  });

  it('runs SQL by keyboard, opens a row, and names the fault of a query', async () => {
    await open('/projects/prj_shop');
    await page.keyboard.press('g');
    await page.keyboard.press('q');
    await page.getByRole('heading', { name: 'SQL' }).waitFor();
    await page.getByRole('button', { name: 'Events by name' }).click();
    const rows = page.getByRole('table', { name: 'Rows' });
    const placed = rows.getByRole('button', { name: 'order placed' });
    // Events are archived within half a minute.
    const runAgain = async () => {
      await page.getByRole('button', { name: 'Run' }).click();
      return placed.count();
    };
    await expect.poll(runAgain, { timeout: 60_000, interval: 1_000 }).toBe(1);
    await placed.click();
    await page.getByRole('region', { name: /^Row / }).getByText('people').waitFor();
    await lookAt(page, 'sql');
    const query = page.getByLabel('Query');
    await query.fill("select traits->>'plan' as plan, count(*) as n from people group by all");
    await query.press('Control+Enter');
    await rows.getByRole('columnheader', { name: 'plan' }).waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toMatch(/^select traits/);
    await query.fill('select nothing from events');
    await query.press('Control+Enter');
    await page.getByRole('alert').getByText('Referenced column "nothing" not found').waitFor();
    await page.getByRole('button', { name: 'Copy as' }).waitFor();
    await page.goBack();
    await rows.getByRole('columnheader', { name: 'plan' }).waitFor();
  });

  it('shows on Home whether data arrives', async () => {
    await sendEvent('console event home');
    await open('/projects/prj_shop');
    await page.getByRole('heading', { name: 'Data' }).waitFor();
    await page.getByRole('img', { name: /^Events by minute of the last hour/ }).waitFor();
  });

  it('copies the calls of Home, a conversation and a new flag, which run as they are', async () => {
    const { base_url, project_id: project, tokens } = running.demo;
    const listed = await call('GET', `${base_url}/v1/projects/${project}/conversations`, {
      token: tokens.owner,
    });
    const [{ id }] = listed.body.conversations;
    await open(`/projects/${project}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    /** Runs the call of the open page in a shell. */
    const run = async () => {
      await page.getByRole('button', { name: 'Copy as' }).click();
      await page.getByRole('menuitem', { name: 'curl call' }).click();
      const code = z.string().parse(await page.evaluate('navigator.clipboard.readText()'));
      return JSON.parse((await execa('bash', ['-c', code], { env: { TOKEN: tokens.owner } })).stdout);
    };
    expect(await run()).toMatchObject({ minutes: expect.any(Array) });
    await page.goto(`${running.demo.console_url}/projects/${project}/inbox?open=${id}`);
    expect(await run()).toMatchObject({ id, turns: expect.any(Array) });
    await page.goto(`${running.demo.console_url}/projects/${project}/new-flag`);
    await page.getByLabel('Key').fill('from-a-shell');
    expect(await run()).toMatchObject({ key: 'from-a-shell', rolloutPercentage: 100 });
  });

  it('copies a command that lists the events of a page, which runs as it is', async () => {
    const { base_url, console_url, project_id: project, tokens } = running.demo;
    await open(`/projects/${project}/events?name=order+placed`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const program = await programFile('packages/tools/cli/src/main.ts');
    const env = { SWITCHBOARD_URL: base_url, SWITCHBOARD_TOKEN: tokens.owner };
    const run = async () => {
      await page.getByRole('button', { name: 'Copy as' }).click();
      await page.getByRole('menuitem', { name: 'switchboard command' }).click();
      const code = z.string().parse(await page.evaluate('navigator.clipboard.readText()'));
      const { stdout } = await execa('bash', ['-c', `switchboard() { node '${program}' "$@"; }\n${code}`], {
        env,
      });
      return stdout.split('\n');
    };
    // Events are archived within half a minute.
    await expect.poll(async () => (await run()).length, { timeout: 60_000 }).toBe(51);
    expect((await run())[1]).toContain('order placed');
    await page.goto(`${console_url}/projects/${project}/events?name=order+placed&person=o%27neil`);
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await run()).toHaveLength(1);
  });

  it('shows on Home which requests were rejected, why, and what to do', async () => {
    const { eu_api_url: url, project_key: key } = running.demo;
    const answer = await fetch(`${url}/v1/events`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: JSON.stringify({ sent_at: new Date().toISOString(), events: [] }),
    });
    expect(answer.status).toBe(400);
    await open('/projects/prj_shop');
    const row = page
      .getByRole('table', { name: 'Rejected requests' })
      .getByRole('row')
      .filter({ hasText: 'events: empty' });
    await row.waitFor();
    expect(await row.textContent()).toContain('Correct the call in your code.');
  });

  it('offers a sign-in in place when the session ended', async () => {
    await open('/projects/prj_shop/settings/members');
    await page.route('**/v1/companies/**', (route) =>
      route.fulfill({
        status: 401,
        json: { error: { code: 'UNAUTHORIZED', message: 'Invalid access token.' } },
      }),
    );
    await page.route('**/session/token', (route) => route.fulfill({ status: 401 }));
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).waitFor();
  });

  it('draws only the rows on screen of a list of 100,000', async () => {
    await open('/projects/prj_shop');
    await page.route('**/v1/companies/*/members*', (route) => route.fulfill(manyMembers(100_000)));
    await page.getByRole('link', { name: 'Members' }).click();
    const table = page.getByRole('table', { name: 'Members' });
    await table.waitFor();
    expect(await table.getAttribute('aria-rowcount')).toBe('100001');
    for (const part of [0, 0.5, 1]) {
      const row = Math.floor(part * 99_999);
      await table.evaluate((element, at) => {
        const list = element.parentElement;
        if (list !== null) list.scrollTop = at * (list.scrollHeight - list.clientHeight);
      }, part);
      await table.locator(`[data-row="${row}"]`).waitFor();
      const drawn = await table.locator('[data-row]').count();
      expect(drawn).toBeGreaterThan(5);
      expect(drawn).toBeLessThan(80);
    }
  });

  it('fits 320 px at 200% zoom and 2,560 px, and reads from right to left', async () => {
    await open('/projects/prj_shop');
    for (const path of ['', '/insights', '/flags', '/recordings/visit-361', '/settings/usage']) {
      await page.goto(`${running.demo.console_url}/projects/prj_shop${path}`);
      await page.locator('main h1').waitFor();
      for (const [direction, width] of [
        ['ltr', 320],
        ['ltr', 2_560],
        ['rtl', 390],
        ['rtl', 1_280],
      ] as const) {
        await page.setViewportSize({ width, height: 800 });
        const overflow = await page.evaluate(`{
          const root = document.documentElement;
          root.dir = '${direction}';
          root.scrollWidth - root.clientWidth;
        }`);
        expect(overflow, `${path} at ${width} px, ${direction}`).toBeLessThanOrEqual(0);
      }
    }
  });

  it('has no transitions and animations, also where motion is not reduced', async () => {
    await open('/projects/prj_shop/flags');
    await page.getByRole('table', { name: 'Flags' }).waitFor();
    const moving = `[...document.querySelectorAll('*')].filter((element) => {
      const { transitionDuration, animationDuration } = getComputedStyle(element);
      return /[1-9]/.test(transitionDuration + animationDuration);
    }).length`;
    expect(await page.evaluate(moving)).toBe(0);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search' }).waitFor();
    expect(await page.evaluate(moving)).toBe(0);
  });

  it('reads a page again by itself once the API answers', async () => {
    await open('/projects/prj_shop');
    const path = '**/v1/companies/*/members*';
    await page.route(path, (route) => route.abort());
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.getByText('The API cannot be reached. Check your connection.').waitFor();
    await page.unroute(path);
    await page.getByRole('table', { name: 'Members' }).waitFor();
    expect(await page.getByText('The API cannot be reached.').count()).toBe(0);
  });

  it('says why a page failed, with its request id, and tries again in place', async () => {
    await open('/projects/prj_shop');
    const path = '**/v1/companies/*/members*';
    await page.route(path, (route) =>
      route.fulfill({
        status: 500,
        headers: {
          'X-Request-Id': 'req-1',
          'Access-Control-Allow-Origin': '*',
          'Access-Control-Expose-Headers': '*',
        },
        json: { error: { code: 'INTERNAL', message: 'Internal error.' } },
      }),
    );
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    expect(await page.getByRole('alert').textContent()).toContain('req-1');
    await page.unroute(path);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table', { name: 'Members' }).waitFor();
  });
});
