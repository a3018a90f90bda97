import { hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openConsole, violationsOf } from './testing/console.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();

describe.skipIf(!hasChromium)('reports and threads in the console, as people use them', () => {
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

  async function open(path: string): Promise<void> {
    const { demo } = running;
    ({ page, problems } = await openConsole(browser, demo, `/projects/${demo.project_id}${path}`));
  }

  async function violateNothing(): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violationsOf(page)).toEqual([]);
    }
  }

  /** Calls the API as the demo's teammate, or as its owner. */
  async function call(as: 'teammate' | 'owner', method: string, path: string, body?: object) {
    const { base_url, project_id, tokens } = running.demo;
    const answer = await fetch(`${base_url}/v1/projects/${project_id}${path}`, {
      method,
      headers: { Authorization: `Bearer ${tokens[as]}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(answer.ok, await answer.clone().text()).toBe(true);
    return JSON.parse(await answer.text());
  }

  const mention = (text: string) =>
    call('teammate', 'POST', '/reports/rep_orders/comment-threads', {
      body: text,
      mentions: [running.demo.subs.owner],
      anchor: { metric: 'Orders', bucket: '2026-11-17' },
    });
  const threadOf = async (id: string) => {
    const { threads } = await call('owner', 'GET', '/reports/rep_orders/comment-threads');
    return threads.find((one: { id: string }) => one.id === id);
  };

  it('answers a mention by mouse: opens it from Home, replies to a colleague, reacts and resolves', async () => {
    const { id } = await mention('Did the campaign cause this peak?');
    await open('');
    const rail = page.getByRole('navigation', { name: 'Pages' });
    await rail.getByRole('link', { name: /Threads/ }).click();
    await page.getByRole('button', { name: /Did the campaign cause this peak/ }).click();
    const detail = page.getByRole('region', { name: 'Orders' });
    await detail.getByText('Orders · 2026-11-17').waitFor();
    await violateNothing();
    await detail.getByRole('textbox', { name: 'Reply to the thread' }).fill('Yes, thank you @Tom');
    await page.getByRole('option', { name: /^Tom/ }).click();
    await detail.getByRole('button', { name: 'Reply', exact: true }).click();
    await expect
      .poll(async () => (await threadOf(id)).comments[1]?.mentions)
      .toEqual([running.demo.subs.teammate]);
    await detail.getByRole('button', { name: 'Add reaction' }).first().click();
    await page.getByRole('menuitem', { name: '🎉' }).click();
    await detail.getByRole('button', { name: '🎉, 1', exact: true }).waitFor();
    await detail.getByRole('button', { name: 'Resolve thread' }).click();
    await detail.getByRole('button', { name: 'Reopen thread' }).waitFor();
    expect(await threadOf(id)).toMatchObject({ resolved: true });
  });

  it('answers a mention by keyboard alone', async () => {
    const { id } = await mention('Do these orders repeat?');
    await open('');
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByRole('button', { name: /Do these orders repeat/ }).waitFor();
    await page.keyboard.press('j');
    await page.getByRole('button', { name: /Do these orders repeat/ }).focus();
    await page.keyboard.press('Enter');
    const reply = page.getByRole('textbox', { name: 'Reply to the thread' });
    await reply.waitFor();
    await reply.focus();
    await page.keyboard.type('They do, @Tom');
    await page.getByRole('option', { name: /^Tom/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('see the cohort');
    await page.keyboard.press('Control+Enter');
    await expect
      .poll(async () => (await threadOf(id)).comments[1]?.body)
      .toMatch(/^They do, @Tom.+ see the cohort$/);
    await page.getByRole('button', { name: /Do these orders repeat/ }).focus();
    await page.keyboard.press('e');
    await expect.poll(async () => (await threadOf(id)).resolved).toBe(true);
  });

  it.each(['mouse', 'keyboard'] as const)('builds and shares a funnel by %s', async (by) => {
    const press = async (name: string, within: Pick<Page, 'getByRole'> = page) => {
      const button = within.getByRole('button', { name, exact: true });
      if (by === 'mouse') return await button.click();
      await button.focus();
      await page.keyboard.press('Enter');
    };
    await open('/insights');
    await press('Funnel');
    await page.getByRole('group', { name: 'Step 1' }).getByLabel('Event').fill('product seen');
    await page.getByRole('group', { name: 'Step 2' }).getByLabel('Event').fill('order placed');
    await page.getByRole('button', { name: 'Download CSV' }).waitFor();
    await press('Exclude an event between the steps');
    await page.getByRole('group', { name: 'Excluded event 1' }).waitFor();
    if (by === 'mouse') await press('Undo');
    else await page.keyboard.press('Control+z');
    await expect.poll(() => page.getByRole('group', { name: 'Excluded event 1' }).count()).toBe(0);
    await press('Save report');
    await page.getByRole('dialog').getByLabel('Name').fill(`Checkout by ${by}`);
    await page
      .getByRole('dialog')
      .getByLabel('Description (optional)')
      .fill('From the product to the order.');
    await press('Save report', page.getByRole('dialog'));
    await page.getByRole('heading', { level: 1, name: `Checkout by ${by}` }).waitFor();
    await page.getByText('From the product to the order.').waitFor();
    await press('Share');
    const dialog = page.getByRole('dialog', { name: 'Share report' });
    const colleague = dialog.getByRole('checkbox', { name: /^Tom/ });
    if (by === 'mouse') await colleague.check();
    else {
      await colleague.focus();
      await page.keyboard.press('Space');
    }
    await violateNothing();
    await press('Send report', dialog);
    await expect.poll(() => dialog.count()).toBe(0);
    await press('Create public link');
    await page.getByRole('button', { name: 'Delete public link' }).waitFor();
    const address = page.getByText(/\/shared\/[\w-]{43}/);
    const shared = await fetch((await address.textContent())?.trim() ?? '');
    expect([shared.status, await shared.text()]).toEqual([200, expect.stringContaining(`Checkout by ${by}`)]);
    await violateNothing();
  });
});
