import { call, eventually, hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openConsole, violationsOf } from './testing/console.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();

describe.skipIf(!hasChromium)('the palette of the console', () => {
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

  async function open(path: string): Promise<void> {
    ({ page, problems } = await openConsole(browser, running.demo, path));
  }

  it('finds a page with Control and K', async () => {
    await open('/projects/prj_shop');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('audit');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/settings/audit');
  });

  it('finds everything with a name in the palette, grouped by kind, and opens it by keyboard', async () => {
    // The palette reads a list once, so the names must be known before.
    const { base_url, tokens } = running.demo;
    await eventually(
      async () => {
        const { body } = await call('GET', `${base_url}/v1/projects/prj_shop/event-names`, {
          token: tokens.owner,
        });
        expect(JSON.stringify(body)).toContain('product added to basket');
      },
      { withinMs: 60_000 },
    );
    await open('/projects/prj_shop');
    const search = page.getByRole('combobox', { name: 'Search' });
    const results = page.getByRole('listbox', { name: 'Results' });
    const found = (kind: string, name: string) =>
      results.getByRole('group', { name: kind }).getByRole('option', { name });
    await page.keyboard.press('Control+k');
    for (const [query, kind, name] of [
      ['navig', 'Flags', 'new-navigation'],
      ['funnel', 'Reports', 'Checkout funnel'],
      ['basket', 'Events', 'product added to basket'],
      ['beta', 'Cohorts', 'Beta testers'],
      ['visitor-13', 'People', 'visitor-13'],
      ['shop', 'Dashboards', 'Shop'],
      ['tokens', 'Pages', 'Access tokens'],
      // The names of settings find the page that has them.
      ['identity secret', 'Pages', 'Project settings'],
      ['retention', 'Pages', 'Usage'],
      ['office hours', 'Pages', 'Office hours'],
      ['visitor-68', 'Recordings', 'visit-361'],
    ] as const) {
      await search.fill(query);
      await found(kind, name).first().waitFor();
    }
    expect(await violationsOf(page)).toEqual([]);
    await search.fill('visitor-13');
    await found('People', 'visitor-13').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/people/visitor-13');
    await page.keyboard.press('Control+k');
    await found('Recent', 'visitor-13').waitFor();
    await search.fill('no such thing at all');
    await page.getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    await results.waitFor({ state: 'detached' });
  });

  it('searches the rest when people cannot be searched, and says so', async () => {
    await open('/projects/prj_shop');
    await page.route('**/people?*', (route) => route.fulfill({ status: 400, json: {} }));
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('navig');
    await page.getByRole('option', { name: 'new-navigation' }).waitFor();
    await page.getByText('Not searched: People').waitFor();
  });

  it('finds conversations by what was said in them, after a pause in typing', async () => {
    const { base_url, project_key: token } = running.demo;
    const opened = await call('POST', `${base_url}/v1/conversations`, {
      token,
      body: { distinctId: 'palette-visitor' },
    });
    const sent = await call('POST', `${base_url}/v1/conversations/${opened.body.conversationId}/turns`, {
      token,
      headers: { 'X-Service-Conversation-Token': opened.body.token },
      body: { body: 'The marmalade arrived in a broken jar.' },
    });
    expect(sent.status).toBe(201);
    await open('/projects/prj_shop');
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (request.method() === 'GET' && pathname.endsWith('/conversation-search'))
        asked.push(searchParams.get('text') ?? '');
    });
    const search = page.getByRole('combobox', { name: 'Search' });
    const found = page
      .getByRole('listbox', { name: 'Results' })
      .getByRole('group', { name: 'Conversations' })
      .getByRole('option');
    await page.keyboard.press('Control+k');
    await search.pressSequentially('marmalade jar');
    await expect.poll(() => found.first().textContent()).toContain('marmalade arrived in a broken jar');
    // One or two letters are no search.
    expect(asked.filter((text) => text.length < 3)).toEqual([]);
    expect(asked.at(-1)).toBe('marmalade jar');
    await search.fill('palette-visitor');
    await found.filter({ hasText: 'palette-visitor' }).first().waitFor();
    await search.fill('marmalade');
    await expect.poll(() => found.first().textContent()).toContain('marmalade arrived');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/inbox?open=${opened.body.conversationId}`);
    await page.getByRole('region', { name: 'Time line' }).getByText('The marmalade arrived').waitFor();
  });

  it('asks for no kind that a role may not read', async () => {
    await open('/projects/prj_shop');
    await page.route('**/v1/me', async (route) => {
      const answer = await route.fetch();
      const me = await answer.json();
      for (const company of me.companies) company.permissions = ['directory.read'];
      await route.fulfill({ json: me });
    });
    await page.reload();
    await page.locator('main h1').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('shop');
    await page.getByRole('option', { name: 'Shop' }).first().waitFor();
    await page.getByText('Searching').waitFor({ state: 'detached' });
    for (const kind of ['people', 'replays', 'conversations', 'conversation-search', 'flags', 'cohorts'])
      expect(asked.filter((path) => path.endsWith(`/${kind}`))).toEqual([]);
  });
});
