import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openBrowser } from '@switchboard/testkit';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';

const WIDTHS = [390, 768, 1280, 1920];
/** The time that charts and lists get to be drawn. */
const SETTLE_MS = 1_000;
const HOME = process.env['SWITCHBOARD_HOME'] || '.switchboard';
const FOLDER = join(HOME, 'screenshots');
const OPERATOR = '/operator';
const demo = z
  .object({ console_url: z.string() })
  .parse(JSON.parse(await readFile(join(HOME, 'demo.json'), 'utf8')));

/** The pictures of README.md, by the steps from Home. */
const PICTURES: Record<string, (page: Page) => Promise<unknown>> = {
  insights: async (page) => {
    await page.getByRole('link', { name: 'Insights' }).click();
    await page.getByLabel('Event', { exact: true }).fill('product seen');
    await page.getByLabel('Event', { exact: true }).press('Enter');
    await page.getByLabel('Break down by').scrollIntoViewIfNeeded();
  },
  dashboard: (page) => page.getByRole('link', { name: 'Shop', exact: true }).click(),
  flag: async (page) => {
    await page.getByRole('link', { name: 'Flags' }).click();
    await page.getByRole('button', { name: 'pro-dashboard' }).click();
  },
  person: async (page) => {
    await page.getByRole('link', { name: 'People' }).click();
    await page.locator('[data-row] :is(a, button)').first().click();
  },
};

/** Makes the pictures of README.md. */
async function pictures(browser: Browser): Promise<void> {
  const page = await signedIn(browser, 'light', 'user_ines');
  await page.setViewportSize({ width: 1280, height: 880 });
  for (const [name, go] of Object.entries(PICTURES)) {
    await page.goto(demo.console_url);
    await page.waitForURL('**/projects/**');
    await go(page);
    await page.locator('main h1').waitFor();
    await page.waitForTimeout(3 * SETTLE_MS);
    await page.screenshot({ path: `docs/pictures/${name}.png` });
  }
  await page.context().close();
}

/** Pages that no link of the rail leads to, and pages with an open entry. */
const FURTHER = [
  '/reports/rep_orders',
  '/dashboards/shop',
  '/flags/pro-dashboard',
  '/reports/rep_purchases',
  '/new-flag',
  '/inbox/preferences',
  '/dictionary?open=order+placed',
  '/flag-requests',
  '/cohorts?open=new',
  '/people/visitor-68',
  '/recordings/visit-361?at=53',
  '/settings/members?open=user_mei',
];

/** Signs a person of the demo in. Returns the page that follows. */
async function signedIn(browser: Browser, colorScheme: 'light' | 'dark', person: string): Promise<Page> {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(demo.console_url);
  await page.locator(`form[action$="/as/${person}"] button`).click();
  return page;
}

/** Returns the addresses of the rail. */
async function railOf(page: Page): Promise<string[]> {
  const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
  await links.first().waitFor();
  return links.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
}

/** Makes screenshots of pages that have loaded, at each width. */
async function shoot(page: Page, paths: readonly string[], scheme: string): Promise<void> {
  for (const path of paths) {
    await page.goto(demo.console_url + path);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      await page.locator('main h1').waitFor();
      // A page with a stream never becomes idle.
      await page.waitForTimeout(SETTLE_MS);
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
      const name = path.split(/[/?=]/).slice(path.startsWith(OPERATOR) ? 1 : 3);
      await page.screenshot({ path: join(FOLDER, `${name.join('-') || 'home'}-${width}-${scheme}.png`) });
    }
  }
  await page.context().close();
}

/** Makes screenshots of every page of a running standalone, at each width and in both schemes. */
async function everyPage(browser: Browser): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  for (const scheme of ['light', 'dark'] as const) {
    const member = await signedIn(browser, scheme, 'user_ines');
    const rail = await railOf(member);
    const project = /^\/projects\/[^/]+/.exec(rail[0] ?? '')?.[0] ?? '';
    await shoot(member, [...rail, ...FURTHER.map((one) => project + one)], scheme);
    const operator = await signedIn(browser, scheme, 'user_platform');
    await shoot(operator, [...(await railOf(operator)), `${OPERATOR}/companies?open=co_lumen`], scheme);
  }
  console.log(`screenshots are in ${FOLDER}`);
}

const browser = await openBrowser();
await (process.argv[2] === 'pictures' ? pictures(browser) : everyPage(browser));
await browser.close();
