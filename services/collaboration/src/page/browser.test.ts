import { eventually } from '@switchboard/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, openBrowser } from '../testing/browser.ts';
import { type Harness, startHarness } from '../testing/harness.ts';

const evil = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
const line = {
  kind: 'line',
  title: 'Daily sign-ups',
  unit: 'sign-ups',
  breakdown: 'Plan',
  buckets: Array.from({ length: 28 }, (_, day) => `2026-02-${String(day + 1).padStart(2, '0')}`),
  series: ['Free', 'Paid'].map((name, at) => ({
    name,
    values: Array.from({ length: 28 }, (_, day) => 100 - at * 50 + day),
  })),
};
const reports = {
  line,
  bar: { ...line, kind: 'bar', title: 'Weekly revenue' },
  funnel: {
    kind: 'funnel',
    title: 'Checkout',
    steps: ['Seen', 'In the basket', 'Paid'].map((name, at) => ({ name, count: 900 - at * 400 })),
  },
  grid: {
    kind: 'grid',
    title: 'Retention',
    unit: '%',
    periods: Array.from({ length: 10 }, (_, week) => `Week ${week}`),
    rows: ['First', 'Second'].map((name, at) => ({ name, size: 40, values: [100, 50 - at] })),
  },
  other: { anything: [{ a: 1, b: evil }] },
  hostile: { kind: 'bar', title: evil, unit: evil, buckets: [evil], series: [{ name: evil, values: [1] }] },
};
type Name = keyof typeof reports;

describe.skipIf(!hasChromium)('the page in a browser', () => {
  let harness: Harness;
  let browser: Browser;
  const tokens = new Map<string, string>();
  let addresses = 0;

  beforeAll(async () => {
    [harness, browser] = await Promise.all([startHarness(), openBrowser()]);
    const operator = harness.as('operator', ['service.manage']);
    const expiresOn = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
    for (const [id, report] of Object.entries(reports)) {
      await harness.directory.put('report', {
        projectId: 'shop',
        id,
        name: `Report ${id}`,
        publicAnnotations: true,
      });
      const runs = `/management/v1/projects/shop/reports/${id}/runs`;
      await eventually(async () => expect((await operator.call('POST', runs, { report })).status).toBe(201));
      const path = `/v1/projects/shop/reports/${id}/public-link`;
      tokens.set(id, (await harness.as('ada').call('PUT', path, { expiresOn })).body.token);
    }
    await harness.as('ada').call('POST', '/v1/projects/shop/annotations', {
      startsOn: '2026-02-10',
      endsOn: '2026-02-14',
      text: `Spring campaign ${evil}`,
      tags: ['marketing'],
    });
  });
  afterAll(async () => {
    await browser.close();
    await harness.stop();
  });

  let page: Page;
  let complaints: string[];
  let requests: string[];
  afterEach(() => page.close());

  async function open(name: Name, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const address = `10.9.0.${++addresses}`;
    page = await browser.newPage({ ...options, extraHTTPHeaders: { 'x-forwarded-for': address } });
    complaints = [];
    requests = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('dialog', (dialog) => complaints.push(`dialog ${dialog.message()}`));
    page.on('request', (request) => requests.push(request.url()));
    const response = await page.goto(`${harness.url}/shared/${tokens.get(name)}`);
    expect(response?.status()).toBe(200);
    return page;
  }

  const names = Object.keys(reports) as Name[];

  it.each(names)('%s: loads nothing else, and does not violate its policy', async (name) => {
    await open(name);
    expect(requests).toHaveLength(1);
    expect(complaints).toEqual([]);
    expect(await page.locator('script, img, iframe, link').count()).toBe(0);
  });

  it.each(names)('%s: fits a phone without scrolling sideways', async (name) => {
    await open(name, { viewport: { width: 390, height: 844 } });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });

  it.each(['line', 'bar', 'funnel', 'grid'] as const)(
    '%s: is a picture with a name, a description and a table of its values',
    async (name) => {
      await open(name);
      const picture = page.getByRole('img', { name: reports[name].title });
      expect(await picture.count()).toBe(1);
      const described = await picture.getAttribute('aria-describedby');
      expect(await page.locator(`#${described}`).textContent()).toMatch(
        /All values are in the table below\.$/,
      );
      expect(await page.getByRole('columnheader').count()).toBeGreaterThan(1);
      expect(await page.getByRole('rowheader').count()).toBeGreaterThan(1);
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(reports[name].title);
    },
  );

  it('shows one drawing at a time: the wide one on a screen and on paper, the narrow one on a phone', async () => {
    const visible = async () => [
      await page.locator('.wide').isVisible(),
      await page.locator('.narrow').isVisible(),
    ];
    await open('line', { viewport: { width: 390, height: 844 } });
    expect(await visible()).toEqual([false, true]);
    await page.emulateMedia({ media: 'print' });
    expect(await visible()).toEqual([true, false]);
    await page.setViewportSize({ width: 1100, height: 800 });
    await page.emulateMedia({ media: 'screen' });
    expect(await visible()).toEqual([true, false]);
  });

  it('follows the color scheme, drawing included, and prints light', async () => {
    const colours = () =>
      page.evaluate(`(() => {
        const of = (element, name) => getComputedStyle(element)[name];
        const line = document.querySelector('.wide svg path[stroke^="var(--series"]');
        return [of(document.body, 'backgroundColor'), of(document.body, 'color'), of(line, 'stroke')];
      })()`);
    await open('line', { colorScheme: 'light' });
    const light = await colours();
    expect(light).toEqual(['rgb(244, 245, 248)', 'rgb(27, 31, 42)', 'rgb(36, 80, 196)']);
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await colours();
    expect(dark).toEqual(['rgb(16, 19, 26)', 'rgb(233, 236, 243)', 'rgb(126, 162, 255)']);
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    expect(await colours()).toEqual(['rgb(255, 255, 255)', 'rgb(27, 31, 42)', 'rgb(36, 80, 196)']);
  });

  it('draws an annotation on its days, with its number in the list', async () => {
    await open('line');
    expect(await page.locator('.wide svg text', { hasText: /^1$/ }).count()).toBe(1);
    const item = page.getByRole('listitem').filter({ hasText: 'Spring campaign' });
    expect(await item.textContent()).toContain(`1Spring campaign ${evil}10 Feb 2026 – 14 Feb 2026`);
    const shade = await page.locator('.wide svg path[fill="var(--note)"]').first().boundingBox();
    const chart = await page.locator('.wide svg').boundingBox();
    if (shade === null || chart === null) throw new Error('not drawn');
    // Five days of 28.
    expect(shade.width / chart.width).toBeGreaterThan(4 / 30);
    expect(shade.width / chart.width).toBeLessThan(6 / 28);
  });

  it('draws a line per series, a bar per value, a funnel step and a grid cell each', async () => {
    const count = async (name: Name, selector: string) => {
      await open(name);
      const found = await page.locator(`.wide svg ${selector}`).count();
      if (name !== 'grid') await page.close();
      return found;
    };
    expect(await count('line', '.mark-line path')).toBe(2);
    expect(await count('bar', '.mark-rect path[fill^="var(--series"]')).toBe(56);
    expect(await count('funnel', '.mark-rect path[fill^="var(--series"]')).toBe(3);
    expect(await count('grid', '.mark-rect path[fill="var(--heat)"]')).toBe(4);
  });

  it('is usable with the keyboard: scrollable areas take a visible focus', async () => {
    await open('grid', { viewport: { width: 390, height: 844 } });
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(`(() => {
      const { className, scrollWidth, clientWidth } = document.activeElement;
      return { className, scrolls: scrollWidth > clientWidth, outline: getComputedStyle(document.activeElement).outlineStyle };
    })()`);
    expect(focused).toEqual({ className: 'scroll narrow', scrolls: true, outline: 'solid' });
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.evaluate('document.activeElement.scrollLeft')).toBeGreaterThan(0);
  });

  it('prints as pages with the whole table', async () => {
    await open('line');
    const pdf = await page.pdf({ format: 'A4' });
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length).toBeGreaterThan(1);
  });
});
