import { createECDH, randomBytes, randomUUID } from 'node:crypto';
import { call, eventually, hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConsole, violationsOf } from './testing/console.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();

/** Records notifications. A tab has the focus only if the test says so. */
const RECORDER = `
  globalThis.shown = [];
  globalThis.focused = false;
  globalThis.Notification = class {
    static permission = 'granted';
    static requestPermission = async () => 'granted';
    close() {}
    constructor(title, options) { shown.push(this); Object.assign(this, { title, ...options }); }
  };
  document.hasFocus = () => focused;`;

describe.skipIf(!hasChromium)('notifications in the console', () => {
  let browser: Browser;
  let context: BrowserContext;
  let stored: object;

  beforeAll(async () => {
    browser = await openBrowser();
    stored = await asOwner('GET', '/inbox-preferences');
    await asOwner('PUT', '/inbox-preferences', { ...stored, desktop: 'all', quietHours: null });
  });
  afterAll(async () => {
    await asOwner('PUT', '/inbox-preferences', stored);
    await browser?.close();
  });

  async function asOwner(method: string, path: string, body?: object) {
    const { base_url, project_id, tokens } = running.demo;
    const url = `${base_url}/v1/projects/${project_id}${path}`;
    const answer = await call(method, url, { token: tokens.owner, ...(body && { body }) });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  }

  async function ask(body: string): Promise<string> {
    const { base_url, project_key: token } = running.demo;
    const opened = await call('POST', `${base_url}/v1/conversations`, {
      token,
      body: { distinctId: 'notified', subject: 'An order' },
    });
    const { conversationId, token: own } = opened.body;
    const sent = await call('POST', `${base_url}/v1/conversations/${conversationId}/turns`, {
      token,
      headers: { 'X-Service-Conversation-Token': own },
      body: { body },
    });
    expect(sent.status).toBe(201);
    return conversationId;
  }

  /** Opens a page of the project in a tab of the same browser. */
  async function tab(path: string): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`${running.demo.console_url}/projects/${running.demo.project_id}${path}`);
    await page.locator('main h1').waitFor();
    return page;
  }

  async function newBrowser(): Promise<void> {
    const { demo } = running;
    const opened = await openConsole(browser, demo, `/projects/${demo.project_id}`);
    context = opened.context;
    await context.grantPermissions(['notifications'], { origin: demo.console_url });
    await context.addInitScript(RECORDER);
    const hosts = { api: demo.base_url, events: demo.eu_api_url, replay: demo.eu_replay_url };
    const session = { accessToken: demo.tokens.owner, expiresInSeconds: 3600, hosts };
    await context.route('**/session/token', (route) => route.fulfill({ json: session }));
    await opened.page.close();
  }

  /** Waits until the listening tab gets turns, and returns the id of a conversation that it showed. */
  const shownOnce = (page: Page, body: string): Promise<string> =>
    eventually(async () => {
      const id = await ask(body);
      await eventually(
        async () => expect(await shownIn(page)).toContainEqual({ title: 'An order', body, tag: id }),
        { withinMs: 2_000 },
      );
      return id;
    });
  const shownIn = (page: Page): Promise<{ title: string; body: string; tag: string }[]> =>
    page.evaluate('shown.map(({ title, body, tag }) => ({ title, body, tag }))');

  it('appear once on any page, also after the tab that listened is closed, and open the conversation', async () => {
    await newBrowser();
    const flags = await tab('/flags');
    await shownOnce(flags, 'Where is it?');
    const insights = await tab('/insights');
    await ask('Seen in one tab');
    await eventually(async () =>
      expect((await shownIn(flags)).map(({ body }) => body)).toContain('Seen in one tab'),
    );
    expect(await shownIn(insights)).toEqual([]);
    await flags.close();
    const id = await shownOnce(insights, 'And now?');
    await insights.evaluate(`shown.find(({ tag }) => tag === '${id}').onclick()`);
    await insights.getByRole('region', { name: 'Time line' }).getByText('And now?').waitFor();
    expect(new URL(insights.url()).searchParams.get('open')).toBe(id);
    await context.close();
  });

  it('do not appear while the agent looks at the inbox in another tab', async () => {
    await newBrowser();
    const flags = await tab('/flags');
    await shownOnce(flags, 'Where is it?');
    const inbox = await tab('/inbox');
    await inbox.evaluate('focused = true; dispatchEvent(new Event("focus"))');
    await ask('Seen at once');
    await inbox.getByText('Seen at once').first().waitFor();
    await inbox.evaluate('focused = false; dispatchEvent(new Event("blur"))');
    await shownOnce(flags, 'Not seen');
    expect((await shownIn(flags)).map(({ body }) => body)).not.toContain('Seen at once');
    await context.close();
  });

  it('are pushed to a browser in which the agent turns them on', async () => {
    const endpoint = `https://push.invalid/${randomUUID()}`;
    const keys = {
      p256dh: createECDH('prime256v1').generateKeys('base64url'),
      auth: randomBytes(16).toString('base64url'),
    };
    await newBrowser();
    // A browser without a push service cannot subscribe.
    await context.addInitScript(`
      const subscription = { endpoint: '${endpoint}', toJSON: () => (${JSON.stringify({ endpoint, keys })}) };
      let own = null;
      PushManager.prototype.getSubscription = async () => own;
      PushManager.prototype.subscribe = async () => {
        own = { ...subscription, options: {}, unsubscribe: async () => true };
        return own;
      };`);
    const page = await tab('/inbox/preferences');
    await page.getByLabel('Also notify this browser while the console is closed').click();
    await eventually(async () => {
      const { subscriptions } = await asOwner('GET', '/push-subscriptions');
      expect(subscriptions).toContainEqual(expect.objectContaining({ endpoint }));
    });
    expect(await violationsOf(page)).toEqual([]);

    // A headless browser shows no notifications of service workers.
    const [worker] = context.serviceWorkers();
    await worker?.evaluate(`
      self.shown = [];
      ServiceWorkerRegistration.prototype.showNotification = async (title, { body, tag, data }) => {
        self.shown.push({ title, body, tag, data });
      };`);
    const session = await context.newCDPSession(page);
    const registered = new Promise<string>((resolve) =>
      session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const own = registrations.find(({ scopeURL }) => scopeURL.endsWith('/push/'));
        if (own !== undefined) resolve(own.registrationId);
      }),
    );
    await session.send('ServiceWorker.enable');
    const { console_url: origin, project_id } = running.demo;
    const url = `${origin}/projects/${project_id}/inbox?open=cnv_1`;
    const content = { type: 'visitor_turn', title: 'A visitor writes in Shop', body: '', url, tag: 'cnv_1' };
    const data = JSON.stringify(content);
    await session.send('ServiceWorker.deliverPushMessage', {
      origin,
      registrationId: await registered,
      data,
    });
    await eventually(async () =>
      expect(await worker?.evaluate('self.shown')).toEqual([
        { title: content.title, body: '', tag: 'cnv_1', data: url },
      ]),
    );
    await page.getByLabel('Also notify this browser while the console is closed').click();
    await eventually(async () => {
      const { subscriptions } = await asOwner('GET', '/push-subscriptions');
      expect(subscriptions).not.toContainEqual(expect.objectContaining({ endpoint }));
    });
    // The message of the worker after a click on the notification.
    const open = new URL(url).pathname + new URL(url).search;
    await page.evaluate(
      `navigator.serviceWorker.dispatchEvent(new MessageEvent('message', { data: { open: '${open}' } }))`,
    );
    await page.waitForURL('**/inbox?open=cnv_1');
    await context.close();
  });
});
