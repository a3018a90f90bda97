import { hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lookAt, openConsole, violationsOf } from './testing/console.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();
/** A folder for screenshots. */
const pictures = process.env['CONSOLE_PICTURES'];
/** An alert waits until the events before the end of its bucket are archived, which takes up to 30 seconds. */
const WITHIN = { timeout: 60_000 };
/** The tables with columns that one must scroll to. */
const SCROLLED = `[...document.querySelectorAll('table')]
  .filter(({ parentElement: box }) => box.scrollWidth > box.clientWidth)
  .map(({ ariaLabel }) => ariaLabel)`;

describe.skipIf(!hasChromium)('the alerts in the console', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  it('makes an alert of a report by keyboard, previews it, shows its incident, and snoozes and deletes it', async () => {
    const { demo } = running;
    const report = `/projects/${demo.project_id}/reports/rep_orders`;
    const { page, problems, context } = await openConsole(browser, demo, report);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Create alert' }).press('Enter');
    await dialog.getByLabel('Id', { exact: true }).fill('orders');
    await dialog.getByLabel('Name', { exact: true }).fill('Many orders');
    await expect.poll(() => dialog.getByLabel('Report').inputValue(), WITHIN).toBe('rep_orders');
    await dialog.getByLabel('Fires when the value is').selectOption('above');
    await dialog.getByLabel('Limit', { exact: true }).fill('-1');
    await dialog.getByRole('button', { name: 'Preview 90 days' }).press('Enter');
    await dialog.getByText('It would have fired once.').waitFor(WITHIN);
    expect(await violationsOf(page)).toEqual([]);
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/alert-editor.png` });
    await dialog.getByLabel('Name', { exact: true }).press('Enter');
    const detail = page.getByRole('region', { name: 'Many orders' });
    await detail.getByText('Firing', { exact: true }).waitFor(WITHIN);
    await detail.getByText('It would have fired once.').waitFor(WITHIN);
    await expect.poll(() => page.getByRole('table', { name: 'Incidents' }).count(), WITHIN).toBe(1);
    for (const width of [390, 768, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(() => page.evaluate(SCROLLED), { ...WITHIN, message: `${width} px` }).toEqual([]);
    }
    await lookAt(page, 'alerts');
    await detail.getByRole('button', { name: 'Snooze for a day' }).press('Enter');
    await detail.getByText('Firing, snoozed').waitFor(WITHIN);
    await detail.getByRole('button', { name: 'Delete alert' }).press('Enter');
    await dialog.getByRole('button', { name: 'Delete alert' }).press('Enter');
    await page.getByText('No alert yet.', { exact: false }).waitFor(WITHIN);
    expect(problems).toEqual([]);
    await context.close();
  });
});
