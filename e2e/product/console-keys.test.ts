import { call, hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lookAt, openConsole } from './testing/console.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();

/** The buttons in these parts of a page need no key of their own. Each has another one. */
const PARTS = {
  'form, fieldset, search': 'Tab, from field to field',
  'table, li': 'j and k, from row to row',
  figure: 'the arrow keys, along a chart',
  article: 'Tab: one of several comments or turns',
};
/** Further buttons without a key of their own. */
const BUTTONS = {
  Undo: 'Ctrl+Z',
  Redo: 'Ctrl+Shift+Z',
  'Resolve thread': 'e on the row of the thread',
  'Add text': 'Tab, after the field with the text',
  'Set one range for all tiles': 'Tab, among the filters',
  'Add condition': 'Tab, among the conditions',
};
/** Copies the value that is beside it. */
const COPIES = /^Copy (?!as$)/;

const WITHOUT_KEY = `[...document.querySelectorAll('main button:enabled:not([aria-keyshortcuts])')]
  .filter((one) => one.checkVisibility() && one.closest('${Object.keys(PARTS).join(', ')}') === null)
  .map((one) => one.ariaLabel ?? one.textContent)`;

/** Keys of two actions. An empty list may repeat the action of its page. */
const CLASHES = `Object.entries(Object.groupBy(
  [...document.querySelectorAll('main [aria-keyshortcuts]')].filter(
    (one) => one.checkVisibility() && !one.matches(':disabled') && one.closest('[data-empty], form') === null),
  (one) => one.getAttribute('aria-keyshortcuts')))
  .filter(([, all]) => all.length > 1)
  .map(([key, all]) => key + ': ' + all.map((one) => one.ariaLabel ?? one.textContent).join(', '))`;

/** The time in which a page begins to load its parts. */
const SETTLE_MS = 300;
const LOADING = { name: 'Loading' };

/** Pages below the project that no link of the rail leads to, and open entries. */
const FURTHER = [
  ...['/reports/rep_orders', '/dashboards/shop', '/new-flag', '/inbox/preferences', '/cohorts?open=new'],
  ...['/flags/pro-dashboard', '/flags/pro-dashboard?view=people', '/flags/pro-dashboard?view=history'],
  ...['/flags/pro-dashboard?view=usage', '/flags/pro-dashboard?view=code', '/flag-requests'],
  ...['/dictionary?open=order+placed', '/people/visitor-68', '/recordings/visit-361', '/sql?q=SELECT+1'],
  ...['/settings/members?open=user_mei', '/settings/webhooks?open=stock', '/alerts?open=orders'],
  '/subscriptions?open=weekly',
];

describe.skipIf(!hasChromium)('the keys of the console', () => {
  let browser: Browser;
  let page: Page;
  let problems: string[];
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    ({ page, problems } = await openConsole(browser, running.demo, '/projects/prj_shop'));
  });
  afterEach(async () => {
    await page.context().close();
    expect(problems).toEqual([]);
  });

  const open = async (path: string) => {
    await page.goto(`${running.demo.console_url}/projects/prj_shop${path}`);
    await settled();
  };
  const settled = async () => {
    await page.locator('main h1').waitFor();
    await page.waitForTimeout(SETTLE_MS);
    await expect.poll(() => page.getByRole('status', LOADING).count(), { timeout: 30_000 }).toBe(0);
  };

  it('are a key of its own for every action of every page', async () => {
    const { base_url, tokens } = running.demo;
    const put = async (path: string, body: object) => {
      const address = `${base_url}/v1/projects/prj_shop/${path}`;
      expect([path, (await call('PUT', address, { token: tokens.owner, body })).status]).toEqual([path, 200]);
    };
    const series = [{ event: 'order placed' }];
    await put('alerts/orders', {
      name: 'Orders collapse',
      query: { kind: 'trends', range: { last: 30, unit: 'day' }, series },
      rule: { kind: 'missing' },
    });
    await put('subscriptions/weekly', {
      target: { kind: 'report', id: 'rep_orders' },
      schedule: { every: 'week', on: 1, at: '08:30', timeZone: 'UTC' },
      recipients: ['user_ines'],
    });
    await put('webhooks/stock', { url: 'https://hooks.example.com/', types: ['flag.changed'] });
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    const rail = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
    expect(rail.length).toBeGreaterThan(20);
    let keys = 0;
    for (const path of [...rail.map((one) => one.replace('/projects/prj_shop', '')), ...FURTHER]) {
      await open(path);
      const found: unknown = await page.evaluate(WITHOUT_KEY);
      const names = Array.isArray(found) ? found.map(String) : [];
      expect(
        names.filter((name) => !(name in BUTTONS) && !COPIES.test(name)),
        path,
      ).toEqual([]);
      expect(await page.evaluate(CLASHES), path).toEqual([]);
      keys += await page.locator('main [aria-keyshortcuts]').count();
    }
    expect(keys).toBeGreaterThan(100);
  }, 300_000);

  it('go to a page with g and a letter, and to one that belongs to it with Shift', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('Shift+B');
    await page.getByRole('heading', { level: 1, name: 'Inbox report' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('Shift+S');
    await page.getByRole('heading', { level: 1, name: 'Single sign-on' }).waitFor();
  });

  it('take an action of a report, but not while a text is edited, and open what can be copied', async () => {
    await open('/reports/rep_orders');
    const dialog = page.getByRole('dialog', { name: 'Share report' });
    await page.keyboard.press('s');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const comment = page.getByRole('textbox', { name: 'Comment on the report' });
    await comment.press('s');
    expect([await comment.inputValue(), await dialog.count()]).toEqual(['s', 0]);
    await comment.blur();
    await page.getByRole('button', { name: 'Copy as' }).waitFor();
    await page.keyboard.press('y');
    const curl = page.getByRole('menuitem', { name: 'curl call' });
    await expect.poll(() => curl.getAttribute('data-active-item')).not.toBeNull();
    // The keys of the page rest while the menu is open.
    await page.keyboard.press('s');
    expect(await dialog.count()).toBe(0);
  });

  it('do nothing for an action that is disabled', async () => {
    await open('/insights');
    await page.keyboard.press('c');
    expect(await page.getByRole('dialog').count()).toBe(0);
    const save = page.getByRole('button', { name: 'Save report' });
    expect([await save.isDisabled(), await save.getAttribute('title')]).toEqual([true, 'Key: c']);
  });

  it('are listed with those of the page first, and the pages in columns', async () => {
    await open('/reports/rep_orders');
    await page.keyboard.press('Shift+?');
    const list = page.getByRole('dialog', { name: 'Keys' });
    await expect.poll(() => list.locator('dt').allTextContents()).toContain('Share');
    const titles = await list.locator('dt').allTextContents();
    expect(titles.indexOf('Share')).toBeLessThan(titles.indexOf('Search'));
    const links = page.getByRole('navigation', { name: 'Pages', includeHidden: true }).locator('a');
    const hrefs = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
    const pages = list.locator('dl').last().locator('dt');
    expect(await pages.count()).toBeGreaterThanOrEqual(hrefs.length);
    await lookAt(page, 'keys');
  });
});
