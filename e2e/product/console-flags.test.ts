import { eventually, hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ConsolePage, openConsole, violationsOf } from './testing/console.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();

describe.skipIf(!hasChromium)('the flags page of the console', () => {
  let browser: Browser;
  let opened: ConsolePage;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  async function open(path: string, token?: string) {
    await opened?.context.close();
    opened = await openConsole(browser, running.demo, path, token === undefined ? {} : { token });
    return opened.page;
  }

  /** Makes a person a member who may only read. Returns their access token. */
  async function viewer(): Promise<string> {
    const { base_url, management_url, tokens } = running.demo;
    const send = async (method: string, url: string, body: unknown) => {
      const answer = await fetch(url, {
        method,
        headers: { Authorization: `Bearer ${tokens.operator}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(answer.status, url).toBeLessThan(300);
      return answer.json();
    };
    const member = `${management_url}/management/v1/companies/co_lumen/members/user_viewer`;
    await send('PUT', member, { name: 'Vera Viewer', email: 'vera@lumen.example', role: 'viewer' });
    const minted = await send('POST', `${base_url}/dev/tokens`, { sub: 'user_viewer' });
    return z.object({ token: z.string() }).parse(minted).token;
  }

  const served = async () => {
    const { base_url, project_key } = running.demo;
    const answer = await fetch(`${base_url}/v1/flags?distinct_id=user-1`, {
      headers: { Authorization: `Bearer ${project_key}` },
    });
    return z.object({ flags: z.object({ payments: z.boolean() }) }).parse(await answer.json()).flags.payments;
  };

  it('switches a flag off by keyboard alone, keeps the reason, and restores it', async () => {
    const page = await open('/projects/prj_shop');
    expect(await served()).toBe(true);
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await page.getByRole('button', { name: 'checkout-button' }).waitFor();
    await page.getByRole('button', { name: 'payments' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Turn off flag' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('The bank is down.');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Turn on flag' }).waitFor();
    await eventually(async () => expect(await served()).toBe(false));
    await page.getByText('Reason: The bank is down.').waitFor();
    await page.getByRole('button', { name: 'Restore' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Restore version' }).focus();
    await page.keyboard.press('Enter');
    await eventually(async () => expect(await served()).toBe(true));
    expect(opened.problems).toEqual([]);
  });

  it('takes the switch of a flag back with a key, to the version before', async () => {
    const page = await open('/projects/prj_shop/flags?open=new-navigation');
    await page.getByRole('button', { name: 'Turn off flag' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off flag' }).click();
    await page.getByRole('button', { name: 'Turn on flag' }).waitFor();
    await page.getByText('new-navigation is off.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('z');
    await page.getByRole('button', { name: 'Turn off flag' }).waitFor();
    await page.getByText('Reason: Undone').waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('says why a person does not get a flag, in an address that can be shared', async () => {
    const page = await open('/projects/prj_shop/flags?open=pro-dashboard');
    await page.getByLabel('Distinct id of a person').fill('a-stranger');
    await page.keyboard.press('Enter');
    await page.getByText('The person does not match every condition.').waitFor();
    expect(new URL(page.url()).searchParams.get('person')).toBe('a-stranger');
    await page.reload();
    await page.getByText('The person does not match every condition.').waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('filters the list by text and by state', async () => {
    const page = await open('/projects/prj_shop/flags');
    const names = page.locator('[data-row] button');
    await page.getByLabel('On and off').selectOption('off');
    await eventually(async () => expect(await names.allTextContents()).toEqual(['old-basket']));
    await page.getByLabel('Find a flag').fill('nothing like it');
    await page.getByText('No flag matches the filters.').waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('shows no switch to a person who may only read', async () => {
    const page = await open('/projects/prj_shop/flags?open=payments', await viewer());
    await page.getByText('Editors can switch and change this flag.').waitFor();
    expect(await page.getByRole('button', { name: 'Turn off flag' }).count()).toBe(0);
    expect(opened.problems).toEqual([]);
  });
});
