import { randomUUID } from 'node:crypto';
import { call, eventually, hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lookAt, openConsole, violationsOf } from './testing/console.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();

describe.skipIf(!hasChromium)('the inbox in the console', () => {
  let browser: Browser;
  let page: Page;
  let problems: string[] = [];
  const inbox = () => `/projects/${running.demo.project_id}/inbox`;

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    await page?.context().close();
    expect(problems).toEqual([]);
  });

  const asOwner = async (method: string, path: string, body?: object) => {
    const { base_url, project_id, tokens } = running.demo;
    const url = `${base_url}/v1/projects/${project_id}${path}`;
    const answer = await call(method, url, { token: tokens.owner, ...(body && { body }) });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };

  async function openConversation(distinctId: string, body: string): Promise<string> {
    const { base_url, project_key: token } = running.demo;
    const opened = await call('POST', `${base_url}/v1/conversations`, { token, body: { distinctId } });
    const { conversationId, token: own } = opened.body;
    const sent = await call('POST', `${base_url}/v1/conversations/${conversationId}/turns`, {
      token,
      headers: { 'X-Service-Conversation-Token': own },
      body: { body },
    });
    expect(sent.status).toBe(201);
    return conversationId;
  }

  /** Resolves what the demo and earlier tests left open. */
  async function clearAll(): Promise<void> {
    const { conversations } = await asOwner('GET', '/conversations?status=open');
    const conversationIds = conversations.map(({ id }: { id: string }) => id);
    if (conversationIds.length > 0)
      await asOwner('POST', '/conversation-changes', { conversationIds, change: { status: 'resolved' } });
  }

  async function open(path = '', { token = running.demo.tokens.owner } = {}): Promise<void> {
    const options = { width: 1440, height: 900, token };
    ({ page, problems } = await openConsole(browser, running.demo, inbox() + path, options));
  }

  const list = () => page.getByRole('region', { name: 'Conversations', exact: true });
  const rows = () => list().getByRole('listitem');
  const timeline = () => page.getByRole('region', { name: 'Time line' });
  const field = () => page.getByRole('textbox', { name: 'Reply' });

  it('shows the product that an imported conversation comes from, and the authors of its turns and notes', async () => {
    const said = { externalId: '1', createdAt: '2026-01-01T00:00:00Z' };
    const turn = { ...said, authorKind: 'teammate', authorName: 'Alan of Chatwoot', body: 'Refunded.' };
    const note = { ...said, authorName: 'Mary of Chatwoot', body: 'By hand.' };
    const imported = { externalId: 'shown', distinctId: 'visitor imported', status: 'open' };
    const { conversations } = await asOwner('POST', '/conversation-imports', {
      source: 'chatwoot',
      conversations: [{ ...imported, createdAt: said.createdAt, turns: [turn], notes: [note] }],
    });
    await open(`?open=${conversations[0].conversationId}`);
    await timeline().getByText('Alan of Chatwoot').waitFor();
    await timeline().getByText('Mary of Chatwoot').waitFor();
    await page.getByText('Imported from').waitFor();
    await page.getByText('Chatwoot', { exact: true }).waitFor();
    await lookAt(page, 'inbox-imported');
  });

  it('shows a new turn without a refresh, and keeps a draft when the agent looks elsewhere', async () => {
    await clearAll();
    const id = await openConversation('visitor live', 'First');
    await open(`?open=${id}`);
    await timeline().getByText('First', { exact: true }).waitFor();
    await page.keyboard.press('r');
    await page.keyboard.type('Half an answer');
    await page.keyboard.press('Escape');
    await openConversation('visitor other', 'Another question');
    await list().getByText('Another question').waitFor();
    await list().getByText('Another question').click();
    await timeline().getByText('Another question').waitFor();
    expect(await field().inputValue()).toBe('');
    await page.goBack();
    await timeline().getByText('First', { exact: true }).waitFor();
    expect(await field().inputValue()).toBe('Half an answer');
    await page.reload();
    await expect.poll(() => field().inputValue(), { timeout: 20_000 }).toBe('Half an answer');
  });

  it('keeps a reply that fails, and sends it once when the agent sends it again', async () => {
    const id = await openConversation('visitor retry', 'Anyone there?');
    await open(`?open=${id}`);
    await timeline().getByText('Anyone there?').waitFor();
    await page.route('**/turns', (route) => route.abort());
    await page.keyboard.press('r');
    await page.keyboard.type('Yes');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Send again' }).waitFor({ timeout: 20_000 });
    await page.unroute('**/turns');
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('button', { name: 'Send again' }).waitFor({ state: 'detached' });
    await eventually(async () => {
      const { turns } = await asOwner('GET', `/conversations/${id}`);
      expect(turns.map(({ body }: { body: string }) => body)).toEqual(['Anyone there?', 'Yes']);
    });
    await page.getByText('Sending').waitFor({ state: 'detached' });
  });

  it('assigns, snoozes and searches, and resolves several at once', async () => {
    await clearAll();
    const one = await openConversation('visitor a', 'A pelican question');
    const two = await openConversation('visitor b', 'Another pelican question');
    await open(`?open=${one}`);
    await timeline().getByText('A pelican question').waitFor();
    await page.keyboard.press('a');
    await page.getByRole('combobox', { name: 'Assign to' }).press('Enter');
    await eventually(async () =>
      expect((await asOwner('GET', `/conversations/${one}`)).assigneeId).not.toBeNull(),
    );
    await page.keyboard.press('h');
    await page.getByRole('combobox', { name: 'Snooze' }).press('Enter');
    await eventually(async () => expect((await asOwner('GET', `/conversations/${one}`)).snoozed).toBe(true));
    await page.getByRole('searchbox', { name: 'Search all turns' }).fill('pelican');
    await page.keyboard.press('Enter');
    await expect.poll(() => rows().count()).toBe(2);
    for (const row of await rows().all()) await row.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Resolve', exact: true }).first().click();
    await eventually(async () => {
      for (const id of [one, two])
        expect((await asOwner('GET', `/conversations/${id}`)).status).toBe('resolved');
    });
  });

  it('saves a view, completes a mention, shows a rating, and keeps preferences', async () => {
    await clearAll();
    const { base_url, project_key: key } = running.demo;
    const { mailAddress: _, ...settings } = await asOwner('GET', '/support-settings');
    // Without what an attempt before has left.
    const fresh = { views: [], mailOpensConversations: false };
    await asOwner('PUT', '/support-settings', { ...settings, asksSatisfaction: true, ...fresh });
    const subject = `Rated ${randomUUID()}`;
    const preferences = await asOwner('GET', '/inbox-preferences');
    const opened = await call('POST', `${base_url}/v1/conversations`, {
      token: key,
      body: { distinctId: 'rater', subject },
    });
    const { conversationId: id, token } = opened.body;
    const asVisitor = async (path: string, body: object) => {
      const headers = { 'X-Service-Conversation-Token': token };
      const answer = await call('POST', `${base_url}/v1/conversations/${id}/${path}`, {
        token: key,
        headers,
        body,
      });
      expect(answer.status).toBeLessThan(300);
    };
    await asVisitor('turns', { body: 'Is it done?' });
    const change = { status: 'resolved' };
    await asOwner('POST', '/conversation-changes', { conversationIds: [id], change });
    await asVisitor('satisfaction', { score: 2, comment: 'It took long' });

    await open();
    await page.getByRole('button', { name: 'New view' }).click();
    const dialog = page.getByRole('dialog', { name: 'New view' });
    await dialog.getByLabel('Name').fill('Unhappy');
    await dialog.getByLabel('Status').selectOption('resolved');
    await dialog.getByLabel('Rating').selectOption('bad');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('button', { name: 'Unhappy', exact: true }).waitFor();
    await rows().filter({ hasText: subject }).getByRole('button').click();
    await timeline().getByText('Rated 2 of 5').waitFor();
    await timeline().getByText('It took long').waitFor();
    const { views } = await asOwner('GET', '/support-settings');
    expect(views).toContainEqual({
      id: expect.any(String),
      name: 'Unhappy',
      filter: { status: 'resolved', satisfaction: 'bad' },
    });

    await page.keyboard.press('n');
    await page.keyboard.type('Look, @');
    const suggested = page.getByRole('listbox', { name: 'Members to mention' }).getByRole('option');
    const name = (await suggested.first().textContent()) ?? '';
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    const note = page.getByRole('textbox', { name: 'Private note' });
    await eventually(async () => expect(await note.inputValue()).toBe(`Look, @${name} `));

    await page.getByRole('link', { name: 'Preferences' }).click();
    await page.getByLabel('Desktop notifications').selectOption('mine');
    await page.getByLabel('Mail me what waits for me').check();
    await page.getByLabel('Quiet hours').check();
    await page.getByLabel('From').fill('21:30');
    await page.getByLabel('Mail replies that a visitor has not read').selectOption('After 30 minutes');
    await page.getByLabel('A reopened conversation keeps its assignee').selectOption('Never');
    // It shows the change once it is stored.
    await page.getByLabel('Open conversations for mail to your support address').click();
    await page.getByText(/^Forward your support address to \S+@\S+\.$|SUPPORT_MAIL_DOMAIN/).waitFor();
    await eventually(async () =>
      expect(await asOwner('GET', '/support-settings')).toMatchObject({
        mailAfterMinutes: 30,
        keepAssigneeDays: 0,
        mailOpensConversations: true,
      }),
    );
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save preferences' }).click();
    await page.getByText('Preferences saved.').waitFor();
    expect(await asOwner('GET', '/inbox-preferences')).toMatchObject({
      desktop: 'mine',
      mailDigest: true,
      quietHours: { from: '21:30', to: '08:00' },
    });
    await asOwner('PUT', '/inbox-preferences', preferences);
    const { mailAfterMinutes, keepAssigneeDays, mailOpensConversations } = settings;
    await asOwner('PUT', '/support-settings', {
      ...(await asOwner('GET', '/support-settings')),
      ...{ mailAfterMinutes, keepAssigneeDays, mailOpensConversations },
    });

    await page.goto(`${page.url().replace(/\/inbox.*/, '')}/inbox-report`);
    await page.getByRole('heading', { name: 'Satisfaction, from 1 to 5' }).waitFor();
    await page.getByText('Table', { exact: true }).last().click();
    await page.getByRole('columnheader', { name: 'Average rating' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  it('tells an agent that another one is answering', async () => {
    const id = await openConversation('visitor both', 'Who answers?');
    await open(`?open=${id}`);
    await timeline().getByText('Who answers?').waitFor();
    const { management_url, project_id, tokens } = running.demo;
    const url = `${management_url}/management/v1/projects/${project_id}/conversations/${id}/presence`;
    const headers = { 'Content-Type': 'application/json' };
    const shown = await call('POST', url, { token: tokens.operator, headers, body: { state: 'typing' } });
    expect(shown.status).toBe(200);
    await page.getByText(/is answering$/).waitFor();
  });

  it('violates no axe rule and fits every width in both schemes', async () => {
    await clearAll();
    const id = await openConversation('visitor axe', 'Is this accessible?');
    await asOwner('POST', `/conversations/${id}/notes`, { body: 'A note' });
    const paths = { inbox: '', 'inbox-open': `?open=${id}`, 'inbox-person': `?open=${id}&pane=person` };
    for (const [name, path] of Object.entries(paths)) {
      await open(path);
      if (path === '') await list().getByText('Is this accessible?').waitFor();
      else await page.getByText('visitor axe').locator('visible=true').first().waitFor();
      await lookAt(page, name, [1440, 1024, 390]);
      await page.context().close();
    }
  }, 120_000);
});
