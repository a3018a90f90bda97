import { readFile } from 'node:fs/promises';
import { hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lookAt, openConsole, tabTo } from './testing/console.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();

/** The table of a result. */
const values = (page: Page) => page.getByRole('region', { name: 'Values' });

describe.skipIf(!hasChromium)('insights and dashboards in the console', () => {
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

  /** Opens a page as the demo's owner. A token takes the place of the sign-in. */
  async function open(path: string): Promise<void> {
    const { demo } = running;
    const address = `/projects/${demo.project_id}${path}`;
    ({ page, problems } = await openConsole(browser, demo, address));
  }

  const look = (name: string) => lookAt(page, name);

  const series = (number: number) => page.getByRole('group', { name: `Event ${number}` });

  it('draws a query while one types, opens the people of a value, and saves it as a report', async () => {
    await open('/insights');
    await page.getByText('Choose an event to see a chart.').waitFor();
    await series(1).getByLabel('Event').fill('order placed');
    await series(1).getByLabel('Measure').selectOption('people');
    const values = page.getByRole('region', { name: 'Values' });
    await values.getByRole('columnheader', { name: 'order placed' }).waitFor();
    await page.getByRole('img', { name: /^Insight\. order placed/ }).waitFor();
    await look('insights');
    await values
      .getByRole('button', { name: /: [1-9]\d*\. Show people/ })
      .last()
      .click({ timeout: 60_000 });
    const people = page.getByRole('region', { name: 'People behind the value' });
    await expect.poll(() => people.getByRole('row').count()).toBeGreaterThan(1);
    await look('insights-people');
    await page.getByRole('button', { name: 'Save report' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('People who order');
    await page.getByRole('dialog').getByRole('button', { name: 'Save report' }).click();
    await page.getByRole('heading', { level: 1, name: 'People who order' }).waitFor();
    await page.getByRole('columnheader', { name: 'order placed' }).waitFor();
    await look('report');
    await page.getByText('History of runs').click();
    const runs = page.getByRole('table', { name: 'Runs' });
    await runs.getByText('succeeded').first().waitFor({ timeout: 60_000 });
    await runs.getByRole('button').first().click();
    await page.getByRole('img', { name: /^Run\. order placed/ }).waitFor();
    await look('report-history');
  });

  it('builds a funnel and saves it by keyboard alone', async () => {
    await open('/insights');
    const step = (number: number) =>
      page.getByRole('group', { name: `Step ${number}` }).getByLabel('Event', { exact: true });
    await tabTo(page, page.getByRole('button', { name: 'Funnel', exact: true }));
    await page.keyboard.press('Enter');
    for (const [at, event] of ['product seen', 'order placed'].entries()) {
      await tabTo(page, step(at + 1));
      await page.keyboard.type(event);
    }
    const values = page.getByRole('region', { name: 'Values' });
    await values.getByRole('rowheader', { name: 'order placed' }).waitFor({ timeout: 60_000 });
    await tabTo(page, page.getByRole('button', { name: 'Download CSV' }));
    await page.keyboard.press('c');
    const name = page.getByRole('dialog', { name: 'Save report' }).getByLabel('Name');
    await tabTo(page, name);
    await page.keyboard.type('From product to order');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'From product to order' }).waitFor();
    await values.getByRole('rowheader', { name: 'order placed' }).waitFor({ timeout: 60_000 });
  });

  it('draws the goal of a trend above its values', async () => {
    await open('/insights');
    await series(1).getByLabel('Event').fill('order placed');
    await page.getByLabel('Goal', { exact: true }).fill('9999');
    await page.getByLabel('Label of the goal').fill('Plan');
    const chart = page.getByRole('img', { name: /^Insight\. order placed.*; Plan: 9,999$/ });
    await chart.getByText('Plan: 9,999').waitFor();
    const [line, drawing] = await Promise.all([
      chart.locator('g:has(> text:text("Plan: 9,999")) > line').boundingBox(),
      chart.boundingBox(),
    ]);
    expect(line?.y).toBeGreaterThanOrEqual(drawing?.y ?? Number.NaN);
    await look('insights-goal');
  });

  it('shows a trend as stacked areas, as a pie, as a number and as a table', async () => {
    await open('/insights');
    await series(1).getByLabel('Event').fill('order placed');
    await page.getByLabel('Break down by').fill('product');
    await page.getByLabel('Compare with').selectOption('previous');
    const display = page.getByLabel('Display', { exact: true });
    const chart = page.getByRole('img', { name: /^Insight\. / });
    await display.selectOption('area');
    await chart.locator('path[fill-opacity]').first().waitFor();
    await look('insights-area');
    await display.selectOption('pie');
    const shares = page.getByRole('list', { name: 'Shares' });
    await shares.getByRole('listitem').first().getByText('%').waitFor();
    await page.getByRole('img', { name: /^Insight\. .*: [\d.]+%/ }).waitFor();
    const parts = (await shares.locator('strong').allTextContents()).map((text) => Number.parseFloat(text));
    expect(parts.length).toBeGreaterThan(2);
    expect(Math.round(parts.reduce((sum, part) => sum + part, 0))).toBe(100);
    expect(parts).toEqual(parts.toSorted((one, other) => other - one));
    await page.getByRole('region', { name: 'Values' }).waitFor();
    await look('insights-pie');
    await display.selectOption('number');
    const number = page.getByRole('list', { name: 'Insight' });
    await number.getByText('Total').waitFor();
    expect(await number.locator('strong').textContent()).toMatch(/^[1-9]/);
    expect(await chart.count()).toBe(0);
    await look('insights-number');
    await display.selectOption('table');
    await number.waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Values' }).waitFor();
    expect(await chart.count()).toBe(0);
    await look('insights-table');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    const [titles, first] = (await readFile(await file.path(), 'utf8')).split('\r\n');
    expect([titles, first]).toEqual([
      expect.stringMatching(/^\ufeff""(,"[^"]+")+$/),
      expect.stringMatching(/^"\d{4}-\d\d-\d\d"(,\d+)+$/),
    ]);
  });

  it('shows a trend as a map of countries, by mouse and by keyboard, with names in the table and codes in the file', async () => {
    const { eu_api_url, project_key } = running.demo;
    const countries = Object.entries({ US: 40, DE: 20, FR: 9, SG: 4, 'New Zealand': 2, MT: 1 });
    const events = countries.flatMap(([country, count]) =>
      Array.from({ length: count }, (_, at) => ({
        event_id: `map ${country} ${at}`,
        event_name: 'map opened',
        distinct_id: `${country} ${at}`,
        timestamp: new Date().toISOString(),
        schema_version: 1,
        properties: { country },
      })),
    );
    const accepted = await fetch(`${eu_api_url}/v1/events`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${project_key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ sent_at: new Date().toISOString(), events }),
    });
    expect(accepted.status).toBe(202);
    await open('/insights');
    await series(1).getByLabel('Event').fill('map opened');
    await series(1).getByLabel('Measure').selectOption('people');
    await page.getByLabel('Display', { exact: true }).selectOption('map');
    expect(await page.getByLabel('Break down by').inputValue()).toBe('country');
    const largest = 'United States: 40; Germany: 20; France: 9; Singapore: 4; Malta: 1';
    const map = page.getByRole('img', { name: `Insight. ${largest}`, exact: true });
    await map.waitFor({ timeout: 60_000 });
    expect(await page.locator('figcaption').textContent()).toBe(
      'By country: 1 2 – 4 5 – 9 10 – 19 20 – 40and 1 more in the table',
    );
    expect(await values(page).getByRole('rowheader').allTextContents()).toEqual([
      ...['United States', 'Germany', 'France', 'Singapore', 'New Zealand', 'Malta'],
    ]);
    await look('insights-map');

    const shown = page.getByRole('status').filter({ has: page.locator('strong') });
    await map.focus();
    for (const country of ['United States40', 'Germany20']) {
      await page.keyboard.press('ArrowRight');
      await expect
        .poll(async () => (await shown.textContent())?.replace(/\s/g, ''))
        .toBe(country.replace(' ', ''));
    }
    await page.keyboard.press('Enter');
    const people = page.getByRole('region', { name: 'People behind the value' });
    await expect.poll(() => people.getByRole('row').count()).toBe(21);
    await people.getByRole('button', { name: 'Close' }).click();
    await values(page).getByRole('button', { name: 'New Zealand: 2. Show people' }).click();
    await expect.poll(() => people.getByRole('row').count()).toBe(3);
    await people.getByRole('button', { name: 'Close' }).click();
    // The dot of Singapore is drawn before that of Malta, which is smaller.
    await map.locator('path[class*="dot"]').last().click({ force: true });
    await expect.poll(() => people.getByRole('row').count()).toBe(5);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    const rows = (await readFile(await file.path(), 'utf8')).split('\r\n');
    expect(rows.slice(1, 3)).toEqual(['"US",40', '"DE",20']);
  });

  it('draws series of different units in charts of their own, and adds up the values that can be', async () => {
    await open('/insights');
    await series(1).getByLabel('Event').fill('order placed');
    await page.getByRole('button', { name: 'Add series' }).click();
    await series(2).getByLabel('Event', { exact: true }).fill('order placed');
    await series(2).getByLabel('Measure').selectOption('people');
    const chart = page.getByRole('img', { name: /^Insight\. / });
    await expect.poll(() => chart.count()).toBe(2);
    for (const [at, unit] of ['events', 'people'].entries())
      await chart.nth(at).getByText(unit, { exact: false }).first().waitFor();
    const total = page.getByRole('region', { name: 'Values' }).getByRole('row', { name: /^Total/ });
    expect(await total.getByRole('cell').last().textContent()).toBe('–');
    await chart.nth(1).focus();
    await page.keyboard.press('Enter');
    const people = page.getByRole('region', { name: 'People behind the value' });
    await people.waitFor();
    await look('insights-units');
  });

  it('annotates a day on the axis by mouse and by keyboard, and shows each as a number above the plot', async () => {
    const add = async (text: string) => {
      await page.getByRole('dialog', { name: 'Add annotation' }).getByLabel('Text').fill(text);
      await page.keyboard.press('Enter');
      await page.getByRole('list', { name: 'Annotations' }).getByText(text).waitFor();
    };
    await open('/insights');
    await series(1).getByLabel('Event').fill('order placed');
    const chart = page.getByRole('img', { name: /^Insight\. order placed/ });
    await chart
      .getByText(/^Annotate /)
      .first()
      .waitFor({ state: 'attached' });
    await chart
      .locator('rect', { hasText: /^Annotate / })
      .nth(2)
      .click();
    await add('Sale begins');
    await chart.focus();
    await page.keyboard.press('End');
    for (let times = 0; times < 3; times++) await page.keyboard.press('ArrowLeft');
    const shown = await page.getByRole('status').filter({ hasText: 'order placed: ' }).textContent();
    await page.keyboard.press('a');
    await page.getByRole('dialog', { name: 'Add annotation' }).waitFor();
    expect(shown).toContain(await page.getByLabel('Day', { exact: true }).inputValue());
    await add('Sale ends');
    // The demo may have an annotation of the same day, which is in the same title.
    await expect
      .poll(async () => (await chart.locator('g > title').allTextContents()).join('\n').split('\n'))
      .toEqual(expect.arrayContaining(['Sale begins', 'Sale ends']));
    await look('insights-annotations');
  });

  it.each(['Funnel', 'Paths', 'Retention', 'Stickiness', 'Lifecycle'])(
    'draws a query of the kind %s',
    async (kind) => {
      await open('/insights');
      await series(1).getByLabel('Event').fill('product seen');
      await page.getByRole('button', { name: kind, exact: true }).click();
      if (kind === 'Funnel') {
        const second = page.getByRole('group', { name: 'Step 2' });
        await second.getByLabel('Event').fill('order placed');
      }
      if (kind === 'Retention') {
        const back = page.getByRole('group', { name: 'Return event' });
        await back.getByLabel('Event').fill('order placed');
      }
      await page.getByRole('button', { name: 'Download CSV' }).waitFor();
      if (kind === 'Paths') {
        const seen = page.getByRole('region', { name: 'Insight' }).getByRole('button').first();
        await seen.focus();
        await page.keyboard.press('Enter');
        await page.getByRole('region', { name: 'People behind the value' }).getByRole('row').nth(1).waitFor();
      }
      if (kind === 'Funnel') {
        await values(page)
          .getByRole('button', { name: /^People, / })
          .first()
          .waitFor();
        expect(
          await values(page)
            .getByRole('button', { name: /^Median time, / })
            .count(),
        ).toBe(0);
        await values(page)
          .getByRole('cell', { name: /^\d+ (sec|min)/ })
          .first()
          .waitFor();
      }
      await look(kind.toLowerCase());
      if (kind !== 'Funnel') return;
      await page.getByRole('button', { name: 'Add step' }).click();
      await page.getByRole('group', { name: 'Step 3' }).getByLabel('Event').fill('product seen');
      await page.getByRole('button', { name: 'Exclude an event between the steps' }).click();
      const excluded = page.getByRole('group', { name: 'Excluded event 1' });
      await excluded.getByLabel('Event', { exact: true }).fill('product added to basket');
      await page.getByRole('rowheader', { name: 'product seen (2)' }).waitFor();
      const people = values(page).getByRole('row').nth(2).getByRole('cell').first();
      await expect.poll(() => people.textContent()).toBe('0');
      await excluded.getByLabel('After').selectOption('Step 2');
      await expect.poll(() => people.textContent()).not.toBe('0');
      expect(await excluded.getByLabel('Before').inputValue()).toBe('2');
      await look('funnel-excluded');
      await page.getByRole('button', { name: 'Remove Excluded event 1' }).click();
      const third = values(page).getByRole('row').nth(3).getByRole('cell').first();
      const before = Number(await third.textContent());
      await page.getByRole('group', { name: 'Step 2' }).getByLabel('Optional step').check();
      await page.getByRole('rowheader', { name: 'order placed (optional)' }).waitFor();
      await expect.poll(async () => Number(await third.textContent())).toBeGreaterThan(before);
      await look('funnel-optional');
      await page.getByRole('button', { name: 'Remove Step 3' }).click();
      await page.getByLabel('Order of the steps').selectOption('any');
      await page.getByRole('rowheader', { name: '2 steps' }).waitFor();
      await page.getByLabel('Show', { exact: true }).selectOption('over_time');
      await page.getByRole('img', { name: /^Insight\. order placed/ }).waitFor();
      await look('funnel-over-time');
      await values(page)
        .getByRole('button', { name: /: [1-9][\d.]*\. Show people/ })
        .last()
        .click();
      const behind = page.getByRole('region', { name: 'People behind the value' });
      await behind.getByLabel('Reached the last step').waitFor();
      await behind.getByRole('row').nth(1).waitFor();
      await behind.getByRole('button', { name: 'Close' }).click();
      await page.getByLabel('Show', { exact: true }).selectOption('time_to_convert');
      await page.getByRole('rowheader', { name: '0 to 10 s' }).waitFor();
      await look('time-to-convert');
    },
  );

  it('creates the dashboard of a web site, with a line for each page and a map of the countries of the demo', async () => {
    await open('/dashboards');
    await page.getByRole('button', { name: 'Create dashboard' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Shop');
    await dialog.getByLabel('Template').selectOption('web');
    await dialog.getByRole('button', { name: 'Create dashboard' }).click();
    await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
    for (const [tile, value] of [
      ['Entry pages', '/products'],
      ['Exit pages', '/basket'],
      ['Devices', 'mobile'],
      ['Sources', 'google.com'],
      ['Campaigns', 'autumn'],
    ] as const) {
      const drawn = page.getByRole('region', { name: tile, exact: true });
      await drawn.getByText(value, { exact: true }).first().waitFor({ timeout: 60_000 });
    }
    const countries = page.getByRole('region', { name: 'Countries', exact: true });
    await countries.getByRole('img', { name: /^Countries\. Germany: \d+; / }).waitFor();
    await look('dashboard-web');
  });

  it('creates a dashboard from a template, moves a tile by keyboard, and keeps the change', async () => {
    await open('/dashboards');
    await page.getByRole('button', { name: 'Create dashboard' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Growth');
    await dialog.getByLabel('Template').selectOption('growth');
    await dialog.getByRole('button', { name: 'Create dashboard' }).click();
    await page.getByRole('heading', { level: 1, name: 'Growth' }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Weekly retention' }).count()).toBe(1);
    await page.getByRole('img', { name: /^Active people/ }).waitFor();
    await look('dashboard');
    await page.getByText('Created by Ines Duarte').waitFor();
    await page.getByRole('button', { name: 'Full screen' }).click();
    const full = () => page.evaluate("document.fullscreenElement?.getAttribute('aria-label')");
    await expect.poll(full).toBe('Growth');
    await page.keyboard.press('Escape');
    await page.evaluate('document.fullscreenElement && document.exitFullscreen()');
    await page.getByRole('button', { name: 'Edit dashboard' }).click();
    await page.getByRole('button', { name: /^Move Active people/ }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByLabel('Add a text').fill('What we watch');
    await page.getByRole('button', { name: 'Add text' }).click();
    await look('dashboard-edit');
    await page.getByRole('button', { name: 'Save dashboard' }).click();
    await page.getByRole('button', { name: 'Edit dashboard' }).waitFor();
    await page.getByText('What we watch').waitFor();
    const { base_url, project_id, tokens } = running.demo;
    const answer = await fetch(`${base_url}/v1/projects/${project_id}/dashboards`, {
      headers: { Authorization: `Bearer ${tokens.owner}` },
    });
    const { dashboards } = JSON.parse(await answer.text());
    expect(dashboards[0]).toMatchObject({ name: 'Growth', version: 2 });
    expect(dashboards[0].tiles[0]).toMatchObject({ x: 0, y: 1, w: 7, h: 4 });
    await open('/dashboards');
    await page.getByRole('link', { name: 'Growth' }).waitFor();
    await look('dashboards');
  });

  it('moves a tile of a dashboard by mouse, and keeps its place', async () => {
    await open('/dashboards/shop');
    await page.getByRole('img', { name: /^Orders/ }).waitFor();
    await page.getByRole('button', { name: 'Edit dashboard' }).click();
    const board = page.getByRole('region', { name: 'Shop' });
    const grip = page.getByRole('button', { name: /^Move Orders:/ });
    const [from, area] = [await grip.boundingBox(), await board.boundingBox()];
    if (from === null || area === null) throw new Error('the tile is not drawn');
    await page.mouse.move(from.x + 8, from.y + 8);
    await page.mouse.down();
    await page.mouse.move(from.x + 8 + area.width / 2, from.y + 8, { steps: 5 });
    await page.mouse.up();
    await page.getByRole('button', { name: 'Save dashboard' }).click();
    await page.getByRole('button', { name: 'Edit dashboard' }).waitFor();
    const { base_url, project_id, tokens } = running.demo;
    const answer = await fetch(`${base_url}/v1/projects/${project_id}/dashboards/shop`, {
      headers: { Authorization: `Bearer ${tokens.owner}` },
    });
    expect(JSON.parse(await answer.text()).tiles[0]).toMatchObject({ reportId: 'rep_orders', x: 6, y: 0 });
  });

  it('shares a dashboard by public link by keyboard, and says why one with filters has no link', async () => {
    const { demo } = running;
    const path = `${demo.base_url}/v1/projects/${demo.project_id}/dashboards/shared`;
    const headers = { Authorization: `Bearer ${demo.tokens.owner}`, 'Content-Type': 'application/json' };
    const put = async (more: object) => {
      const tiles = [
        { x: 0, y: 0, w: 6, h: 4, reportId: demo.report_id },
        { x: 6, y: 0, w: 6, h: 4, text: 'What we watch' },
      ];
      const body = JSON.stringify({ name: 'For partners', tiles, ...more });
      expect((await fetch(path, { method: 'PUT', headers, body })).status).toBe(200);
    };
    await put({ range: { last: 7, unit: 'day' } });
    await open('/dashboards/shared');
    await page.getByText('A public link shows no range and filters.').waitFor();
    expect(await page.getByRole('button', { name: 'Create public link' }).count()).toBe(0);
    await page.context().close();
    await put({});
    await open('/dashboards/shared');
    await page.getByText('Only members see this dashboard.').waitFor();
    await page.getByRole('button', { name: 'Create public link' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Stops on').waitFor();
    await look('dashboard-link');
    const answer = await fetch(`${path}/public-link`, { headers });
    const { url } = JSON.parse(await answer.text());
    await page.goto(url);
    await page.getByRole('heading', { level: 1, name: 'For partners' }).waitFor();
    await page.getByText('What we watch').waitFor();
    await page.getByRole('figure').first().waitFor();
    await look('dashboard-public');
  });
});
