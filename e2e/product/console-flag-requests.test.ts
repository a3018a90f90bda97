import { eventually, hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ConsolePage, openConsole, violationsOf } from './testing/console.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();
const FLAG = '/projects/prj_shop/flags/payments';

describe.skipIf(!hasChromium)('change requests in the console', () => {
  let browser: Browser;
  const opened: ConsolePage[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  /** Opens a page as the owner of the company, or with the token of another member. */
  async function open(path: string, token = running.demo.tokens.owner): Promise<Page> {
    const console = await openConsole(browser, running.demo, path, { token });
    opened.push(console);
    return console.page;
  }

  /** Makes the teammate an editor. Returns their access token. */
  async function editor(): Promise<string> {
    const { management_url, tokens, subs } = running.demo;
    const answer = await fetch(
      `${management_url}/management/v1/companies/co_lumen/members/${subs.teammate}`,
      {
        method: 'PUT',
        headers: { Authorization: `Bearer ${tokens.operator}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'Ed Editor', email: 'ed@lumen.example', role: 'editor' }),
      },
    );
    expect(answer.status).toBe(200);
    return tokens.teammate;
  }

  const served = async () => {
    const { base_url, project_key } = running.demo;
    const answer = await fetch(`${base_url}/v1/flags?distinct_id=user-1`, {
      headers: { Authorization: `Bearer ${project_key}` },
    });
    return z.object({ flags: z.object({ payments: z.boolean() }) }).parse(await answer.json()).flags.payments;
  };

  const requests = (page: Page) => page.getByRole('link', { name: 'Change requests' });

  it('lets a change wait until another person approves it, and an emergency pass', async () => {
    const owner = await open('/projects/prj_shop/settings/project');
    expect(await requests(owner).count()).toBe(0);
    await owner.getByLabel('Approvals of flag changes').fill('1');
    await owner.getByRole('button', { name: 'Save project' }).click();
    await requests(owner).waitFor();

    const asking = await open(FLAG, await editor());
    await asking.getByLabel('Description').fill('Pay by card');
    await asking.getByLabel('Reason').fill('Say what it is');
    await asking.getByRole('button', { name: 'Request approval' }).click();
    const waiting = asking.getByRole('list', { name: 'Change requests' });
    await waiting.getByText('0 of 1 approval').waitFor();
    expect(await waiting.getByRole('button', { name: 'Approve change' }).count()).toBe(0);
    await waiting.getByRole('button', { name: 'Withdraw request' }).waitFor();
    expect(await requests(asking).textContent()).toBe('Change requests');
    expect(await violationsOf(asking)).toEqual([]);

    await owner.reload();
    await eventually(async () => expect(await requests(owner).textContent()).toBe('Change requests1'));
    await owner.getByRole('link', { name: 'Home' }).click();
    const home = owner.locator('section', { hasText: 'Waiting for your approval' });
    await home.getByText('Ed Editor').waitFor();
    expect(await violationsOf(owner)).toEqual([]);
    await home.getByRole('link', { name: 'payments' }).click();
    const detail = owner.getByRole('region', { name: 'payments' });
    await detail.getByText('Ed Editor').waitFor();
    await detail.getByText('Pay by card').waitFor();
    await detail.getByText('Say what it is').waitFor();
    expect(await violationsOf(owner)).toEqual([]);
    await detail.getByRole('button', { name: 'Approve change' }).click();
    await owner.getByText('The change of payments is approved.').waitFor();
    await owner.getByText('No change waits.').waitFor();
    await eventually(async () => expect(await requests(owner).textContent()).toBe('Change requests'));

    // The author sees the outcome without a reload, and reads it.
    await eventually(async () => expect(await requests(asking).textContent()).toBe('Change requests1'));
    await asking.getByRole('link', { name: 'Home' }).click();
    await asking.locator('section', { hasText: 'Your change requests' }).getByText('Approved').waitFor();
    await requests(asking).click();
    await asking.getByRole('button', { name: 'Unread payments' }).click();
    await asking.getByRole('region', { name: 'payments' }).getByText('Say what it is').waitFor();
    await eventually(async () => expect(await requests(asking).textContent()).toBe('Change requests'));
    expect(await violationsOf(asking)).toEqual([]);

    await owner.goto(`${running.demo.console_url}${FLAG}?view=history`);
    await owner.getByText('Approved by').waitFor();
    expect(await served()).toBe(true);
    await owner.getByRole('button', { name: 'Turn off flag' }).click();
    await owner.getByRole('dialog').getByRole('button', { name: 'Turn off flag' }).click();
    await eventually(async () => expect(await served()).toBe(false));
    await owner.getByText('Switched off without approval').waitFor();
    await owner.getByRole('button', { name: 'Turn on flag' }).click();
    await owner.getByRole('dialog').getByRole('button', { name: 'Turn on flag' }).click();
    await owner.getByText('The change of payments waits for approval.').waitFor();
    expect(await served()).toBe(false);
    expect(opened.flatMap(({ problems }) => problems)).toEqual([]);
  });

  it('lets the other person reject a change with a note', async () => {
    const page = await open('/projects/prj_shop/flag-requests', await editor());
    await page.getByRole('button', { name: 'payments' }).click();
    await page.getByRole('button', { name: 'Reject change' }).click();
    await page.getByRole('dialog').getByLabel('Note').fill('The bank is still down.');
    await page.getByRole('dialog').getByRole('button', { name: 'Reject change' }).click();
    await page.getByText('The change of payments is rejected.').waitFor();
    await page.getByLabel('Waiting').selectOption('closed');
    await page.getByRole('button', { name: 'payments' }).first().click();
    await page.getByText('The bank is still down.').waitFor();
    expect(await served()).toBe(false);
    expect(opened.flatMap(({ problems }) => problems)).toEqual([]);
  });
});
