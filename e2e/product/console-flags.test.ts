import { eventually, hasChromium, openBrowser, spawnService } from '@switchboard/testkit';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type ConsolePage, lookAt, openConsole, tabTo, violationsOf } from './testing/console.ts';
import { manage } from './testing/flags.ts';
import { databaseUrl, standaloneForTests } from './testing/launch.ts';
import { siteForTests } from './testing/sdk-page.ts';

const running = standaloneForTests();

describe.skipIf(!hasChromium)('the flags page of the console', () => {
  const shop = siteForTests({
    modules: { switchboard: import.meta.resolve('@switchboard/browser') },
    scripts: {},
    body: '<p>',
  });
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
    const { base_url, tokens } = running.demo;
    const person = { name: 'Vera Viewer', email: 'vera@lumen.example', role: 'viewer' };
    await manage(running.demo, 'PUT', '/companies/co_lumen/members/user_viewer', person);
    const minted = await fetch(`${base_url}/dev/tokens`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${tokens.operator}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ sub: 'user_viewer' }),
    });
    return z.object({ token: z.string() }).parse(await minted.json()).token;
  }

  const served = async () => {
    const { base_url, project_key } = running.demo;
    const answer = await fetch(`${base_url}/v1/flags?distinct_id=user-1`, {
      headers: { Authorization: `Bearer ${project_key}` },
    });
    return z.object({ flags: z.object({ payments: z.boolean() }) }).parse(await answer.json()).flags.payments;
  };

  it('kills a flag with two keys from the list, shows it on another open list, and restores it', async () => {
    const page = await open('/projects/prj_shop');
    expect(await served()).toBe(true);
    const other = await openConsole(browser, running.demo, '/projects/prj_shop/flags');
    const seen = other.page.getByRole('switch', { name: 'State of payments' });
    await seen.waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await page.getByRole('button', { name: 'checkout-button' }).waitFor();
    await page.getByRole('button', { name: 'payments', exact: true }).focus();
    await page.keyboard.press('x');
    await page.keyboard.type('The bank is down.');
    await page.keyboard.press('Enter');
    await eventually(async () => expect(await served()).toBe(false));
    await eventually(async () => expect(await seen.getAttribute('aria-checked')).toBe('false'));
    await other.context.close();

    await page.getByText('payments is off.').waitFor();
    await page.getByRole('button', { name: 'payments', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'payments' }).waitFor();
    await page.getByRole('link', { name: 'History' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Reason: The bank is down.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Restore' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('deletion').getByText('Off').waitFor();
    await dialog.getByRole('insertion').getByText('On').waitFor();
    await page.keyboard.type('The bank is back.');
    await page.keyboard.press('Enter');
    await page.getByText('Reason: The bank is back.').waitFor();
    await eventually(async () => expect(await served()).toBe(true));
    expect(opened.problems).toEqual([]);
  });

  it('kills a flag with two keys from its page, and takes it back with one', async () => {
    const page = await open('/projects/prj_shop/flags/new-navigation');
    await page.getByRole('button', { name: 'Turn off flag' }).waitFor();
    await page.keyboard.press('x');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Turn on flag' }).waitFor();
    await page.getByText('new-navigation is off.').waitFor();
    await page.keyboard.press('z');
    await page.getByRole('button', { name: 'Turn off flag' }).waitFor();
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByText('Reason: Undone').waitFor();
    expect(opened.problems).toEqual([]);
  });

  /** Starts another instance of flags, which sends changes to its own clients. Returns its address. */
  async function startInstance(): Promise<string> {
    const { base_url, console_url } = running.demo;
    const instance = await spawnService('flags', {
      env: {
        DATABASE_URL: await databaseUrl(running.home, 'flags'),
        EVENT_LOG_DATABASE_URL: await databaseUrl(running.home, 'event_log'),
        REGION: 'eu',
        AUTH_ISSUER: base_url,
        AUTH_AUDIENCE: 'switchboard',
        AUTH_JWKS_URL: `${base_url}/.well-known/jwks.json`,
        CONSOLE_URL: console_url,
        PUBLIC_API_URL: base_url,
        WEBHOOK_SECRET: 'the webhook secret of a test with 32 or more characters',
      },
    });
    onTestFinished(async () => void (await instance.stop()));
    return instance.url;
  }

  it('shows live on the page of a killed flag that the open pages of every instance were notified', async () => {
    const { base_url, project_key } = running.demo;
    const page = await open('/projects/prj_shop/flags/payments');
    await page.getByText('No clients are connected.').waitFor();
    const visitors = await Promise.all(
      [base_url, await startInstance()].map(async (host) => {
        const visited = await shop.open(await shop.visitor());
        await visited.evaluate(`
          client = switchboard.init({ key: '${project_key}', host: '${host}' });
          show = () => (document.querySelector('p').textContent = 'payments: ' + client.flags.get('payments', false));
          client.flags.onChange(show);
          show();`);
        await visited.getByText('payments: true').waitFor();
        return visited;
      }),
    );
    await page.getByText('2 of 2 connected clients notified.').waitFor();
    await page.keyboard.press('x');
    await page.keyboard.press('Enter');
    await page.getByText('2 of 2 connected clients notified. They get false.').waitFor();
    for (const visited of visitors) await visited.getByText('payments: false').waitFor();
    await lookAt(page, 'flag-clients', [1280, 390]);
    await visitors[0]?.close();
    await page.getByText('1 of 1 connected clients notified.').waitFor();
    await page.keyboard.press('z');
    await visitors[1]?.getByText('payments: true').waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('switches a flag from the list by mouse', async () => {
    const page = await open('/projects/prj_shop/flags');
    const control = page.getByRole('switch', { name: 'State of search-limits' });
    await control.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off flag' }).click();
    await eventually(async () => expect(await control.getAttribute('aria-checked')).toBe('false'));
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => expect(await control.getAttribute('aria-checked')).toBe('true'));
    expect(opened.problems).toEqual([]);
  });

  it('says step by step why a person does not get a flag, in an address that can be shared', async () => {
    const page = await open('/projects/prj_shop/flags/pro-dashboard');
    await page.getByRole('link', { name: 'Who gets this?' }).click();
    await page.getByLabel('Distinct id of a person').fill('a-stranger');
    await page.keyboard.press('Enter');
    await page.getByText('The person does not match every condition.').waitFor();
    const failed = page.getByRole('listitem').filter({ hasText: /^ plan is pro \(not set\)$/ });
    await failed.getByRole('img', { name: 'Failed' }).waitFor();
    expect(new URL(page.url()).searchParams.get('person')).toBe('a-stranger');
    await page.reload();
    await page.getByText('The person does not match every condition.').waitFor();
    expect(await violationsOf(page)).toEqual([]);

    await page.getByLabel('Traits as JSON (optional)').fill('{"plan":');
    await page.getByText('Not a JSON object.').waitFor();
    await page.getByLabel('Traits as JSON (optional)').fill('{"plan":"pro"}');
    await page.getByRole('button', { name: 'Check person' }).click();
    await page.getByText('Every check passed.').waitFor();
    await page.getByText('(is pro)').waitFor();
    const inCohort = { attribute: 'distinct_id', op: 'in_cohort', value: 'crew' };
    const cohort = { name: 'Crew', distinctIds: ['ada'] };
    await manage(running.demo, 'PUT', '/projects/prj_shop/cohorts/crew', cohort);
    await manage(running.demo, 'PUT', '/projects/prj_shop/flags/of-crew', {
      enabled: true,
      rolloutPercentage: 100,
      targeting: [inCohort],
    });
    await page.goto(`${running.demo.console_url}/projects/prj_shop/flags/of-crew?view=people`);
    await page.getByLabel('Traits as JSON (optional)').fill('{}');
    await page.getByLabel('Distinct id of a person').fill('ada');
    await page.keyboard.press('Enter');
    await page.getByText('They place no one in the list of a cohort').waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('finds by keyboard alone why a person does not get a flag', async () => {
    const page = await open('/projects/prj_shop');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('pro-dash');
    await page.getByRole('option', { name: 'pro-dashboard' }).waitFor();
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('link', { name: 'Who gets this?' }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByLabel('Distinct id of a person'));
    await page.keyboard.type('a-stranger');
    await page.keyboard.press('Enter');
    await page.getByText('The person does not match every condition.').waitFor();
    expect(await page.getByRole('main').ariaSnapshot()).toContain('img "Failed"');
  });

  it('filters and sorts the list in the address', async () => {
    const page = await open('/projects/prj_shop/flags');
    const names = page.locator('[data-row] td:first-child');
    await page.getByLabel('On and off').selectOption('off');
    await eventually(async () => expect(await names.allTextContents()).toEqual(['old-basket']));
    await page.getByLabel('On and off').selectOption('');
    await page.getByLabel('All parts').selectOption('prerequisites');
    await eventually(async () => expect(await names.allTextContents()).toEqual(['order-history']));
    await page.getByLabel('All parts').selectOption('');
    await page.getByRole('button', { name: 'Rollout' }).click();
    await eventually(async () =>
      expect((await names.allTextContents()).slice(0, 2)).toEqual(['old-basket', 'new-navigation']),
    );
    await page.getByRole('button', { name: 'Rollout' }).click();
    await page
      .getByRole('columnheader', { name: 'Rollout' })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor();
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-rollout');
    await page.reload();
    await eventually(async () => expect((await names.allTextContents()).at(-1)).toBe('old-basket'));
    await page.getByLabel('Find a flag').fill('nothing like it');
    await page.getByText('No flag matches the filters.').waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('lists and filters 1,000 flags with only the rows on screen', async () => {
    const flags = Array.from({ length: 1000 }, (_, at) => ({
      key: `flag-${at}`,
      enabled: true,
      rolloutPercentage: at % 100,
    }));
    const page = await open('/projects/prj_shop');
    await page.route('**/v1/projects/prj_shop/flags', (route) =>
      route.fulfill({
        headers: { 'Access-Control-Allow-Origin': '*' },
        json: { flags, lastChanges: [] },
      }),
    );
    await page.getByRole('link', { name: 'Flags' }).click();
    await page.getByRole('table', { name: 'Flags' }).and(page.locator('[aria-rowcount="1001"]')).waitFor();
    expect(await page.locator('[data-row]').count()).toBeLessThan(60);
    await page.getByLabel('Find a flag').fill('flag-99');
    await page.locator('[aria-rowcount="12"]').waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('shows no switch and no fields to a person who may only read', async () => {
    const page = await open('/projects/prj_shop/flags/payments', await viewer());
    await page.getByText('Editors can switch and change this flag.').waitFor();
    expect(await page.getByRole('button', { name: 'Turn off flag' }).count()).toBe(0);
    expect(await page.getByLabel('Description').isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByText('Version 1').first().waitFor();
    expect(await page.getByRole('button', { name: 'Restore' }).count()).toBe(0);
    expect(opened.problems).toEqual([]);
  });
});
