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
  const context = await browser.newContext({ viewport: { width: 1280, height: 880 } });
  const page = await context.newPage();
  await page.goto(demo.console_url);
  await page.locator('form[action$="/as/user_ines"] button').click();
  for (const [name, go] of Object.entries(PICTURES)) {
    await page.goto(demo.console_url);
    await page.waitForURL('**/projects/**');
    await go(page);
    await page.locator('main h1').waitFor();
    await page.waitForTimeout(3 * SETTLE_MS);
    await page.screenshot({ path: `docs/pictures/${name}.png` });
  }
  await context.close();
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

/** Makes screenshots of every page of a running standalone, at each width and in both schemes. */
async function everyPage(browser: Browser): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.goto(demo.console_url);
    await page.locator('form[action$="/as/user_ines"] button').click();
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    await links.first().waitFor();
    const rail = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
    const project = /^\/projects\/[^/]+/.exec(rail[0] ?? '')?.[0] ?? '';
    for (const path of [...rail, ...FURTHER.map((one) => project + one)]) {
      await page.goto(demo.console_url + path);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        await page.locator('main h1').waitFor();
        // A page with a stream never becomes idle.
        await page.waitForTimeout(SETTLE_MS);
        const name = path.split(/[/?=]/).slice(3).join('-') || 'home';
        await page.screenshot({ path: join(FOLDER, `${name}-${width}-${colorScheme}.png`) });
      }
    }
    await context.close();
  }
  console.log(`screenshots are in ${FOLDER}`);
}

const browser = await openBrowser();
await (process.argv[2] === 'pictures' ? pictures(browser) : everyPage(browser));
await browser.close();
