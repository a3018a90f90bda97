import axe from 'axe-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { z } from 'zod';
import type { DemoJson } from './launch.ts';

export interface ConsolePage {
  page: Page;
  /** Errors of the page, and violations of its policy. */
  problems: string[];
  context: BrowserContext;
}

interface ConsoleOptions {
  /** The access token that takes the place of a sign-in. Default: the token of the demo's owner. */
  token?: string;
  colorScheme?: 'light' | 'dark';
  width?: number;
  height?: number;
}

/** Opens a page of standalone's console, such as `/projects/prj_shop/flags`. */
export async function openConsole(
  browser: Browser,
  demo: DemoJson,
  path: string,
  { token = demo.tokens.owner, colorScheme = 'light', width = 1280, height = 800 }: ConsoleOptions = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({ colorScheme, viewport: { width, height } });
  // Without a session, standalone leads from a report to its public page.
  await context.addCookies([{ name: 'switchboard_console', value: 'token', url: demo.console_url }]);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) problems.push(message.text());
  });
  await page.route('**/session/token', (route) =>
    route.fulfill({
      json: {
        accessToken: token,
        expiresInSeconds: 3600,
        hosts: { api: demo.base_url, events: demo.eu_api_url, replay: demo.eu_replay_url },
      },
    }),
  );
  await page.goto(demo.console_url + path);
  await page.locator('main h1').waitFor();
  return { page, problems, context };
}

/**
 * Collects and sends violations only, without selectors of elements: the elements that comply are many, and each takes
 * time.
 */
const CHECK = `axe
  .run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'], selectors: false })
  .then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`;

/** Returns the rules of accessibility that the page violates, each with the elements. */
export async function violationsOf(page: Page): Promise<string[]> {
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(axe.source);
  return z.array(z.string()).parse(await page.evaluate(CHECK));
}

/** A folder for pictures of the pages that `lookAt` checks. */
const PICTURES = process.env['CONSOLE_PICTURES'];
const PICTURE_WIDTHS = [1920, 1280, 768, 390];

/**
 * Checks that a page violates no rule of accessibility and does not scroll sideways: in the light scheme, and at
 * the last width in the dark one, because colours do not depend on the width. With CONSOLE_PICTURES, it checks both
 * schemes at four widths and takes a picture of each. Leaves the page light, at 1280 x 800 px.
 */
export async function lookAt(page: Page, name: string, widths: readonly number[] = [1280, 390]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const checked = colorScheme === 'light' ? widths.slice(0, -1) : widths.slice(-1);
    for (const width of PICTURES === undefined ? checked : PICTURE_WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const place = `${name} at ${width}, ${colorScheme}`;
      if (PICTURES !== undefined)
        await page.screenshot({ path: `${PICTURES}/${name}-${width}-${colorScheme}.png`, fullPage: true });
      expect(await violationsOf(page), place).toEqual([]);
      expect(await page.evaluate(EXCESS), place).toBeLessThanOrEqual(0);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 800 });
}

const EXCESS = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

const MAX_TABS = 150;

/** Presses Tab until the element has the focus. Throws if it never does. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  const isFocused = () => target.evaluate((element) => element === element.ownerDocument.activeElement);
  for (let times = 0; times < MAX_TABS; times++) {
    if (await isFocused()) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('Tab does not reach the element');
}
