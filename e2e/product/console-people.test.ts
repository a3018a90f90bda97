import { call, eventually, hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lookAt, openConsole, tabTo, violationsOf } from './testing/console.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();

describe.skipIf(!hasChromium)('people and groups in the console', () => {
  let browser: Browser;
  let page: Page;
  let problems: string[] = [];
  const project = () => `/projects/${running.demo.project_id}`;

  beforeAll(async () => {
    browser = await openBrowser();
    const { eu_api_url: events, project_key: token, base_url, project_id, tokens } = running.demo;
    const timestamp = new Date().toISOString();
    const send = async (path: string, body: object) =>
      expect((await call('POST', events + path, { token, body })).status).toBe(202);
    await send('/v1/events', {
      sent_at: timestamp,
      events: [
        {
          distinct_id: 'visitor-nora',
          event_id: 'nora-1',
          event_name: 'book opened',
          schema_version: 1,
          timestamp,
        },
      ],
    });
    await send('/v1/identify', {
      distinct_id: 'nora',
      properties: { name: 'Nora Quist', plan: 'pro', anonymous_id: 'visitor-nora' },
    });
    await send('/v1/group', {
      distinct_id: 'nora',
      properties: { group_id: 'quist', name: 'Quist & Co', group_type: 'company' },
    });
    const read = (path: string) =>
      call('GET', `${base_url}/v1/projects/${project_id}/${path}`, { token: tokens.owner });
    await eventually(
      async () => {
        const [person, group] = [await read('people/nora'), await read('groups/company/quist')];
        expect([person.body.ids.length, person.body.events.length]).toEqual([2, 1]);
        expect(group.body).toMatchObject({ members: 1, people: [{ distinctId: 'nora' }] });
      },
      { withinMs: 60_000 },
    );
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    await page.context().close();
    expect(problems).toEqual([]);
  });

  /** Opens a page of the console with the token of the demo's owner instead of a sign-in. */
  async function open(path: string) {
    ({ page, problems } = await openConsole(browser, running.demo, project() + path));
  }

  const table = (name: string) => page.getByRole('table', { name, exact: true });

  it('leads from a search to the ids, flags and time line of a person, by keyboard alone', async () => {
    await open('');
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await table('People').waitFor();
    await page.getByRole('searchbox', { name: 'Id, name or email' }).focus();
    await page.keyboard.type('nora q');
    await expect.poll(() => table('People').getByRole('row').count()).toBe(2);
    expect(new URL(page.url()).searchParams.get('search')).toBe('nora q');
    await table('People').getByRole('button', { name: 'Nora Quist' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Nora Quist' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`${project()}/people/nora`);
    expect(await table('Ids').textContent()).toContain('visitor-nora');
    expect(await table('Time line').textContent()).toContain('book opened');
    expect(await table('Time line').textContent()).toContain('visitor-nora joined by an identify call');
    const flags = table('Flags').getByRole('row');
    await flags.nth(1).waitFor();
    expect(await flags.nth(1).textContent()).toMatch(
      /Matches|Flag is off|Prerequisite not met|Targeting not met|Outside the rollout/,
    );
  });

  it('filters by a trait, and says when no one matches', async () => {
    await open('/people?trait=plan&op=eq&value=pro&search=nora');
    await table('People').getByRole('button', { name: 'Nora Quist' }).waitFor();
    await page.getByRole('searchbox', { name: 'Value' }).fill('none');
    await page.getByText('No person matches the filters.').waitFor();
  });

  it('parts an id after a confirmation, and joins it again', async () => {
    await open('/people/nora');
    const rows = table('Ids').getByRole('row');
    await rows.filter({ hasText: 'visitor-nora' }).getByRole('button', { name: 'Part id' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Part id' }).click();
    await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(2);
    await page.getByRole('button', { name: 'Join another id' }).click();
    await dialog.getByLabel('Distinct id').fill('visitor-nora');
    await dialog.getByRole('button', { name: 'Join id' }).click();
    await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(3);
  });

  it('asks for the id before it erases a person', async () => {
    await open('/people/nora');
    await page.getByRole('button', { name: 'Erase person' }).click();
    const erase = page.getByRole('dialog').getByRole('button', { name: 'Erase person' });
    expect(await erase.isDisabled()).toBe(true);
    await page.getByRole('dialog').getByLabel('Type nora to confirm').fill('nora');
    expect(await erase.isDisabled()).toBe(false);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('shows the members of a group beside the list, and leads to a member', async () => {
    await open('/groups');
    await table('Groups').getByRole('button', { name: 'Quist & Co' }).click();
    await table('Members').getByRole('button', { name: 'Nora Quist' }).click();
    await page.getByRole('heading', { level: 1, name: 'Nora Quist' }).waitFor();
  });

  it('violates no axe rule and fits every width in both schemes', async () => {
    const paths = {
      groups: '/groups?open=quist&openType=company',
      people: '/people',
      person: '/people/nora',
    };
    for (const [name, path] of Object.entries(paths)) {
      await open(path);
      await page.getByRole('table').first().waitFor();
      await page.waitForLoadState('networkidle');
      await lookAt(page, name);
      if (name !== 'person') await page.context().close();
    }
  });

  it('builds a cohort with a preview of its size, saves it and names its uses, by keyboard alone', async () => {
    await open('/cohorts');
    await press(page.getByRole('button', { name: 'Create cohort' }));
    await type(page.getByRole('textbox', { name: 'Name', exact: true }), 'Readers');
    await press(page.getByRole('button', { name: 'Add condition' }));
    const condition = page.getByRole('group', { name: 'Condition 1' });
    await type(condition.getByLabel('Event'), 'book opened');
    const size = page.getByRole('status', { name: 'Size' });
    await expect.poll(() => size.textContent(), { timeout: 30_000 }).toBe('Fulfil the conditions1 person');
    expect(await violationsOf(page)).toEqual([]);
    await press(page.getByRole('button', { name: 'Save cohort' }));
    await expect.poll(() => size.textContent(), { timeout: 30_000 }).toContain('Last computed1 person');
    await page.getByText('No flag, report or dashboard names the cohort.').waitFor();
    await page.reload();
    await condition.waitFor();
    expect(await condition.getByLabel('Event').inputValue()).toBe('book opened');
  });

  it('counts the people of a cohort by a trait and by an event that they did not send, by mouse', async () => {
    await open('/cohorts?open=new');
    const form = page.getByRole('form', { name: 'Cohort' });
    await form.getByRole('button', { name: 'Add filter' }).click();
    await form.getByLabel('Trait').fill('plan');
    await form.getByLabel('Value').fill('pro');
    const size = page.getByRole('status', { name: 'Size' });
    await expect.poll(() => size.textContent()).toMatch(/^Match the traits[1-9]\d* people/);
    await form.getByRole('button', { name: 'Add condition' }).click();
    await form.getByRole('group', { name: 'Condition 1' }).getByLabel('Event').fill('book opened');
    await form.getByLabel('Times').selectOption('at most');
    await form.getByLabel('Count').fill('0');
    await expect
      .poll(() => size.textContent(), { timeout: 30_000 })
      .toMatch(/Fulfil the conditions\d\d+ people$/);
  });

  /** Reaches an element by Tab, and presses Enter on it. */
  async function press(target: Locator): Promise<void> {
    await tabTo(page, target);
    await page.keyboard.press('Enter');
  }
  async function type(target: Locator, text: string): Promise<void> {
    await tabTo(page, target);
    await page.keyboard.type(text);
  }
});
