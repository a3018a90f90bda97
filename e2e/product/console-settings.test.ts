import { hash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createClient } from '@switchboard/management';
import { call, hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { lookAt, openConsole, tabTo, violationsOf } from './testing/console.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();

describe.skipIf(!hasChromium)('the settings in the console', () => {
  let browser: Browser;
  let page: Page;
  let problems: string[] = [];
  const settings = () => `/projects/${running.demo.project_id}/settings`;
  const dialog = () => page.getByRole('dialog');

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    await page.context().close();
    expect(problems).toEqual([]);
  });

  /** Opens a page of the settings as the demo's owner, or with another token. */
  async function open(path: string, { token = running.demo.tokens.owner } = {}): Promise<void> {
    ({ page, problems } = await openConsole(browser, running.demo, `${settings()}${path}`, { token }));
  }

  const look = (name: string) => lookAt(page, name);

  it('replaces a key while the old one works, and shows snippets with the addresses of the deployment', async () => {
    await open('/keys');
    const rows = page.getByRole('table', { name: 'Project keys' }).getByRole('row');
    const old = running.demo.project_key;
    await rows.filter({ hasText: old }).getByRole('button', { name: 'Replace key' }).click();
    await dialog().getByRole('button', { name: 'Create new key' }).click();
    await page.getByText(`then revoke ${old}`, { exact: false }).waitFor();
    await expect.poll(() => rows.count()).toBe(3);
    const created = rows.filter({ hasNotText: old }).last();
    const newest = await created.getByRole('cell').first().textContent();
    for (const [platform, expected] of [
      ['node', `npm install ${running.demo.base_url}/sdk/node.tgz`],
      ['react', `${running.demo.base_url}/sdk/react.tgz`],
      ['openfeature', `key: '${newest?.trim()}'`],
      ['shell', running.demo.eu_api_url],
    ] as const) {
      await page.getByLabel('Platform').selectOption(platform);
      await expect.poll(() => page.getByRole('main').textContent()).toContain(expected);
    }
    expect(new URL(page.url()).searchParams.get('install')).toBe('shell');
    expect(await violationsOf(page)).toEqual([]);
    await created.getByRole('button', { name: 'Revoke key' }).click();
    await dialog().getByRole('button', { name: 'Revoke key' }).click();
    await expect.poll(() => rows.count()).toBe(2);
  });

  it('creates a webhook, shows its secret once, sends a test and shows the attempt with the response', async () => {
    const bodies: string[] = [];
    const receiver = createServer(async (request, response) => {
      bodies.push(await text(request));
      response.end(`answer ${bodies.length}`);
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void receiver.close());
    const { port } = receiver.address() as AddressInfo;
    await open('/webhooks');
    await page.getByText('No webhook yet.', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await dialog().getByLabel('Id', { exact: true }).fill('warehouse');
    await dialog().getByLabel('URL').fill('http://hooks.example.com/');
    await dialog().getByLabel('Event', { exact: true }).fill('order placed');
    await dialog().getByRole('button', { name: 'Create webhook' }).click();
    await dialog().getByText('not an https URL', { exact: false }).waitFor();
    await dialog().getByLabel('URL').fill(`http://127.0.0.1:${port}/hook`);
    expect(await violationsOf(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Create webhook' }).click();
    const shown = page.getByRole('dialog', { name: 'Signing secret' });
    await expect.poll(() => shown.textContent()).toMatch(/whsec_\S+/);
    await shown.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'Send test' }).click();
    const log = page.getByRole('table', { name: 'Messages' });
    await expect.poll(() => log.textContent(), { timeout: 15_000 }).toContain('Delivered');
    await log.getByRole('button', { name: 'Test' }).click();
    await page.getByText('answer 1').waitFor();
    await look('webhooks');
    await page.getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => bodies.length).toBe(2);
    expect(bodies[1]).toBe(bodies[0]);
    await page.getByRole('button', { name: 'All messages' }).click();
    await page.getByRole('button', { name: 'Edit webhook' }).click();
    await dialog().getByLabel('Format').selectOption('Slack');
    await dialog().getByRole('button', { name: 'Save webhook' }).click();
    await page.getByRole('button', { name: 'Send test' }).click();
    await expect.poll(() => bodies[2]).toMatch(/^{"text":"\*Test of the webhook “warehouse”/);
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await dialog().getByRole('button', { name: 'Rotate secret' }).click();
    await expect.poll(() => shown.textContent()).toMatch(/whsec_\S+/);
    await shown.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('Previous secret signs until').waitFor();
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await dialog().getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText('No webhook yet.', { exact: false }).waitFor();
  });

  it('creates a webhook for people who enter a cohort, and shows the state of the cohort', async () => {
    await open('/webhooks');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await dialog().getByLabel('Id', { exact: true }).fill('crm');
    await dialog().getByLabel('URL').fill('https://hooks.example.com/');
    await dialog().getByLabel('Events', { exact: true }).uncheck();
    await dialog().getByLabel('People who enter a cohort').check();
    const create = dialog().getByRole('button', { name: 'Create webhook' });
    await expect.poll(() => create.isDisabled()).toBe(true);
    await dialog().getByLabel('Beta testers').check();
    expect(await violationsOf(page)).toEqual([]);
    await create.click();
    await page
      .getByRole('dialog', { name: 'Signing secret' })
      .getByRole('button', { name: 'Close' })
      .last()
      .click();
    const state = page.getByText('Beta testers: 2 people', { exact: false });
    const isShown = async () => {
      await page.reload();
      return state.waitFor({ timeout: 3_000 }).then(
        () => true,
        () => false,
      );
    };
    await expect.poll(isShown, { timeout: 30_000 }).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
    await look('webhooks-cohorts');
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await dialog().getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText('No webhook yet.', { exact: false }).waitFor();
  });

  it('shows the command that imports events, and how far each import is', async () => {
    const { management_url: url, project_id: projectId, tokens } = running.demo;
    await open('/imports');
    await page.getByText('No events were imported yet.', { exact: false }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const client = createClient({ url, token: tokens.operator });
    const params = { projectId, importId: 'export' };
    const file = { source: 'posthog', name: 'export-2025.jsonl.gz' } as const;
    await client.call('putImport', { params, body: { ...file, totalParts: null } });
    const event = { distinct_id: 'ada', event_id: 'imported', event_name: 'paid', schema_version: 1 };
    const part = Buffer.from(JSON.stringify({ ...event, timestamp: '2025-03-01T09:30:00Z', properties: {} }));
    await client.untyped.call('putImportPart', {
      params: { ...params, part: '0' },
      query: { sha256: hash('sha256', part, 'hex') },
      body: part,
    });
    const row = page.getByRole('row').filter({ hasText: file.name });
    await row.getByText('1 part so far').waitFor();
    await client.call('putImport', { params, body: { ...file, totalParts: 1 } });
    await row.getByText('Complete').waitFor();
    await look('imports');
    expect(await violationsOf(page)).toEqual([]);
  });

  it('creates a token by keyboard alone, shows it once, rotates it and revokes it', async () => {
    await open('/tokens');
    await page.getByRole('button', { name: 'Create token' }).press('Enter');
    await dialog().getByLabel('Name').fill('deploy pipeline');
    await dialog().getByLabel('Kind').selectOption('service');
    await dialog().getByLabel('flags.read').press('Space');
    expect(await violationsOf(page)).toEqual([]);
    await dialog().getByLabel('Name').press('Enter');
    const shown = page.getByRole('dialog', { name: 'Access token' });
    await expect.poll(() => shown.textContent()).toMatch(/sbsvc_\w+/);
    await page.keyboard.press('Escape');
    await shown.waitFor({ state: 'detached' });
    await page.getByRole('table', { name: 'Access tokens' }).getByRole('button').first().press('Enter');
    const detail = page.getByRole('region', { name: 'deploy pipeline' });
    await detail.getByText('flags.read').waitFor();
    await detail.getByRole('button', { name: 'Rotate token' }).press('Enter');
    await dialog().getByRole('button', { name: 'Rotate token' }).press('Enter');
    await expect.poll(() => shown.textContent()).toMatch(/sbsvc_\w+/);
    await page.keyboard.press('Escape');
    await detail.getByRole('button', { name: 'Revoke token' }).press('Enter');
    await dialog().getByRole('button', { name: 'Revoke token' }).press('Enter');
    await detail.waitFor({ state: 'detached' });
  });

  /** Saves the project. The button is disabled while the change is sent, and again once it is saved. */
  async function saved(save: Locator): Promise<void> {
    const answered = page.waitForResponse((response) => response.request().method() === 'PUT');
    await save.click();
    await answered;
    await expect.poll(() => save.isDisabled()).toBe(true);
  }

  it('changes the origins of the project and says which line is wrong', async () => {
    await open('/project');
    const save = page.getByRole('button', { name: 'Save project' });
    expect(await save.isDisabled()).toBe(true);
    await page.getByLabel('Origins').fill('https://shop.example/path');
    await save.click();
    expect(await page.getByRole('alert').textContent()).toContain('allowedOrigins[0]');
    await page.getByLabel('Origins').fill('https://shop.example\nhttps://www.shop.example');
    await saved(save);
    await page.reload();
    await expect
      .poll(() => page.getByLabel('Origins').inputValue())
      .toBe('https://shop.example\nhttps://www.shop.example');
    await page.getByLabel('Origins').fill('');
    await save.click();
    await expect.poll(() => save.isDisabled()).toBe(true);
    const origins = page.getByLabel('Origins');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => origins.inputValue()).toContain('https://www.shop.example');
    await origins.fill('');
    await save.click();
    await expect.poll(() => save.isDisabled()).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
  });

  it('switches the SDKs of another product on and off for the project', async () => {
    await open('/project');
    const save = page.getByRole('button', { name: 'Save project' });
    const segment = page.getByLabel('Segment, RudderStack');
    await segment.check();
    await saved(save);
    await page.reload();
    await expect.poll(() => segment.isChecked()).toBe(true);
    await segment.uncheck();
    await save.click();
    await expect.poll(() => save.isDisabled()).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
  });

  it('creates an identity secret, shows it once, and deletes it', async () => {
    await open('/project');
    const rows = page.getByRole('table', { name: 'Identity secrets' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByRole('button', { name: 'Create secret' }).click();
    await page.getByRole('dialog', { name: 'Identity secret' }).waitFor();
    await dialog().getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => rows.count()).toBe(3);
    expect(await page.getByRole('button', { name: 'Create secret' }).isDisabled()).toBe(true);
    await rows.last().getByRole('button', { name: 'Delete secret' }).click();
    await dialog().getByRole('button', { name: 'Delete secret' }).click();
    await expect.poll(() => rows.count()).toBe(2);
  });

  it('downloads the audit trail with the filters and days of the page', async () => {
    const today = new Date().toISOString().slice(0, 10);
    await open(`/audit?action=createIdentitySecret&from=${today}`);
    await page.getByRole('table', { name: 'Audit trail' }).waitFor();
    expect(await page.getByLabel('From').inputValue()).toBe(today);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download NDJSON' }).click(),
    ]);
    const chunks = await (await download.createReadStream()).toArray();
    const entries = Buffer.concat(chunks)
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(entries.map(({ action }) => action)).toContain('createIdentitySecret');
    expect(new Set(entries.map(({ action }) => action)).size).toBe(1);
    await page.getByLabel('From').fill('2020-01-01');
    await page.getByLabel('To', { exact: true }).fill('2020-01-02');
    await page.getByText('No entry matches the filters.').waitFor();
  });

  it('erases a person by an id that is typed twice, and shows how far each service is', async () => {
    await open('/erasures');
    await page.getByRole('button', { name: 'Erase person' }).click();
    const submit = dialog().getByRole('button', { name: 'Erase person' });
    await dialog().getByLabel('Distinct id', { exact: true }).fill('visitor-gone');
    expect(await submit.isDisabled()).toBe(true);
    await dialog().getByLabel('Type the distinct id again').fill('visitor-gone');
    expect(await violationsOf(page)).toEqual([]);
    await submit.click();
    const detail = page.getByRole('region', { name: 'A person' });
    await detail.getByText('archive (eu)').waitFor();
    const table = page.getByRole('table', { name: 'Erasures' });
    await table.getByText(running.demo.project_id).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  it('deletes a project after its name is typed, and leads to its erasure', async () => {
    const { base_url, management_url, tokens, project_id } = running.demo;
    const shop = await call('GET', `${base_url}/v1/projects/${project_id}`, { token: tokens.owner });
    const { id: _, ...definition } = shop.body;
    const made = await call('PUT', `${management_url}/management/v1/projects/prj_short`, {
      token: tokens.operator,
      body: { ...definition, name: 'Short-lived' },
    });
    expect(made.status).toBe(200);
    ({ page, problems } = await openConsole(browser, running.demo, '/projects/prj_short/settings/project'));
    await page.getByRole('button', { name: 'Delete project' }).click();
    const submit = dialog().getByRole('button', { name: 'Delete project' });
    expect(await submit.isDisabled()).toBe(true);
    await dialog().getByLabel('Type Short-lived to confirm').fill('Short-lived');
    await submit.click();
    await page.waitForURL('**/settings/erasures?project=prj_short');
    await page.getByRole('table', { name: 'Erasures' }).getByRole('button', { name: 'A project' }).click();
    await page.getByRole('region', { name: 'A project' }).getByText('archive (eu)').waitFor();
  });

  it('sets up single sign-on by keyboard: domain, provider, groups and SCIM', async () => {
    await open('/sign-in');
    await page.getByText('No domain: the provider signs in no one yet.').waitFor();
    await page.getByLabel('New domain').fill('Lumen.example');
    await page.getByLabel('New domain').press('Enter');
    const domains = page.getByRole('table', { name: 'Email domains' });
    await domains.getByText('not verified').waitFor();
    await page.getByText('_switchboard.lumen.example').waitFor();
    await domains.getByRole('button', { name: 'Verify domain' }).press('Enter');
    await page.getByRole('alert').getByText('has no TXT record').waitFor();

    await page.getByText(`${running.demo.base_url}/identity/upstream/callback`).waitFor();
    const test = page.getByRole('button', { name: 'Test provider' });
    expect(await test.isDisabled()).toBe(true);
    await page.getByLabel('Name', { exact: true }).fill('Lumen');
    await page.getByLabel('Issuer').fill('http://127.0.0.1:1');
    await page.getByLabel('Client ID').fill('switchboard');
    await page.getByLabel('Client secret').fill('not-returned');
    await page.getByLabel('Require the provider').press('Space');
    await page.getByLabel('Claim of groups').press('Enter');
    await expect.poll(() => test.isEnabled()).toBe(true);
    expect(await page.getByLabel('Client secret').inputValue()).toBe('');
    await test.press('Enter');
    await page.getByRole('status').getByText('http://127.0.0.1:1 has no valid discovery document.').waitFor();

    await page.getByRole('button', { name: 'Add group' }).press('Enter');
    await page.getByLabel('Group 1', { exact: true }).fill('Support');
    await page.getByLabel('Role of group 1').selectOption('support');
    await page.getByLabel('Group 1', { exact: true }).press('Enter');
    await expect.poll(() => page.getByRole('button', { name: 'Save groups' }).isDisabled()).toBe(true);
    await page.getByLabel('Name of the provider').fill('Entra ID');
    await page.getByLabel('Name of the provider').press('Enter');
    await page
      .getByRole('dialog', { name: 'SCIM token' })
      .getByRole('button', { name: 'Close' })
      .press('Enter');
    await page.getByRole('table', { name: 'SCIM tokens' }).getByText('Entra ID').waitFor();
    await page.reload();
    await page.getByRole('table', { name: 'SCIM tokens' }).waitFor();
    expect(await page.getByLabel('Group 1', { exact: true }).inputValue()).toBe('support');
    await look('sign-in');

    await page.getByRole('button', { name: 'Delete SCIM token' }).press('Enter');
    await dialog().getByRole('button', { name: 'Delete SCIM token' }).press('Enter');
    await page.getByText('No token: members are those').waitFor();
    await page.getByRole('button', { name: 'Remove provider' }).press('Enter');
    await dialog().getByRole('button', { name: 'Remove provider' }).press('Enter');
    await expect.poll(() => page.getByLabel('Issuer').inputValue()).toBe('');
  });

  it('shows the set-up of single sign-on to owners alone', async () => {
    await open('/sign-in', { token: running.demo.tokens.teammate });
    expect(await page.getByLabel('Issuer').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Single sign-on' }).count()).toBe(0);
  });

  it('invites a person by mail, withdraws the invitation, and changes the role of a member', async () => {
    await open('/members');
    await page.getByRole('button', { name: 'Invite person' }).press('Enter');
    await dialog().getByLabel('Email').fill('grace@lumen.example');
    await dialog().getByLabel('Role').selectOption('support');
    expect(await violationsOf(page)).toEqual([]);
    await dialog().getByLabel('Email').press('Enter');
    const sent = page.getByRole('table', { name: 'Invitations' });
    await sent.getByText('grace@lumen.example').waitFor();
    await sent.getByRole('button', { name: 'Withdraw invitation' }).press('Enter');
    await sent.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Mei Tanaka' }).click();
    const detail = page.getByRole('region', { name: 'Mei Tanaka' });
    const role = detail.getByLabel('Role', { exact: true });
    const before = await role.inputValue();
    expect(await violationsOf(page)).toEqual([]);
    for (const next of [before === 'viewer' ? 'support' : 'viewer', before]) {
      await role.selectOption(next);
      await detail.getByRole('button', { name: 'Change role' }).click();
      await expect.poll(() => detail.locator('dd').last().textContent()).toBe(next);
    }
  });

  it('invites a colleague by keyboard alone', async () => {
    await open('/members');
    await tabTo(page, page.getByRole('button', { name: 'Invite person' }));
    await page.keyboard.press('Enter');
    await tabTo(page, dialog().getByLabel('Email'));
    await page.keyboard.type('katherine@lumen.example');
    await tabTo(page, dialog().getByLabel('Role'));
    await page.keyboard.type('ed');
    await tabTo(page, dialog().getByRole('button', { name: 'Send invitation' }));
    await page.keyboard.press('Enter');
    const sent = page.getByRole('table', { name: 'Invitations' }).getByRole('row');
    await sent.filter({ hasText: 'katherine@lumen.example' }).getByText('editor').waitFor();
  });

  it('shows no settings to a person without the permission', async () => {
    await open('/members', { token: running.demo.tokens.teammate });
    const rail = page.getByRole('navigation', { name: 'Pages' });
    await rail.getByRole('link', { name: 'Members' }).waitFor();
    expect(await rail.getByRole('link', { name: 'Project settings' }).count()).toBe(0);
    await page.getByText('Administrators invite people.').waitFor();
    expect(await page.getByRole('button', { name: 'Invite person' }).count()).toBe(0);
  });
});
