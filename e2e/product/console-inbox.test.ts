import { call, eventually, hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openConsole, violationsOf } from './testing/console.ts';
import { standaloneForTests } from './testing/launch.ts';
import { siteForTests } from './testing/sdk-page.ts';

const running = standaloneForTests();
const CONVERSATIONS = 20;
const SECRET = 'PLANTED-SECRET';

describe.skipIf(!hasChromium)('the inbox in the console', () => {
  let browser: Browser;
  let page: Page;
  let problems: string[] = [];
  const inbox = () => `/projects/${running.demo.project_id}/inbox`;

  const site = siteForTests({
    modules: {
      switchboard: import.meta.resolve('@switchboard/browser'),
      messenger: import.meta.resolve('@switchboard/messenger'),
    },
    scripts: {},
    body: '<main><h1>Shop</h1></main>',
  });

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

  async function open(
    path = '',
    { colorScheme = 'light' as 'light' | 'dark', width = 1440, token = running.demo.tokens.owner } = {},
  ): Promise<void> {
    const options = { colorScheme, width, height: 900, token };
    ({ page, problems } = await openConsole(browser, running.demo, inbox() + path, options));
  }

  const list = () => page.getByRole('region', { name: 'Conversations', exact: true });
  const rows = () => list().getByRole('listitem');
  const middle = () => page.getByRole('region', { name: 'Conversation', exact: true });
  const timeline = () => page.getByRole('region', { name: 'Time line' });
  const field = () => page.getByRole('textbox', { name: 'Reply' });

  it('lets an agent clear 20 conversations by keyboard, while a visitor in the widget gets the reply and no note', async () => {
    await clearAll();
    const { base_url: host, eu_api_url: eventsHost, project_key: key } = running.demo;
    const context = await site.visitor();
    const shop = await site.open(context, '/tents');
    await shop.evaluate(`{
      globalThis.sb = switchboard.init(${JSON.stringify({ key, host, eventsHost })});
      globalThis.m = messenger.startMessenger(sb);
    }`);
    const received: string[] = [];
    shop.on('response', async (response) => received.push(await response.text().catch(() => '')));
    shop.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => received.push(String(payload))),
    );
    await shop.locator('.root').waitFor({ state: 'attached' });
    for (let count = 1; count < CONVERSATIONS; count++)
      await openConversation(`visitor ${count}`, `Question ${count}`);
    await shop.evaluate('m.write()');
    await shop.getByRole('textbox').fill('Where is my tent?');
    await shop.keyboard.press('Enter');
    await shop.locator('.mine .bubble:not(.waiting)').waitFor();

    await open();
    await expect.poll(() => rows().count(), { timeout: 20_000 }).toBeGreaterThan(5);
    const counts = async () => (await asOwner('GET', '/conversation-counts')).open;
    expect(await counts()).toBe(CONVERSATIONS);

    for (let left = CONVERSATIONS; left > 0; left--) {
      // After a conversation is resolved, the next one is open.
      if (left === CONVERSATIONS) await page.keyboard.press('j');
      await field().waitFor();
      const asked = await timeline().getByRole('article').first().textContent();
      if (asked?.includes('Where is my tent?') === true) {
        await page.keyboard.press('n');
        await page.getByRole('textbox', { name: 'Private note' }).fill(`${SECRET} ask the warehouse`);
        await page.keyboard.press('Control+Enter');
        await timeline().getByText(SECRET).waitFor();
        await page.keyboard.press('Escape');
        await page.keyboard.press('l');
        await page.getByRole('combobox', { name: 'Label' }).fill(SECRET);
        await page.keyboard.press('Enter');
        await middle().getByText(SECRET, { exact: true }).first().waitFor();
      }
      await page.keyboard.press('r');
      await page.keyboard.type(`Answer ${left}`);
      await page.keyboard.press('Control+Enter');
      await timeline().getByText(`Answer ${left}`, { exact: true }).waitFor();
      await page.keyboard.press('Escape');
      const before = page.url();
      await page.keyboard.press('e');
      await expect.poll(() => page.url(), { timeout: 20_000 }).not.toBe(before);
    }
    await eventually(async () => expect(await counts()).toBe(0));
    await page.getByText('No conversation is in this view.').waitFor();

    await shop.getByText(/^Answer \d+$/).waitFor();
    expect(received.join('\n')).not.toContain(SECRET);
    expect(await shop.content()).not.toContain(SECRET);
    expect(received.join('\n')).toMatch(/Answer \d+/);
    const { conversations } = await asOwner('GET', '/conversations?status=resolved');
    const states = conversations
      .slice(0, CONVERSATIONS)
      .map(({ lastTurn }: { lastTurn: object }) => lastTurn);
    expect(states).toHaveLength(CONVERSATIONS);
    for (const lastTurn of states) expect(lastTurn).toMatchObject({ authorKind: 'teammate' });
    await context.close();
  }, 300_000);

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

  it.each(['light', 'dark'] as const)(
    'violates no axe rule and fits every width, %s',
    async (colorScheme) => {
      await clearAll();
      const id = await openConversation('visitor axe', 'Is this accessible?');
      await asOwner('POST', `/conversations/${id}/notes`, { body: 'A note' });
      for (const path of [`?open=${id}`, '', `?open=${id}&pane=person`]) {
        for (const width of [390, 1024, 1440]) {
          await open(path, { colorScheme, width });
          if (path === '') await list().getByText('Is this accessible?').waitFor();
          else await page.getByText('visitor axe').locator('visible=true').first().waitFor();
          const overflow = await page.evaluate(
            'document.documentElement.scrollWidth - document.documentElement.clientWidth',
          );
          expect(overflow, `${path} at ${width}`).toBeLessThanOrEqual(0);
          expect(await violationsOf(page), `${path} at ${width}`).toEqual([]);
          await page.context().close();
        }
      }
    },
    120_000,
  );
});
