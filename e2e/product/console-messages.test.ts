import { call, hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openConsole, violationsOf } from './testing/console.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();

describe.skipIf(!hasChromium)('in-app messages in the console', () => {
  let browser: Browser;
  let page: Page;
  let problems: string[] = [];
  const dialog = () => page.getByRole('dialog');
  const widget = (): FrameLocator => page.frameLocator('iframe[title="Preview of the messenger"]');
  const table = () => page.getByRole('table', { name: 'In-app messages' });

  beforeAll(async () => {
    browser = await openBrowser();
    const { base_url, project_key: token } = running.demo;
    for (const [distinct_id, plan] of [
      ['message-reader', 'gold-for-messages'],
      ['message-other', 'silver'],
    ]) {
      const body = { distinct_id, properties: { plan } };
      const { status } = await call('POST', `${running.demo.eu_api_url}/v1/identify`, { token, body });
      expect(status, base_url).toBeLessThan(300);
    }
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    await page.context().close();
    expect(problems).toEqual([]);
  });

  async function open(query = '', options: Parameters<typeof openConsole>[3] = {}): Promise<void> {
    const path = `/projects/${running.demo.project_id}/messages${query}`;
    ({ page, problems } = await openConsole(browser, running.demo, path, options));
  }

  /** Returns the titles of a person's inbox, as their page reads it. */
  async function inboxOf(distinctId: string): Promise<{ id: string; title: string }[]> {
    const { base_url, project_key: token } = running.demo;
    const { body } = await call('GET', `${base_url}/v1/messages?distinct_id=${distinctId}`, { token });
    return body.messages;
  }
  const titlesOf = async (distinctId: string) => (await inboxOf(distinctId)).map(({ title }) => title);

  it.each(['light', 'dark'] as const)(
    'previews a message in the real widget while it is written, and is accessible in the %s theme',
    async (colorScheme) => {
      await open('', { colorScheme });
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Write message' }).first().click();
      await page.getByLabel('Title', { exact: true }).fill('Saved views');
      await page.getByLabel('Body', { exact: true }).fill('Keep the filters you use.');
      await widget().getByRole('heading', { name: 'Saved views' }).waitFor();
      await widget().getByText('Keep the filters you use.').waitFor();
      await page.getByLabel('View', { exact: true }).selectOption('home');
      await widget()
        .getByRole('button', { name: /Saved views/ })
        .click();
      await widget().getByRole('heading', { name: 'Saved views' }).waitFor();
      await page.getByLabel('To', { exact: true }).selectOption('matching');
      await page.getByLabel('When', { exact: true }).selectOption('later');
      expect(await violationsOf(page)).toEqual([]);
    },
  );

  it('sends a message to the people who match, and counts who read it', async () => {
    await open();
    await page.getByRole('button', { name: 'Write message' }).first().click();
    await page.getByLabel('Title', { exact: true }).fill('Gold only');
    await page.getByLabel('Body', { exact: true }).fill('For gold plans.');
    await page.getByLabel('To', { exact: true }).selectOption('matching');
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByLabel('Trait', { exact: true }).fill('plan');
    await page.getByLabel('Value', { exact: true }).fill('gold-for-messages');
    await expect.poll(() => page.getByRole('status', { name: 'Size' }).textContent()).toBe('1 person.');
    await page.getByRole('button', { name: 'Send message' }).click();
    await dialog().getByRole('button', { name: 'Send message' }).click();
    await page.getByRole('region', { name: 'Gold only' }).getByText('1 person').waitFor();
    expect(await titlesOf('message-other')).not.toContain('Gold only');
    const [message] = await inboxOf('message-reader');
    expect(message?.title).toBe('Gold only');
    const { base_url, project_key: token } = running.demo;
    const body = { distinct_id: 'message-reader', message_id: message?.id };
    expect((await call('POST', `${base_url}/v1/messages/read`, { token, body })).body).toEqual({ ok: true });
    await page.reload();
    await expect
      .poll(() => table().getByRole('row').filter({ hasText: 'Gold only' }).textContent())
      .toContain('1 · 100.0%');
    expect(await violationsOf(page)).toEqual([]);
  });

  it('schedules a message by keyboard alone, and cancels it', async () => {
    await open();
    await page.locator('main h1').press('c');
    await page.getByLabel('Title', { exact: true }).fill('Next year');
    await page.keyboard.press('Tab');
    await page.keyboard.type('See you then.');
    await page.getByRole('link', { name: 'People' }).press('Enter');
    await dialog().getByRole('button', { name: 'Cancel' }).press('Enter');
    await page.getByLabel('When', { exact: true }).selectOption('later');
    await page.getByLabel(/^Time in /).fill(`${new Date().getFullYear() + 1}-01-01T09:00`);
    await page.getByRole('button', { name: 'Schedule message' }).press('Enter');
    await dialog().getByRole('button', { name: 'Schedule message' }).press('Enter');
    const detail = page.getByRole('region', { name: 'Next year' });
    await detail.getByText('Scheduled for').waitFor();
    expect(await titlesOf('message-reader')).not.toContain('Next year');
    await detail.getByRole('button', { name: 'Cancel message' }).press('Enter');
    await dialog().getByRole('button', { name: 'Cancel message' }).press('Enter');
    await detail.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByText('Next year').count()).toBe(0);
  });
});
