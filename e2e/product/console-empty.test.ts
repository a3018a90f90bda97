import { hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConsole, violationsOf } from './testing/console.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();

/** Empty states without a next step: no link, button, field or code in them, or in the section that they are in. */
const WITHOUT_STEP = `[...document.querySelectorAll('main [data-empty]')]
  .filter((empty) => {
    const part = empty.closest('main section') ?? empty;
    return part.querySelector('a[href], button, input, pre') === null;
  })
  .map((empty) => empty.textContent)`;

/** Pages below the project that are empty without data. */
const EMPTY = [
  ...['', '/insights', '/dashboards', '/events', '/dictionary', '/people', '/groups', '/cohorts'],
  ...['/recordings', '/flags', '/flag-requests', '/inbox', '/messages'],
  ...[
    '/settings/members',
    '/settings/project',
    '/settings/sign-in',
    '/settings/webhooks',
    '/settings/imports',
    '/alerts',
  ],
  '/subscriptions',
];

describe.skipIf(!hasChromium)('a project without data in the console', () => {
  let browser: Browser;
  let page: Page;
  let problems: string[];
  beforeAll(async () => {
    browser = await openBrowser();
    ({ page, problems } = await openConsole(browser, running.demo, '/projects/prj_shop'));
  });
  afterAll(() => browser?.close());

  it('is created on Home, and shows the code that sends its first event', async () => {
    await page.getByRole('button', { name: 'Create project' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create project' });
    await dialog.getByLabel('Name').fill('Empty shop');
    expect(await dialog.getByLabel('Region').inputValue()).toBe('eu');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create project' }).click();
    await page.waitForURL(/\/projects\/empty-shop-\w+\/settings\/keys/);
    await page.getByRole('region', { name: 'the snippet' }).getByText('pk_eu_').waitFor();
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Send the first event' }).waitFor();
  });

  it('names the next step in every empty list of every page', async () => {
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    const paths = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
    expect(paths.length).toBeGreaterThan(20);
    const project = /^\/projects\/[^/]+/.exec(paths[0] ?? '')?.[0] ?? '';
    for (const path of [...paths, `${project}/flag-requests`]) {
      await page.goto(running.demo.console_url + path);
      await page.locator('main h1').waitFor();
      if (EMPTY.includes(path.slice(project.length)))
        await page.locator('main [data-empty]').first().waitFor();
      await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
      expect(await page.evaluate(WITHOUT_STEP), path).toEqual([]);
    }
    expect(problems).toEqual([]);
  }, 240_000);
});
