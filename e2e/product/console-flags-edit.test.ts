import { eventually, hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ConsolePage, openConsole, violationsOf } from './testing/console.ts';
import { manage } from './testing/flags.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();
const SHOP = '/projects/prj_shop';
const DAY_MS = 86_400_000;

describe.skipIf(!hasChromium)('the page of a flag in the console', () => {
  let browser: Browser;
  let opened: ConsolePage;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  async function open(path: string, colorScheme: 'light' | 'dark' = 'light') {
    await opened?.context.close();
    opened = await openConsole(browser, running.demo, path, { colorScheme });
    return opened.page;
  }

  const flag = (key: string) => manage(running.demo, 'GET', `${SHOP}/flags/${key}`);
  const put = (key: string, body: object) => manage(running.demo, 'PUT', `${SHOP}/flags/${key}`, body);
  const rule = (page: Page, number: number) => page.getByRole('group', { name: `Rule ${number}` });
  const difference = (page: Page, label: string) =>
    page.getByRole('term').filter({ hasText: label }).locator('xpath=following-sibling::dd');

  it('creates a flag with typed values and rules, moves a rule by mouse, and shows what it adds', async () => {
    const page = await open(`${SHOP}/flags`);
    await page.getByRole('button', { name: 'Create flag' }).click();
    await page.getByLabel('Key').fill('payments');
    await page.getByText('The project has a flag with this key.').waitFor();
    await page.getByLabel('Key').fill('button-colour');
    await page.getByLabel('State').selectOption('on');
    await page.getByLabel('Type').selectOption('string');
    await page.getByRole('button', { name: 'Add variation' }).click();
    await page.getByRole('button', { name: 'Add variation' }).click();
    const [first, second] = [1, 2].map((at) => page.getByRole('group', { name: `Variation ${at}` }));
    await first?.getByRole('textbox', { name: 'Variation' }).fill('green');
    await first?.getByLabel('Value').fill('#0a0');
    await second?.getByRole('textbox', { name: 'Variation' }).fill('blue');
    await second?.getByLabel('Value').fill('#00a');
    await second?.getByLabel('Weight').fill('3');
    await page.getByText('75.0%').waitFor();

    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByText('a condition is incomplete').waitFor();
    expect(await page.getByRole('button', { name: 'Create flag' }).isDisabled()).toBe(true);
    await rule(page, 1).getByLabel('Name (optional)').fill('Half');
    await rule(page, 1).getByLabel('Trait').fill('plan');
    await rule(page, 1).getByLabel('Value').fill('pro');
    await rule(page, 1).getByLabel('Rollout in percent').fill('50');
    await rule(page, 1).getByRole('button', { name: 'Count people' }).click();
    await rule(page, 1)
      .getByText(/^\d+ (person|people)/)
      .waitFor();
    await page.getByRole('button', { name: 'Add rule' }).click();
    await rule(page, 2).getByLabel('Name (optional)').fill('Staff');
    await rule(page, 2).getByLabel('Trait').fill('staff');
    await rule(page, 2).getByLabel('Value').fill('true');
    await rule(page, 2).getByLabel('Serve').selectOption('blue');
    await page.getByRole('heading', { name: 'Rule 2' }).dragTo(page.getByRole('heading', { name: 'Rule 1' }));
    await difference(page, 'Rule 1').getByText('Staff; staff is true; always served blue').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create flag' }).click();
    await page.getByRole('heading', { name: 'button-colour' }).waitFor();
    await page.getByText('No differences.').waitFor();
    expect(await flag('button-colour')).toEqual({
      key: 'button-colour',
      enabled: true,
      rolloutPercentage: 100,
      type: 'string',
      rules: [
        { name: 'Staff', targeting: [{ attribute: 'staff', op: 'eq', value: true }], variation: 'blue' },
        { name: 'Half', targeting: [{ attribute: 'plan', op: 'eq', value: 'pro' }], rolloutPercentage: 50 },
      ],
      variations: [
        { key: 'green', value: '#0a0', weight: 1 },
        { key: 'blue', value: '#00a', weight: 3 },
      ],
    });
    expect(opened.problems).toEqual([]);
  });

  it('shows a flag that another person created at the same moment, and keeps the values of both', async () => {
    const page = await open(`${SHOP}/new-flag`);
    await page.getByLabel('Key').fill('twice');
    await page.getByLabel('Description').fill('Mine');
    // The page has not seen the other flag when it sends its own.
    await page.route('**/flags/twice', async (route) => {
      if (route.request().method() === 'PUT')
        await put('twice', { enabled: true, rolloutPercentage: 10, description: 'By a colleague' });
      await page.unroute('**/flags/twice');
      await route.continue();
    });
    await page.getByRole('button', { name: 'Create flag' }).click();
    const conflict = page.getByRole('alert').filter({ hasText: 'The project has a flag with this key' });
    await conflict.getByText('By a colleague').waitFor();
    expect(await flag('twice')).toMatchObject({ description: 'By a colleague' });
    expect(await violationsOf(page)).toEqual([]);
    await conflict.getByRole('button', { name: 'Keep my changes' }).click();
    await page.getByRole('button', { name: 'Save flag' }).click();
    await page.getByRole('heading', { name: 'twice' }).waitFor();
    expect(await flag('twice')).toMatchObject({
      enabled: true,
      rolloutPercentage: 10,
      description: 'Mine',
    });
    expect(opened.problems).toEqual([]);
  });

  it('changes a flag by keyboard alone, with a reason for its history', async () => {
    const targeting = (value: string) => [{ attribute: 'plan', op: 'eq', value }];
    const rules = ['one', 'two'].map((name) => ({ name, targeting: targeting(name) }));
    await put('by-keyboard', { enabled: true, rolloutPercentage: 100, rules });
    const page = await open(`${SHOP}/flags/by-keyboard`, 'dark');
    await rule(page, 2).getByLabel('Name (optional)').focus();
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByText('Rule 2 is now rule 1.').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Rule 1 is now rule 2.').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Rule 2 is now rule 1.').waitFor();
    await page.getByLabel('Description').focus();
    await page.keyboard.type('Typed by hand');
    await page.getByRole('link', { name: 'Events' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Remove rule 2' }).focus();
    await page.keyboard.press('Enter');
    await difference(page, 'Rule 2').getByRole('deletion').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('Reason').focus();
    await page.keyboard.type('Rule one is over.');
    await page.keyboard.press('Enter');
    await page.getByText('No differences.').waitFor();
    expect(await flag('by-keyboard')).toMatchObject({ description: 'Typed by hand', rules: [rules[1]] });
    await page.getByRole('link', { name: 'History' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Reason: Rule one is over.').waitFor();
    await page.getByRole('link', { name: 'Events' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Events' }).waitFor();
    await page.goBack();
    await page.getByText('Reason: Rule one is over.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(opened.problems).toEqual([]);
  });

  it('shows what another person changed while the flag was edited, and keeps the changes of both', async () => {
    await put('shared', { enabled: true, rolloutPercentage: 10 });
    const page = await open(`${SHOP}/flags/shared`);
    await page.getByLabel('Rollout in percent').fill('20');
    await difference(page, 'Rollout').getByText('20% of those who match').waitFor();
    await put('shared', { enabled: true, rolloutPercentage: 10, description: 'By a colleague' });
    const conflict = page.getByRole('alert').filter({ hasText: 'The flag changed while you edited it' });
    await conflict.getByText('By a colleague').waitFor();
    expect(await page.getByRole('button', { name: 'Save flag' }).isDisabled()).toBe(true);
    await conflict.getByRole('button', { name: 'Keep my changes' }).click();
    await page.getByRole('button', { name: 'Save flag' }).click();
    await page.getByText('No differences.').waitFor();
    expect(await conflict.count()).toBe(0);
    expect(await flag('shared')).toMatchObject({ rolloutPercentage: 20, description: 'By a colleague' });
    expect(opened.problems).toEqual([]);
  });

  it('schedules a change, shows it on the list, and cancels it', async () => {
    await put('later', { enabled: false, rolloutPercentage: 100 });
    const page = await open(`${SHOP}/flags/later`);
    await page.getByLabel('State').selectOption('on');
    await page.getByLabel('When').selectOption('later');
    await page
      .getByLabel('Time', { exact: true })
      .fill(new Date(Date.now() + 30 * DAY_MS).toISOString().slice(0, 16));
    await page.getByLabel('Reason').fill('Launch');
    await page.getByRole('button', { name: 'Schedule change' }).click();
    await page.getByText('Reason: Launch').waitFor();
    await page.getByText('No differences.').waitFor();
    expect(await flag('later')).toMatchObject({ enabled: false });
    await page.goto(`${running.demo.console_url}${SHOP}/flags?has=schedule`);
    await page.getByRole('button', { name: 'later' }).click();
    await page.getByRole('button', { name: 'Cancel change' }).click();
    await page.getByText('Scheduled changes').waitFor({ state: 'detached' });
    const { changes } = z
      .object({ changes: z.array(z.unknown()) })
      .parse(await manage(running.demo, 'GET', `${SHOP}/scheduled-changes`));
    expect(changes).toEqual([]);
    expect(opened.problems).toEqual([]);
  });

  it('finds the flags that differ in another project, and promotes one with its cohort', async () => {
    const company = { companyId: 'co_lumen', name: 'Live shop', region: 'eu', defaultLanguage: 'en' };
    await manage(running.demo, 'PUT', '/projects/prj_live', company);
    const cohort = { name: 'Crew', distinctIds: ['ada'] };
    await manage(running.demo, 'PUT', `${SHOP}/cohorts/crew`, cohort);
    await manage(running.demo, 'PUT', '/projects/prj_live/cohorts/live-crew', cohort);
    const toCohort = (id: string) => ({
      enabled: true,
      rolloutPercentage: 100,
      targeting: [{ attribute: 'distinct_id', op: 'in_cohort', value: id }],
    });
    await put('promoted', { ...toCohort('crew'), rolloutPercentage: 30 });
    await manage(running.demo, 'PUT', '/projects/prj_live/flags/promoted', toCohort('live-crew'));
    await put('same', toCohort('crew'));
    await manage(running.demo, 'PUT', '/projects/prj_live/flags/same', toCohort('live-crew'));
    const page = await open(`${SHOP}/flags`);
    await page.getByLabel('Compare with').selectOption({ label: 'Live shop' });
    await page.getByRole('row', { name: 'same' }).getByText('Same').waitFor();
    await page.getByLabel('Only differences').check();
    await page.getByRole('row', { name: 'same' }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: 'promoted' }).getByText('Different').waitFor();
    await page.getByRole('button', { name: 'promoted' }).click();
    await page.getByRole('link', { name: 'Projects' }).click();
    await difference(page, 'Rollout').getByText('30% of those who match').last().waitFor();
    expect(await page.getByRole('term').filter({ hasText: 'Targeting' }).count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Promote flag to Live shop' }).click();
    await page.getByText('The flag is the same in Live shop.').waitFor();
    expect(await manage(running.demo, 'GET', '/projects/prj_live/flags/promoted')).toEqual({
      key: 'promoted',
      ...toCohort('live-crew'),
      rolloutPercentage: 30,
    });
    expect(opened.problems).toEqual([]);
  });

  it('shows code that reads the flag, and the command that generates its types', async () => {
    const page = await open(`${SHOP}/flags/checkout-button?view=code`);
    await page.getByText('switchboard.flags.get("checkout-button", "Place order"').waitFor();
    await page.getByText('switchboard generate types - --package @switchboard/node').waitFor();
    for (const platform of ['browser', 'react', 'curl', 'switchboard']) {
      await page.getByLabel('Platform').selectOption(platform);
      await eventually(() => expect(new URL(page.url()).searchParams.get('platform')).toBe(platform));
      await page.getByRole('region', { name: 'the snippet' }).waitFor();
    }
    await page.getByText('switchboard promote checkout-button --from prj_shop').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(opened.problems).toEqual([]);
  });

  it('creates a hook by keyboard, shows its secret once, and deletes it', async () => {
    await put('hooked', { enabled: true, rolloutPercentage: 100 });
    const page = await open(`${SHOP}/flags/hooked`, 'dark');
    await page.getByLabel('Name of the monitor').fill('Grafana');
    // Enter does nothing until the button is enabled.
    await page.getByRole('button', { name: 'Create hook', disabled: false }).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Hook Grafana' });
    const text = async (name: string) => `${await dialog.getByRole('region', { name }).textContent()}`.trim();
    const [url, secret, command] = [
      await text('the address'),
      await text('the secret'),
      await text('the command'),
    ];
    expect(command).toBe(`curl -X POST ${url} \\\n  -H 'Authorization: Bearer ${secret}'`);
    expect(await violationsOf(page)).toEqual([]);
    const headers = { Authorization: `Bearer ${secret}` };
    const response = await fetch(url, { method: 'POST', headers });
    expect([response.status, await response.json()]).toEqual([200, { switched: true }]);
    await dialog.getByRole('button', { name: 'Close' }).press('Enter');
    const row = page.getByRole('table', { name: 'Hooks' }).getByRole('row', { name: 'Grafana' });
    await row.waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await violationsOf(page)).toEqual([]);
    await row.getByRole('button', { name: 'Delete hook' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete hook' }).press('Enter');
    await row.waitFor({ state: 'detached' });
    expect((await fetch(url, { method: 'POST', headers })).status).toBe(401);
    expect(opened.problems).toEqual([]);
  });

  it('deletes a flag, unless another one requires it', async () => {
    await put('needed', { enabled: true, rolloutPercentage: 100 });
    await put('needing', {
      enabled: true,
      rolloutPercentage: 100,
      prerequisites: [{ flagKey: 'needed', variationKey: 'on' }],
    });
    const page = await open(`${SHOP}/flags/needed`);
    const remove = async () => {
      await page.getByRole('button', { name: 'Delete flag' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete flag' }).click();
    };
    await remove();
    await page.getByText('The flag is a prerequisite of "needing".').waitFor();
    await page.goto(`${running.demo.console_url}${SHOP}/flags/needing`);
    await remove();
    await page.getByRole('heading', { name: 'Flags' }).waitFor();
    await page.getByRole('button', { name: 'needing' }).waitFor({ state: 'detached' });
    expect(opened.problems).toEqual([]);
  });
});
