import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasChromium, openBrowser, startReceiver } from '@switchboard/testkit';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { lookAt, openConsole, violationsOf } from './testing/console.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();
/** A folder for screenshots. */
const pictures = process.env['CONSOLE_PICTURES'];
const WITHIN = { timeout: 60_000 };

/** Returns the newest mail with this subject. */
async function mailNamed(subject: string): Promise<string | undefined> {
  const folder = String(running.demo['mail_dir']);
  for (const name of (await readdir(folder)).toSorted().toReversed()) {
    const mail = await readFile(join(folder, name), 'utf8');
    if (mail.includes(`Subject: ${subject}`)) return mail;
  }
  return undefined;
}

describe.skipIf(!hasChromium)('subscriptions in the console', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  it('subscribes to a report by keyboard, sends it with fresh numbers, pauses, resumes and deletes it', async () => {
    const { demo } = running;
    const receiver = await startReceiver();
    onTestFinished(receiver.close);
    const report = `/projects/${demo.project_id}/reports/rep_orders`;
    const { page, problems, context } = await openConsole(browser, demo, report);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Subscribe' }).press('Enter');
    await expect.poll(() => dialog.getByLabel('Content').inputValue(), WITHIN).toBe('report:rep_orders');
    expect(await dialog.getByLabel('Time zone').inputValue()).toBe(
      await page.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone'),
    );
    await dialog.getByLabel('Send', { exact: true }).selectOption('month');
    await dialog.getByLabel('Day of the month').fill('31');
    await dialog.getByRole('checkbox').first().waitFor(WITHIN);
    await dialog.getByRole('button', { name: 'Add channel' }).press('Enter');
    await dialog.getByLabel('Webhook URL').fill(`${receiver.url}/with-a-long-secret`);
    expect(await violationsOf(page)).toEqual([]);
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/subscription-editor.png` });
    await dialog.getByLabel('Day of the month').press('Enter');
    const detail = page.getByRole('region', { name: 'Orders' });
    await detail.getByText('Every month on day 31', { exact: false }).waitFor(WITHIN);
    await detail.getByRole('button', { name: 'Send now' }).press('Enter');
    await expect.poll(() => mailNamed('Orders'), WITHIN).toContain('List-Unsubscribe-Post');
    await expect.poll(() => receiver.requests[0]?.json.text, WITHIN).toContain('*Orders*');
    const channel = `${new URL(receiver.url).origin}/***cret`;
    await detail.getByText(`Slack ${channel}`).waitFor(WITHIN);
    await detail.getByRole('button', { name: 'Edit subscription' }).press('Enter');
    await dialog.getByText(`Slack: ${channel}`).waitFor(WITHIN);
    await dialog.getByLabel('Day of the month').press('Enter');
    await dialog.waitFor({ ...WITHIN, state: 'detached' });
    await detail.getByText(`Slack ${channel}`).waitFor(WITHIN);
    await detail.getByText('now', { exact: true }).waitFor(WITHIN);
    await lookAt(page, 'subscriptions');
    await detail.getByRole('button', { name: 'Pause' }).press('Enter');
    await detail.getByText('Paused', { exact: true }).waitFor(WITHIN);
    await detail.getByRole('button', { name: 'Resume' }).press('Enter');
    await detail.getByText('On', { exact: true }).waitFor(WITHIN);
    await detail.getByRole('button', { name: 'Delete subscription' }).press('Enter');
    await dialog.getByRole('button', { name: 'Delete subscription' }).press('Enter');
    await page.getByText('No subscription yet.', { exact: false }).waitFor(WITHIN);

    await page.getByRole('button', { name: 'Create the first subscription' }).press('Enter');
    await dialog.getByLabel('Content').selectOption({ label: 'Unread threads' });
    await dialog.getByText('Each recipient gets their unread threads', { exact: false }).waitFor(WITHIN);
    expect(await dialog.getByRole('button', { name: 'Add channel' }).count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/subscription-digest.png` });
    await dialog.getByRole('button', { name: 'Create subscription' }).press('Enter');
    await page.getByRole('region', { name: 'Unread threads' }).waitFor(WITHIN);
    expect(problems).toEqual([]);
    await context.close();
  });
});
