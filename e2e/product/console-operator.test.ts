import { eventually, hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './testing/command.ts';
import { lookAt, violationsOf } from './testing/console.ts';
import { openEventLog } from './testing/event-log.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();
/** A folder for screenshots. */
const pictures = process.env['CONSOLE_PICTURES'];

const PAGES = [
  '',
  '/companies',
  '/plans',
  '/models',
  '/throttles',
  '/topics',
  '/dead-letters',
  '/erasures',
  '/audit',
];

describe.skipIf(!hasChromium)('the pages of operators in the console', () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const problems: string[] = [];
  const dialog = () => page.getByRole('dialog');
  const row = (table: string, text: string) =>
    page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: text });

  /** Signs a person of the demo in, as they do, and opens a page. */
  async function signIn(sub: string, path: string): Promise<{ context: BrowserContext; page: Page }> {
    const own = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const opened = await own.newPage();
    opened.on('pageerror', ({ message }) => problems.push(message));
    opened.on('console', (message) => {
      if (/Content Security Policy|Trusted/i.test(message.text())) problems.push(message.text());
    });
    await opened.goto(running.demo.console_url + path);
    await opened.locator(`form[action$="/as/${sub}"] button`).click();
    await opened.locator('main h1').waitFor();
    return { context: own, page: opened };
  }

  async function open(path: string): Promise<void> {
    await page.goto(`${running.demo.console_url}/operator${path}`);
    await page.locator('main h1').waitFor();
  }

  beforeAll(async () => {
    browser = await openBrowser();
    ({ context, page } = await signIn('user_platform', '/'));
  });
  afterAll(async () => {
    await context?.close();
    await browser?.close();
  });
  afterEach(() => {
    expect(problems).toEqual([]);
  });

  it('leads an operator who is no member to the health of every service', async () => {
    await page.waitForURL('**/operator');
    const services = page.getByRole('table', { name: 'Services' });
    // A busy machine answers late, and the page reads the state again.
    const readyRow = services.getByRole('row').filter({ hasText: 'flags' }).filter({ hasText: 'Ready' });
    await readyRow.waitFor();
    for (const name of ['catalogue', 'ingestion', 'identity'])
      expect(await services.getByRole('button', { name, exact: true }).count()).toBe(1);
    await services.getByRole('button', { name: 'flags' }).press('Enter');
    const detail = page.getByRole('region', { name: 'flags' });
    await expect
      .poll(() => detail.textContent())
      .toMatch(/event logAnswers.*databaseAnswers|databaseAnswers.*event logAnswers/);
    await page.keyboard.press('Escape');
    await expect.poll(() => detail.count()).toBe(0);
  });

  it('shows every page without violations of accessibility, wide and narrow, in both themes', async () => {
    for (const path of PAGES) {
      await open(path);
      await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
      await lookAt(page, `operator${path.replace('/', '-')}`);
    }
  }, 240_000);

  it('creates a plan and a company by keyboard alone, adds its owner, and deletes it after its name was typed', async () => {
    await open('/plans');
    await page.getByRole('button', { name: 'Create plan' }).press('Enter');
    await dialog().getByLabel('Tier').fill('fleet');
    await dialog().getByLabel('Entitlements').fill('{"seats": 0');
    await expect.poll(() => dialog().textContent()).toContain('Not a JSON object');
    await dialog().getByLabel('Entitlements').fill('{"seats": 5}');
    expect(await violationsOf(page)).toEqual([]);
    await dialog().getByLabel('Tier').press('Enter');
    await row('Plans', 'fleet').waitFor();

    await open('/companies');
    await page.getByRole('button', { name: 'Create company' }).press('Enter');
    await dialog().getByLabel('Id').fill('co_lumen');
    await dialog().getByLabel('Name').fill('Fjord Ferries');
    await dialog().getByLabel('Plan').selectOption('fleet / monthly');
    await dialog().getByLabel('Name').press('Enter');
    await expect.poll(() => dialog().textContent()).toContain('co_lumen is the id of another company');
    await dialog().getByLabel('Id').fill('co_fjord');
    await dialog().getByLabel('Name').press('Enter');
    const company = page.getByRole('region', { name: 'Fjord Ferries' });
    await company.getByText('No member yet').waitFor();

    await company.getByRole('button', { name: 'Add member' }).press('Enter');
    await dialog().getByLabel('Subject').fill('sub-liv');
    await dialog().getByLabel('Name').fill('Liv Berg');
    await dialog().getByLabel('Email').fill('liv@fjord.example');
    expect(await violationsOf(page)).toEqual([]);
    await dialog().getByLabel('Email').press('Enter');
    await company.getByRole('button', { name: 'Liv Berg' }).waitFor();
    await expect.poll(() => dialog().count()).toBe(0);

    await company.getByLabel('Plan', { exact: true }).selectOption('growth / monthly');
    await company.getByRole('button', { name: 'Save company' }).press('Enter');
    await row('Companies', 'growth / monthly').filter({ hasText: 'Fjord' }).waitFor();

    await company.getByRole('button', { name: 'Delete company' }).press('Enter');
    const confirmed = dialog().getByRole('button', { name: 'Delete company' });
    expect(await confirmed.isDisabled()).toBe(true);
    await dialog().getByLabel('Type Fjord Ferries to confirm').fill('Fjord Ferries');
    await confirmed.press('Enter');
    await expect.poll(() => row('Companies', 'Fjord Ferries').count()).toBe(0);

    await open('/erasures?company=co_fjord');
    await row('Erasures', 'The company').getByRole('button').first().click();
    await page.getByText('archive (eu)').waitFor();

    await open('/plans?open=fleet%2Fmonthly');
    await dialog().getByRole('button', { name: 'Delete plan' }).click();
    await dialog().getByRole('button', { name: 'Delete plan' }).click();
    await expect.poll(() => row('Plans', 'fleet').count()).toBe(0);
  });

  it('creates, changes and deletes a model, and sets the markup', async () => {
    await open('/models');
    await page.getByRole('button', { name: 'Create model' }).click();
    await dialog().getByLabel('Id').fill('medium-3');
    await dialog().getByLabel('Name').fill('Medium 3');
    await dialog().getByLabel('Input').fill('1500000');
    await dialog().getByRole('button', { name: 'Create model' }).click();
    await row('AI models', 'Medium 3').getByText('$1.50').waitFor();
    await row('AI models', 'Medium 3').getByRole('button').click();
    await dialog().getByLabel('Input').fill('2000000');
    await dialog().getByRole('button', { name: 'Save model' }).click();
    await row('AI models', 'Medium 3').getByText('$2.00').waitFor();
    await row('AI models', 'Medium 3').getByRole('button').click();
    await dialog().getByRole('button', { name: 'Delete model' }).click();
    await dialog().getByRole('button', { name: 'Delete model' }).click();
    await expect.poll(() => row('AI models', 'Medium 3').count()).toBe(0);
    await page.getByLabel('Percent that published prices add').fill('31');
    await page.getByRole('button', { name: 'Save markup' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Save markup' }).isDisabled()).toBe(true);
    await page.reload();
    await expect.poll(() => page.getByLabel('Percent that published prices add').inputValue()).toBe('31');
  });

  it('throttles a project, drops its events and ends both', async () => {
    const { project_id: project } = running.demo;
    await open('/throttles');
    await page.getByRole('button', { name: 'Throttle project' }).click();
    await dialog().getByLabel('Project id').fill('nowhere');
    await dialog().getByRole('button', { name: 'Throttle project' }).click();
    await dialog().getByRole('alert').waitFor();
    await dialog().getByLabel('Project id').fill(project);
    await dialog().getByLabel('Events a second, in each region').fill('250');
    await dialog().getByRole('button', { name: 'Throttle project' }).click();
    await row('Throttles', project).getByText('250 a second').waitFor();
    await row('Throttles', project).getByRole('button', { name: project }).click();
    await dialog().getByLabel('Above the rate').selectOption('drop');
    expect(await violationsOf(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Drop events' }).click();
    await row('Throttles', project).getByText('events are dropped').waitFor();
    await row('Throttles', project).getByRole('button', { name: 'End throttle' }).click();
    await page.getByText('No project is throttled').waitFor();
  });

  it('shows a record that the archive could not read, replays letters once by keyboard, and archives an event once', async () => {
    const { project_id: project, management_url, tokens } = running.demo;
    await open('/dead-letters');
    await page.getByText('No dead letters in the last 30 days').waitFor();

    const event = {
      event_id: 'rejected-1',
      distinct_id: 'letter-reader',
      event_name: 'signed up',
      schema_version: 1,
      timestamp: '2026-03-01T09:30:00.000Z',
      occurred_at: '2026-03-01T09:30:00.000Z',
    };
    const headers = { project, received_at: new Date().toISOString(), sent_at: event.timestamp, count: '1' };
    const record = { partition: 0, key: project, headers };
    const log = await openEventLog(running.home);
    await log.publish('events', [{ ...record, value: Buffer.from('{"poison": 1}') }]);
    const rejected = { ...headers, 'dead-letter-reason': 'not stored: 53100', 'dead-letter-line': '-1' };
    const value = Buffer.from(JSON.stringify(event));
    await log.publish('events.dead-letter', [{ ...record, value, headers: rejected }]);
    await log.close();

    const letters = page.getByRole('table', { name: 'Dead letters' });
    await expect.poll(() => letters.getByRole('row').count(), { timeout: 60_000 }).toBe(3);
    await row('Dead letters', '53100').getByRole('button').press('Enter');
    const detail = page.getByRole('region', { name: /^events 0\// });
    await detail.getByRole('button', { name: 'Show record' }).press('Enter');
    await detail.getByRole('region', { name: 'the record' }).getByText('"event_id": "rejected-1"').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/dead-letter.png` });
    await page.keyboard.press('Escape');
    await row('Dead letters', '53100').getByRole('button').focus();
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Replay 1 letter' }).press('Enter');
    await dialog().getByText('Publishes the records to their topic again').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Replay 1 letter' }).press('Enter');
    await expect
      .poll(() => dialog().getByRole('status').textContent(), { timeout: 30_000 })
      .toMatch(/Replayed1/);
    expect(await violationsOf(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Close' }).press('Enter');
    await expect.poll(() => row('Dead letters', '53100').textContent()).toMatch(/1$/);

    await page.getByRole('combobox', { name: 'All states' }).selectOption('waiting');
    await expect.poll(() => letters.getByRole('row').count()).toBe(2);
    const env = { SWITCHBOARD_URL: management_url, SWITCHBOARD_TOKEN: tokens.operator };
    const listed = await runCommand(['dead-letters', 'list', 'events', '--project', project], env);
    expect([listed.err, listed.out]).toEqual(['', expect.stringMatching(/^\S+ events 0\/\d+ \S+: .+\n$/)]);
    const [, place = ''] = / (\d+\/\d+) /.exec(listed.out) ?? [];
    expect((await runCommand(['dead-letters', 'get', 'events', place], env)).out).toContain('{"poison": 1}');
    expect(
      await runCommand(['dead-letters', 'replay', 'events', '--reason', 'nothing like it'], env),
    ).toEqual({
      code: 0,
      out: '0 replayed\n',
      err: '',
    });

    // Replays what the filter leaves: the record that is still unreadable becomes a dead letter again.
    await page.getByRole('button', { name: 'Replay letters' }).press('Enter');
    await dialog().getByRole('button', { name: 'Replay letters' }).press('Enter');
    await expect
      .poll(() => dialog().getByRole('status').textContent(), { timeout: 30_000 })
      .toMatch(/Replayed1/);
    await dialog().getByRole('button', { name: 'Close' }).press('Enter');
    await page.getByRole('combobox', { name: 'All states' }).selectOption('');
    await expect.poll(() => letters.getByRole('row').count(), { timeout: 60_000 }).toBe(4);
    await eventually(
      async () => {
        const found = await fetch(`${management_url}/management/v1/projects/${project}/events/rejected-1`, {
          headers: { Authorization: `Bearer ${tokens.operator}` },
        });
        expect(await found.json()).toMatchObject({ state: 'archived', duplicates: [] });
      },
      { withinMs: 90_000 },
    );
  });

  it('finds a consumer group by its topic', async () => {
    await open('/topics');
    await page.getByLabel('Topic or group').fill('archive.replays');
    const groups = page.getByRole('table', { name: 'Consumer groups' });
    await expect.poll(() => groups.getByRole('row').count()).toBe(2);
    await expect.poll(() => row('Consumer groups', 'archive.replays').textContent()).toMatch(/replays.*4/);
  });

  it('shows members who are no operators neither the entry nor the pages, and passes no call on for them', async () => {
    const other = await signIn('user_ines', '/');
    await other.page.waitForURL('**/projects/**');
    const pages = other.page.getByRole('navigation', { name: 'Pages' });
    await pages.getByRole('link', { name: 'Flags' }).waitFor();
    expect(await pages.getByRole('link', { name: 'Deployment' }).count()).toBe(0);
    await other.page.goto(`${running.demo.console_url}/operator/companies`);
    await other.page.getByRole('heading', { name: 'Only for operators' }).waitFor();
    expect(await violationsOf(other.page)).toEqual([]);
    const statuses = await other.page.evaluate(
      (token) =>
        Promise.all(
          ['/operator/state', '/operator/catalogue/management/v1/companies'].map(
            async (path) => (await fetch(path, { headers: { Authorization: `Bearer ${token}` } })).status,
          ),
        ),
      running.demo.tokens.operator,
    );
    expect(statuses).toEqual([403, 403]);
    await other.context.close();
  });

  it('creates the first company and project of a deployment, and shows the code that sends events', async () => {
    // As in a deployment without companies.
    const list = /\/management\/v1\/companies(\?|$)/;
    await page.route(list, (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({ json: { companies: [], nextCursor: null } })
        : route.fallback(),
    );
    await open('');
    await page.getByRole('heading', { name: 'Create the first project' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await open('/companies');
    await page.getByRole('heading', { name: 'Create the first project' }).waitFor();
    await page.getByLabel('Company', { exact: true }).fill('Acme');
    await page.getByLabel('Project', { exact: true }).fill('Web shop');
    expect(await page.getByLabel('Your email').count()).toBe(0);
    expect(await page.getByLabel('Region').inputValue()).toBe('eu');
    await page.getByLabel('Region').press('Enter');
    await page.waitForURL(/\/projects\/web-shop-\w+\/settings\/keys/, { timeout: 60_000 });
    await page.getByRole('region', { name: 'the snippet' }).getByText('pk_eu_').waitFor();
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByText('Acme', { exact: true }).waitFor();
    await page.unroute(list);
    // The person owns the company, so the deployment leads to its project from now on.
    const own = await context.newPage();
    await own.goto(running.demo.console_url);
    await own.waitForURL(/\/projects\/web-shop-\w+/);
    await own.close();
    await page.goto(`${running.demo.console_url}/operator`);
    await page.getByRole('table', { name: 'Services' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Create the first project' }).count()).toBe(0);
  });
});
