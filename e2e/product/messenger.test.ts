import { createHmac } from 'node:crypto';
import {
  MESSENGER_CHOICES,
  type MessengerConfiguration,
  messengerConfiguration,
} from '@switchboard/contracts';
import { documented, eventually, hasChromium } from '@switchboard/testkit';
import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { standaloneForTests } from './testing/launch.ts';
import { siteForTests } from './testing/sdk-page.ts';
import { type SilentLink, silentLink } from './testing/silent-link.ts';

/** Configurations that differ in one setting, and the place where the difference shows. */
interface Seen {
  given: object[] | 'every choice';
  on: string;
}

interface Turn {
  body: string;
  authorKind: string;
  pageContext: unknown;
  attachments: { name: string; contentType: string; bytes: number }[];
}

describe.skipIf(!hasChromium)('the messenger in a browser', () => {
  const running = standaloneForTests();
  let link: SilentLink;
  beforeAll(async () => {
    link = await silentLink(running.demo.base_url);
  });
  afterAll(() => link.close());
  const site = siteForTests({
    modules: {
      switchboard: import.meta.resolve('@switchboard/browser'),
      messenger: import.meta.resolve('@switchboard/messenger'),
    },
    scripts: {},
    body: '<main><h1>Shop</h1><button id="own">Help</button></main>',
    policy: () => {
      const { base_url: api, eu_api_url: events } = running.demo;
      const sockets = [api, link.url].map((url) => url.replace('http', 'ws')).join(' ');
      const widget = documented('packages/sdk/messenger/README.md#content-security-policy', 'csp')
        .trim()
        .replace('wss://api.example.com', `${sockets} ${events}`)
        .replaceAll('https://api.example.com', api);
      return `default-src 'none'; script-src 'self'; ${widget}; require-trusted-types-for 'script'; trusted-types 'none'`;
    },
  });
  const contexts: BrowserContext[] = [];
  /** Errors of the page and of the browser, such as violations of the content security policy. */
  const complaints: string[] = [];

  afterEach(async () => {
    for (const context of contexts.splice(0)) {
      await context.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    }
    expect(complaints.splice(0)).toEqual([]);
  });

  type ContextOptions = Parameters<typeof site.visitor>[0];

  async function visitor(options?: ContextOptions): Promise<BrowserContext> {
    const context = await site.visitor(options);
    contexts.push(context);
    return context;
  }

  const ofClient = () => {
    const { base_url: host, eu_api_url: eventsHost, project_key: key } = running.demo;
    return JSON.stringify({ key, host, eventsHost, flushMs: 100 });
  };

  async function open(context: BrowserContext, options: object = {}): Promise<Page> {
    const page = await site.open(context, '/tents?secret=1');
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      const text = message.text();
      if (message.type() === 'error' && !/net::ERR|status of|WebSocket connection|CORS policy/.test(text))
        complaints.push(text);
    });
    await page.evaluate(`{
      globalThis.errors = [];
      globalThis.sb = switchboard.init(${ofClient()});
      globalThis.m = messenger.startMessenger(sb, { ...${JSON.stringify(options)}, onError: (error) => errors.push(error) });
    }`);
    await page.locator('.root').waitFor({ state: 'attached' });
    return page;
  }

  async function manage<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const { management_url, project_id, tokens } = running.demo;
    const answer = await fetch(`${management_url}/management/v1/projects/${project_id}${path}`, {
      method,
      headers: { Authorization: `Bearer ${tokens.operator}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(answer.ok).toBe(true);
    return (await answer.json()) as T;
  }

  /** Returns the visitor's conversations, as operators see them. */
  async function conversationsOf(page: Page): Promise<string[]> {
    const person = await page.evaluate('sb.distinctId');
    const { conversations } = await manage<{ conversations: { id: string; distinctId: string }[] }>(
      'GET',
      '/conversations',
    );
    return conversations.filter(({ distinctId }) => distinctId === person).map(({ id }) => id);
  }

  const turnsOf = async (id: string) =>
    (await manage<{ turns: Turn[] }>('GET', `/conversations/${id}`)).turns;
  const answer = (id: string, body: string) =>
    manage('POST', `/conversations/${id}/turns`, { authorId: 'grace', body });

  /** Sends a request as the agent who owns the demo. */
  function asOwner(path: string, init: RequestInit = {}): Promise<Response> {
    const { base_url, project_id, tokens } = running.demo;
    return fetch(`${base_url}/v1/projects/${project_id}${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${tokens.owner}`, 'Content-Type': 'application/json' },
    });
  }

  async function showTyping(id: string): Promise<void> {
    const body = JSON.stringify({ state: 'typing' });
    expect((await asOwner(`/conversations/${id}/presence`, { method: 'POST', body })).status).toBe(200);
  }

  async function write(page: Page, text: string): Promise<void> {
    await page.getByRole('textbox').fill(text);
    await page.keyboard.press('Enter');
  }

  /** Opens a new conversation and sends a turn. Returns the conversation's id. */
  async function begin(page: Page, text: string): Promise<string> {
    await page.evaluate('m.write()');
    await write(page, text);
    await eventually(async () => expect(await conversationsOf(page)).toHaveLength(1));
    const [id = ''] = await conversationsOf(page);
    await eventually(async () => expect(await turnsOf(id)).toHaveLength(1));
    await page.locator('.mine .bubble:not(.waiting)', { hasText: text }).waitFor();
    return id;
  }

  it('starts a conversation, shows answers as they arrive, and counts unread answers', async () => {
    const page = await open(await visitor());
    await page.getByRole('button', { name: 'Open the chat' }).click();
    await page.getByRole('button', { name: 'Send us a message' }).click();
    await write(page, 'My tent leaks.\n\nWhat can I do?');
    await page.locator('.mine .bubble:not(.waiting)').waitFor();
    const [id = ''] = await conversationsOf(page);
    expect(await turnsOf(id)).toMatchObject([
      {
        body: 'My tent leaks.\n\nWhat can I do?',
        authorKind: 'visitor',
        pageContext: { host: new URL(page.url()).host, path: '/tents', title: 'Shop' },
      },
    ]);
    await answer(id, 'We send you a new one.');
    const log = page.getByRole('log');
    await log.getByText('We send you a new one.').waitFor();
    await log.getByText('Grace Hopper').last().waitFor();
    await manage('PUT', `/conversations/${id}/status`, { status: 'resolved' });
    await log.getByText('Resolved.').waitFor();

    expect(await page.evaluate('m.unread')).toBe(1); // the message of the inbox
    await page.keyboard.press('Escape');
    await answer(id, 'It is on its way.');
    await page.getByRole('button', { name: 'Open the chat, 2 unread' }).waitFor();
    expect(await page.evaluate('m.unread')).toBe(2);
    await page.reload();
    const next = await reopened(page);
    await next.getByRole('button', { name: 'Open the chat, 2 unread' }).click();
    await next.getByRole('log').getByText('It is on its way.').waitFor();
    await eventually(async () => expect(await page.evaluate('m.unread')).toBe(1));
    // The SDK compresses a long turn.
    await write(page, 'long '.repeat(400));
    await eventually(async () => expect((await turnsOf(id)).at(-1)?.body).toBe('long '.repeat(400)));
  });

  async function reopened(page: Page): Promise<Page> {
    await page.waitForFunction('globalThis.isLoaded');
    await page.evaluate(`{
      globalThis.sb = switchboard.init(${ofClient()});
      globalThis.m = messenger.startMessenger(sb);
    }`);
    await page.locator('.root').waitFor({ state: 'attached' });
    return page;
  }

  it('sends what was written offline, once and in order, also after a page change', async () => {
    const context = await visitor();
    const page = await open(context);
    const id = await begin(page, 'one');
    await context.setOffline(true);
    await write(page, 'two');
    await write(page, 'three');
    await page.getByText('You are offline.').waitFor();
    expect(await page.locator('.waiting').count()).toBe(2);
    await answer(id, 'while you were away');
    await page.close();
    await context.setOffline(false);
    const next = await open(context);
    await eventually(async () =>
      expect((await turnsOf(id)).map(({ body }) => body)).toEqual([
        'one',
        'while you were away',
        'two',
        'three',
      ]),
    );
    // Includes the inbox message. The reply must not be skipped because the visitor's own turns came back first.
    await eventually(async () => expect(await next.evaluate('m.unread')).toBe(2));

    // The response is lost, so the SDK sends the turn again with the same key.
    const keys: (string | undefined)[] = [];
    await context.route('**/turns', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      await route.fetch();
      if (keys.length === 1) await route.abort();
      else await route.continue();
    });
    await next.evaluate('m.open()');
    await next.locator('.item', { hasText: 'three' }).click();
    await write(next, 'four');
    await eventually(() => expect(keys).toHaveLength(2));
    expect(keys[0]).toBe(keys[1]);
    await next.locator('.mine .bubble:not(.waiting)', { hasText: 'four' }).waitFor();
    expect((await turnsOf(id)).map(({ body }) => body).slice(2)).toEqual(['two', 'three', 'four']);
    expect(await next.locator('.mine').count()).toBe(4);
  });

  it('shows why the server refused a turn, and sends it again on request', async () => {
    const context = await visitor();
    const page = await open(context);
    const id = await begin(page, 'one');
    await context.route('**/turns', (route) =>
      route.fulfill({
        status: 400,
        json: { message: 'no' },
        headers: { 'Access-Control-Allow-Origin': '*' },
      }),
    );
    await write(page, 'two');
    await page.getByText('Not sent').waitFor();
    expect(await page.evaluate('errors')).toEqual([{ message: 'no', status: 400 }]);
    await context.unroute('**/turns');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.mine .bubble:not(.waiting)', { hasText: 'two' }).waitFor();
    expect(await turnsOf(id)).toHaveLength(2);
  });

  it('shows who types and who has read, on both sides', async () => {
    await manage('PUT', `/team/${running.demo.subs.owner}`, { name: 'Iris of Support' });
    const page = await open(await visitor());
    const id = await begin(page, 'My tent leaks.');
    const read = async () => {
      const body = await (await asOwner(`/conversations/${id}`)).json();
      return body as { visitorReadAt: string; lastTurnAt: string };
    };
    // The helpers above read as an agent.
    await page.locator('.mine', { hasText: 'My tent leaks.' }).getByText(/Read$/).waitFor();
    await write(page, 'Two of them.');
    const second = page.locator('.mine', { hasText: 'Two of them.' });
    await second.locator('.bubble:not(.waiting)').waitFor();
    expect(await second.getByText(/Read$/).count()).toBe(0);
    await read();
    await second.getByText(/Read$/).waitFor();

    await showTyping(id);
    await page.getByRole('status').getByText('Iris of Support is typing').waitFor();
    await answer(id, 'We send you a new one.');
    await page.getByText('is typing').waitFor({ state: 'detached' });
    await page.locator('.mine').getByText(/Read$/).waitFor({ state: 'detached' });
    await eventually(async () => {
      const { visitorReadAt, lastTurnAt } = await read();
      expect(visitorReadAt).toBe(lastTurnAt);
    });

    const closing = new AbortController();
    onTestFinished(() => closing.abort());
    const stream = await asOwner('/live-conversations', { signal: closing.signal });
    let heard = '';
    const hear = async () => {
      for await (const bytes of stream.body ?? []) heard += Buffer.from(bytes).toString();
    };
    hear().catch(() => undefined);
    await eventually(async () => {
      await page.getByRole('textbox').press('x');
      expect(heard).toMatch(/"sub":null[^}]*"state":"typing"/);
    });
    expect(heard).toContain(id);

    // A closed panel has read nothing.
    await page.keyboard.press('Escape');
    await answer(id, 'Is there more?');
    await page.getByRole('button', { name: /Open the chat, 2 unread/ }).waitFor();
    const { visitorReadAt, lastTurnAt } = await read();
    expect(visitorReadAt < lastTurnAt).toBe(true);
  });

  it('lists several conversations with their last turns, and opens at most 20', async () => {
    const page = await open(await visitor());
    await page.evaluate('m.open()');
    for (let count = 1; count <= 20; count++) {
      await page.getByRole('button', { name: 'Send us a message' }).click();
      await write(page, `Question ${count}`);
      await page.locator('.mine .bubble:not(.waiting)').waitFor();
      await page.getByRole('button', { name: 'Back' }).click();
    }
    const rows = page.getByRole('list').last().getByRole('button');
    await page.getByRole('button', { name: /Question 20/ }).waitFor();
    const shown = page.getByRole('button', { name: /Question \d/ });
    expect(await shown.count()).toBe(20);
    expect(await rows.count()).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Send us a message' }).click();
    await page.getByRole('log').getByText('Question 20').waitFor();

    const ids = await conversationsOf(page);
    expect(ids).toHaveLength(20);
    const [latest = '', , third = ''] = ids;
    await page.getByRole('button', { name: 'Back' }).click();
    await answer(third, 'An answer to 18');
    const answered = page.getByRole('button', { name: /An answer to 18.*1 unread/ });
    await answered.waitFor();
    expect(await shown.or(answered).first().textContent()).toContain('An answer to 18');
    await manage('PUT', `/conversations/${latest}/status`, { status: 'resolved' });
    await page.getByRole('button', { name: /Question 20.*Resolved/ }).click();
    await page.getByRole('log').getByText('Resolved. Write to reopen the conversation.').waitFor();
    await write(page, 'It happened again.');
    await page.getByText('Resolved.').waitFor({ state: 'detached' });
    await eventually(async () => expect(await turnsOf(latest)).toHaveLength(2));
  });

  /** Makes the project ask visitors for ratings until the end of the test. */
  async function askForRatings(): Promise<void> {
    const change = async (asksSatisfaction: boolean) => {
      const settings = await manage<object>('GET', '/support-settings');
      await manage('PUT', '/support-settings', { ...settings, asksSatisfaction });
    };
    await change(true);
    onTestFinished(() => change(false));
  }

  it('asks for a rating once a conversation is resolved, by keyboard alone, until it opens again', async () => {
    await askForRatings();
    const page = await open(await visitor());
    const id = await begin(page, 'My tent leaks.');
    expect(await page.getByRole('radio').count()).toBe(0);
    await manage('PUT', `/conversations/${id}/status`, { status: 'resolved' });
    const best = page.getByRole('radio', { name: '5 of 5' });
    await best.waitFor({ state: 'attached' });
    await page.getByRole('textbox', { name: 'Write a message' }).focus();
    const isFocused = () =>
      page.evaluate<boolean>(
        `document.querySelector('switchboard-messenger').shadowRoot.activeElement.type === 'radio'`,
      );
    for (let step = 0; step < 4 && !(await isFocused()); step++) await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Space');
    for (let step = 0; step < 4 && !(await best.isChecked()); step++) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Quick and friendly.');
    await page.keyboard.press('Enter');
    await page.getByText('Thank you for your rating.').waitFor();
    const { ratings } = await manage<{ ratings: object[] }>('GET', `/conversations/${id}`);
    expect(ratings).toMatchObject([{ score: 5, comment: 'Quick and friendly.' }]);

    await page.getByRole('button', { name: 'Change' }).click();
    await page.locator('.rating label').nth(2).click();
    await page.getByRole('button', { name: 'Send rating' }).click();
    await page.getByText('Thank you for your rating.').waitFor();
    const changed = await manage<{ ratings: object[] }>('GET', `/conversations/${id}`);
    expect(changed.ratings).toMatchObject([{ score: 3, comment: 'Quick and friendly.' }]);

    await write(page, 'It leaks again.');
    await page.getByText('Thank you for your rating.').waitFor({ state: 'detached' });
  });

  /** Returns the options of a verified user. The secret is removed at the end of the test. */
  async function verify(userId: string) {
    const { id: secretId, secret } = await manage<{ id: string; secret: string }>(
      'POST',
      '/identity-secrets',
    );
    onTestFinished(async () => {
      const { management_url, project_id, tokens } = running.demo;
      const path = `/management/v1/projects/${project_id}/identity-secrets/${secretId}`;
      const headers = { Authorization: `Bearer ${tokens.operator}` };
      await fetch(`${management_url}${path}`, { method: 'DELETE', headers });
    });
    return { userId, userHash: createHmac('sha256', secret).update(userId).digest('hex') };
  }

  it('shows the conversations of a verified user on a second device, and none of them to the next person', async () => {
    const verified = await verify('lin');
    const phone = await open(await visitor(), verified);
    const id = await begin(phone, 'Written on the phone.');
    await phone.getByRole('button', { name: 'Back' }).click();
    await answer(id, 'Read on the laptop.');
    await phone.getByRole('button', { name: /Read on the laptop.*1 unread/ }).waitFor();

    const laptop = await open(await visitor(), verified);
    await laptop.getByRole('button', { name: 'Open the chat, 2 unread' }).click();
    await laptop.getByText('Read on the laptop').first().waitFor();
    await laptop.getByRole('button', { name: /Read on the laptop/ }).click();
    await laptop.getByRole('log').getByText('Written on the phone.').waitFor();
    await phone.getByRole('button', { name: /Read on the laptop(?!.*unread)/ }).click();
    await write(laptop, 'Answered on the laptop.');
    await phone.getByRole('log').getByText('Answered on the laptop.').waitFor();
    expect((await turnsOf(id)).map(({ body }) => body)).toEqual([
      'Written on the phone.',
      'Read on the laptop.',
      'Answered on the laptop.',
    ]);

    await laptop.evaluate('sb.identify("lin")');
    await laptop.evaluate('sb.reset()');
    await laptop.getByText('Written on the phone.').waitFor({ state: 'detached' });
    const stranger = await open(await visitor(), { userId: 'lin', userHash: '0'.repeat(64) });
    await stranger.getByRole('button', { name: /Open the chat/ }).click();
    for (const page of [laptop, stranger]) expect(await page.getByText('on the laptop').count()).toBe(0);
  });

  it('keeps a conversation of a verified user with a new token when the server refuses the old one', async () => {
    const verified = await verify('mei');
    const context = await visitor();
    const page = await open(context, verified);
    const id = await begin(page, 'Written before.');
    await answer(id, 'Seen before.');
    await page.getByRole('log').getByText('Seen before.').waitFor();
    const thread = () =>
      page.evaluate<{ id: string; token: string; seen: string }>(
        `JSON.parse(Object.entries(localStorage).find(([name]) => name.endsWith(':messenger'))[1]).threads[0]`,
      );
    const before = await thread();
    let refusals = 0;
    await context.route(`**/v1/conversations/${id}**`, (route) =>
      route.request().headers()['x-service-conversation-token'] === before.token && ++refusals
        ? route.fulfill({
            status: 401,
            json: { message: 'no' },
            headers: { 'Access-Control-Allow-Origin': '*' },
          })
        : route.continue(),
    );
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await expect.poll(async () => (await thread()).token).not.toBe(before.token);
    expect(refusals).toBeGreaterThan(0);
    await answer(id, 'Answered after.');
    await page.getByRole('log').getByText('Answered after.').waitFor();
    const after = await thread();
    expect(after.id).toBe(id);
    expect(after.seen >= before.seen).toBe(true);
    expect(await conversationsOf(page)).toEqual([id]);
  });

  it('shows the same conversation in two tabs', async () => {
    const context = await visitor();
    const [first, second] = [await open(context), await open(context)];
    const id = await begin(first, 'from the first tab');
    await second.evaluate('m.open()');
    await second.locator('.item', { hasText: 'from the first tab' }).click();
    await write(second, 'from the second tab');
    await first.locator('.mine .bubble:not(.waiting)', { hasText: 'from the second tab' }).waitFor();
    await answer(id, 'for both');
    for (const tab of [first, second]) await tab.getByRole('log').getByText('for both').waitFor();
    expect(await conversationsOf(first)).toEqual([id]);
    expect((await turnsOf(id)).map(({ body }) => body)).toEqual([
      'from the first tab',
      'from the second tab',
      'for both',
    ]);
    expect(await first.locator('.mine').count()).toBe(2);
  });

  /** Returns an expression for a `File` in the page: a picture of noise, of at least `bytes` bytes. */
  const picture = (side: number, type: string) =>
    `(async () => {
      const canvas = new OffscreenCanvas(${side}, ${side}), context = canvas.getContext('2d');
      const image = context.createImageData(${side}, ${side});
      for (let at = 0; at < image.data.length; at++) image.data[at] = at % 4 === 3 ? 255 : (at * 7919) % 251;
      context.putImageData(image, 0, 0);
      return new File([await canvas.convertToBlob({ type: '${type}', quality: 1 })], 'photo.${type.slice(6)}', { type: '${type}' });
    })()`;

  it('attaches files by picker, paste and drop, and shows them', async () => {
    const page = await open(await visitor());
    await page.evaluate('m.write()');
    const pdf = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n');
    await page
      .locator('input[type=file]')
      .setInputFiles([{ name: 'invoice.pdf', mimeType: 'application/pdf', buffer: pdf }]);
    await page.locator('.chip', { hasText: 'invoice.pdf' }).waitFor();
    await page.evaluate(`(async () => {
      const data = new DataTransfer();
      data.items.add(await ${picture(64, 'image/png')});
      const root = document.querySelector('switchboard-messenger').shadowRoot;
      root.querySelector('textarea').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    })()`);
    await page.locator('.chip', { hasText: 'photo.png' }).waitFor();
    // The SDK shrinks a photo that is too large.
    await page.evaluate(`(async () => {
      const data = new DataTransfer();
      const photo = await ${picture(1800, 'image/jpeg')};
      globalThis.photoBytes = photo.size;
      data.items.add(photo);
      data.items.add(new File(['x'], 'notes.txt', { type: 'text/plain' }));
      const view = document.querySelector('switchboard-messenger').shadowRoot.querySelector('.view');
      for (const type of ['dragover', 'drop'])
        view.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    })()`);
    await page.getByRole('alert').getByText('Up to 3 files').waitFor();
    expect(await page.evaluate('photoBytes')).toBeGreaterThan(500_000);
    await page.locator('.chip', { hasText: 'photo.jpeg' }).waitFor();
    await page.getByRole('button', { name: 'Send', exact: true, disabled: false }).click();
    await page.locator('.mine .bubble:not(.waiting)').waitFor();
    const [id = ''] = await conversationsOf(page);
    const [sent] = await turnsOf(id);
    expect(sent?.attachments.map(({ name, contentType }) => [name, contentType])).toEqual([
      ['invoice.pdf', 'application/pdf'],
      ['photo.png', 'image/png'],
      ['photo.jpeg', 'image/jpeg'],
    ]);
    await eventually(async () => expect(await page.locator('.picture canvas').count()).toBe(2));
    await page.getByRole('button', { name: 'Enlarge photo.png' }).click();
    await page.getByRole('dialog', { name: 'photo.png' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'photo.png' }).waitFor({ state: 'detached' });
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download invoice.pdf' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('invoice.pdf');
    await page
      .locator('input[type=file]')
      .setInputFiles([{ name: 'fake.png', mimeType: 'image/png', buffer: Buffer.from('no picture') }]);
    await page.getByRole('alert').getByText('Files of the type of fake.png cannot be sent.').waitFor();
  });

  /** Drops files on the conversation. Each argument is an expression for a `File` in the page. */
  const drop = (page: Page, ...files: string[]) =>
    page.evaluate(`(async () => {
      const data = new DataTransfer();
      for (const file of await Promise.all([${files.join()}])) data.items.add(file);
      const view = document.querySelector('switchboard-messenger').shadowRoot.querySelector('.view');
      view.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    })()`);
  const chips = (page: Page) => page.locator('.chip .file-name:not(:has(progress))');
  const named = (file: string, name: string, type: string) =>
    `(async () => new File([await ${file}], ${JSON.stringify(name)}, { type: '${type}' }))()`;
  const sendFiles = async (page: Page) => {
    await page.getByRole('button', { name: 'Send', exact: true, disabled: false }).click();
    await page.locator('.mine .bubble:not(.waiting)').first().waitFor();
    const [id = ''] = await conversationsOf(page);
    return (await turnsOf(id)).flatMap(({ attachments }) => attachments);
  };

  it('sends files and keeps conversations on a page with a library that changes how arrays are serialised', async () => {
    const page = await open(await visitor());
    // Prototype.js 1.6 does this.
    await page.evaluate(
      `Array.prototype.toJSON = function () { return '[' + this.map((one) => JSON.stringify(one)).join(', ') + ']' }`,
    );
    await page.evaluate(`m.write('With a file')`);
    const pdf = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n');
    await page
      .locator('input[type=file]')
      .setInputFiles([{ name: 'invoice.pdf', mimeType: 'application/pdf', buffer: pdf }]);
    await page.getByRole('button', { name: 'Send', exact: true, disabled: false }).click();
    await page.locator('.mine .bubble:not(.waiting)', { hasText: 'invoice.pdf' }).waitFor();
    expect(await page.evaluate(`Object.values(localStorage).some((text) => text.includes('[{"key":'))`)).toBe(
      true,
    );
  });

  it('detects the type of a file from its bytes, not from the type that the browser gives', async () => {
    const page = await open(await visitor());
    await page.evaluate('m.write()');
    const pdf = `new Blob(['\\ufeff\\r\\n%PDF-1.4\\n1 0 obj<</Type/Catalog>>endobj\\ntrailer<</Root 1 0 R>>\\n%%EOF\\n'])`;
    await drop(
      page,
      named(picture(8, 'image/png'), 'scan', ''),
      named(picture(8, 'image/jpeg'), 'photo.jpg', 'image/jpg'),
      named(pdf, 'report.pdf', 'application/x-pdf'),
    );
    await eventually(async () => expect(await chips(page).count()).toBe(3));
    expect((await sendFiles(page)).map(({ name, contentType }) => [name, contentType])).toEqual([
      ['scan', 'image/png'],
      ['photo.jpg', 'image/jpeg'],
      ['report.pdf', 'application/pdf'],
    ]);
    await drop(page, `new File(['GIF89, he said'], 'photo.png', { type: 'image/png' })`);
    await page.getByRole('alert').getByText('Files of the type of photo.png cannot be sent.').waitFor();
  });

  it('converts a large picture into a smaller JPEG with a matching name, but leaves animations alone', async () => {
    const page = await open(await visitor());
    await page.evaluate('m.write()');
    const moving = `(async () => {
      const head = new Uint8Array(40);
      head.set(new TextEncoder().encode('RIFF'));
      new DataView(head.buffer).setUint32(4, 600_032, true);
      head.set(new TextEncoder().encode('WEBPVP8X'), 8);
      head[16] = 10; head[20] = 2;
      return new File([head, new Uint8Array(600_000)], 'moving.webp', { type: 'image/webp' });
    })()`;
    await drop(page, moving);
    await page.getByRole('alert').getByText('moving.webp is too large.').waitFor();
    const padded = `(async () => new Blob([await ${picture(8, 'image/png')}, new Uint8Array(600_000)]))()`;
    await drop(page, named(padded, 'logo.png', 'image/png'));
    await eventually(async () => expect(await chips(page).count()).toBe(1));
    expect((await sendFiles(page)).map(({ name, contentType }) => [name, contentType])).toEqual([
      ['logo.jpg', 'image/jpeg'],
    ]);
  });

  const smile = '\u{1f600}';
  it.each([
    ['ends in half an emoji when it is cut', `${'x'.repeat(499)}${smile} page`, `${'x'.repeat(499)}${smile}`],
    ['has more emojis than the API takes', smile.repeat(600), smile.repeat(500)],
    ['has half an emoji', 'half \ud83d.', 'half \ufffd.'],
    ['is empty', '', ''],
  ])('sends a turn from a page with a title that %s', async (_, title, sent) => {
    const page = await open(await visitor());
    await page.evaluate(`document.title = ${JSON.stringify(title)}`);
    const [turn] = await turnsOf(await begin(page, 'hi'));
    expect(turn).toMatchObject({ body: 'hi', pageContext: { title: sent } });
  });

  it('sends files with any name, and text that contains half an emoji', async () => {
    const page = await open(await visitor());
    await page.evaluate('m.write()');
    const long = `${smile.repeat(100)}.jpeg`;
    const names = [long, `${smile.repeat(190)}.png`, 'half \ud83d.png'];
    await drop(page, ...names.map((name) => named(picture(8, 'image/png'), name, 'image/png')));
    await eventually(async () => expect(await chips(page).count()).toBe(3));
    await page.getByRole('textbox').fill('half \ud83d');
    expect((await sendFiles(page)).map(({ name }) => name).sort()).toEqual(
      [long, `${smile.repeat(176)}.png`, 'half \ufffd.png'].sort(),
    );
    const [id = ''] = await conversationsOf(page);
    expect((await turnsOf(id)).map(({ body }) => body)).toEqual(['half \ufffd']);
  });

  it('opens one conversation for files and a turn sent at once, on a page without the Web Locks API', async () => {
    const context = await visitor();
    await context.addInitScript('delete Navigator.prototype.locks');
    const page = await open(context);
    await page.evaluate('m.write()');
    const file = picture(8, 'image/png');
    await drop(page, ...['a.png', 'b.png', 'c.png'].map((name) => named(file, name, 'image/png')));
    await eventually(async () => expect(await chips(page).count()).toBe(3));
    expect(await sendFiles(page)).toHaveLength(3);
    expect(await conversationsOf(page)).toHaveLength(1);
    expect(await page.evaluate('errors')).toEqual([]);
  });

  it.each([
    ['Chromium', { isComposing: true, keyCode: 229 }],
    ['WebKit, after the composition has ended', { isComposing: false, keyCode: 229 }],
  ])('does not send a turn when Enter accepts a conversion in %s', async (_, event) => {
    const page = await open(await visitor());
    await page.evaluate('m.write()');
    await page.getByRole('textbox').fill('にほん');
    const enter = (init: object) =>
      page.evaluate(
        `document.querySelector('switchboard-messenger').shadowRoot.querySelector('textarea').dispatchEvent(new KeyboardEvent('keydown', ${JSON.stringify({ key: 'Enter', bubbles: true, cancelable: true, ...init })}))`,
      );
    expect(await enter(event)).toBe(true);
    expect(await page.getByRole('textbox').inputValue()).toBe('にほん');
    expect(await page.locator('.mine').count()).toBe(0);
    expect(await enter({ isComposing: false, keyCode: 13 })).toBe(false);
    await page.locator('.mine .bubble', { hasText: 'にほん' }).waitFor();
  });

  it('shows in-app messages and marks them as read when they are opened', async () => {
    const page = await open(await visitor());
    await page.getByRole('button', { name: 'Open the chat, 1 unread' }).click();
    await page.locator('.item', { hasText: 'New: saved views' }).click();
    await page.getByText('Keep the filters you use most').waitFor();
    await eventually(async () => expect(await page.evaluate('m.unread')).toBe(0));
  });

  it('keeps conversations for the person who wrote them, and stores nothing without consent', async () => {
    const page = await open(await visitor());
    await begin(page, 'private');
    const kept = `[...Object.entries(localStorage), ...Object.entries(sessionStorage)].filter(([name]) => name.endsWith(':messenger')).map(([, value]) => value).join()`;
    expect(await page.evaluate(kept)).toContain('cvt_');
    await page.evaluate(`sb.identify('messenger-ada')`);
    await page.getByRole('log').getByText('private').waitFor();
    await page.evaluate('sb.reset()');
    await page.getByRole('log').waitFor({ state: 'detached' });
    expect(await page.evaluate(kept)).not.toContain('cvt_');
    await page.evaluate(`sb.setConsent('denied'); m.write()`);
    expect(await page.evaluate(kept)).toBe('');
    // The messenger works without consent, and stores nothing.
    await write(page, 'I am anonymous');
    await page.locator('.mine .bubble:not(.waiting)').waitFor();
    expect(await page.evaluate(kept)).toBe('');
  });

  it.each([
    ['identify', ['visitor-17'], `sb.identify('member-3')`],
    ['identify', ['anonymous-2'], `sb.identify('member-3')`],
    ['identify', ['member-2'], `sb.identify('anonymous-2')`],
    ['reset', ['visitor-1', 'visitor-2'], 'sb.reset()'],
    ['reset', ['anonymous-1'], 'sb.reset()'],
  ])('hides the conversations of the previous person when %s follows %j', async (_, ids, next) => {
    const context = await visitor();
    const page = await open(context);
    for (const id of ids) await page.evaluate(`sb.identify('${id}')`);
    await page.evaluate('m.write()');
    await write(page, 'private');
    await page.locator('.mine .bubble:not(.waiting)', { hasText: 'private' }).waitFor();
    const kept = `Object.entries(localStorage).filter(([name]) => name.endsWith(':messenger')).map(([, value]) => value).join()`;
    expect(await page.evaluate(kept)).toContain('cvt_');
    await page.evaluate(next);
    await page.getByRole('log').waitFor({ state: 'detached' });
    expect(await page.evaluate(kept)).not.toContain('cvt_');
    await page.evaluate(`sb.identify('user-5')`);
    const other = await open(context);
    await other.evaluate('m.open()');
    await other.locator('.hero').waitFor();
    expect(await other.locator('.item', { hasText: 'private' }).count()).toBe(0);
  });

  it('keeps the conversations of a visitor who consents and then signs in', async () => {
    const page = await open(await visitor());
    await page.evaluate(`sb.setConsent('denied'); m.write()`);
    await write(page, 'mine');
    await page.locator('.mine .bubble:not(.waiting)').waitFor();
    for (const next of [`sb.setConsent('granted')`, `sb.identify('visitor-18')`]) {
      await page.evaluate(next);
      await page.getByRole('log').getByText('mine', { exact: true }).waitFor();
    }
  });

  /** Opens a page with a conversation on a socket that then goes silent. The test controls the clock of the page. */
  async function silenced(): Promise<{ page: Page; id: string; opened: number }> {
    const context = await visitor();
    await configure(context, { socketUrl: `${link.url.replace('http', 'ws')}/v1/messenger/socket` });
    await context.clock.install();
    const before = link.opened;
    const page = await open(context);
    const id = await begin(page, 'hello');
    await answer(id, 'by the socket');
    await page.getByRole('log').getByText('by the socket').waitFor();
    expect(link.opened).toBe(before + 1);
    link.silence();
    await answer(id, 'into the silence');
    return { page, id, opened: before + 1 };
  }

  it.each(['visibilitychange', 'online'])(
    'reads the answers that a silent socket missed after the event %s',
    async (event) => {
      const { page, opened } = await silenced();
      await page.evaluate(
        `for (const target of [document, window]) target.dispatchEvent(new Event('${event}'))`,
      );
      await page.getByRole('log').getByText('into the silence').waitFor();
      expect(link.opened).toBe(opened);
    },
  );

  it('replaces a socket that is silent for longer than the heartbeat of the server', async () => {
    const { page, id, opened } = await silenced();
    await page.clock.fastForward(80_000);
    await page.getByRole('log').getByText('into the silence').waitFor();
    expect(link.opened).toBe(opened + 1);
    await answer(id, 'by the new socket');
    await page.getByRole('log').getByText('by the new socket').waitFor();
  });

  it('is placed and styled by the CSS of its README', async () => {
    const page = await open(await visitor());
    const launcher = page.getByRole('button', { name: 'Open the chat' });
    const before = await launcher.boundingBox();
    const css = documented('packages/sdk/messenger/README.md#placement', 'css');
    await page.evaluate(`{
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(${JSON.stringify(css)});
      document.adoptedStyleSheets.push(sheet);
    }`);
    expect(await launcher.boundingBox()).toEqual({ ...before, y: (before?.y ?? 0) - 72 });
    const style = (property: string) =>
      page.evaluate(
        `getComputedStyle(document.querySelector('switchboard-messenger').shadowRoot.querySelector('.root')).${property}`,
      );
    expect([await style('zIndex'), await style('fontFamily')]).toEqual(['1000', 'Inter, sans-serif']);
  });

  it('works with the keyboard alone, and returns the focus', async () => {
    const page = await open(await visitor());
    const focused = `document.querySelector('switchboard-messenger').shadowRoot.activeElement?.className`;
    await page.locator('#own').focus();
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate(focused)).toBe('launcher');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Chat with us' }).waitFor();
    await expect.poll(() => page.evaluate(focused)).toBe('panel');
    await page.getByRole('button', { name: 'New: saved views' }).waitFor();
    const seen: unknown[] = [];
    for (let step = 0; step < 7; step++) {
      await page.keyboard.press('Tab');
      seen.push(
        await page.evaluate(
          `(({ activeElement: it }) => it?.ariaLabel ?? it?.textContent)(document.querySelector('switchboard-messenger').shadowRoot)`,
        ),
      );
    }
    expect(seen).toEqual([
      'Close the chat',
      'Chat with us',
      'Send us a message',
      'Where is my order?',
      'return something',
      'Ask: How do I return something?',
      expect.stringContaining('New: saved views'),
    ]);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate(focused)).toBe('launcher');
    await page.evaluate('m.write("My order")');
    expect(await page.getByRole('textbox').inputValue()).toBe('My order');
    await page.keyboard.press('Escape');
    await page.evaluate('m.stop()');
    expect(await page.locator('switchboard-messenger').count()).toBe(0);
  });

  it.each([
    { name: 'light', options: { viewport: { width: 1280, height: 800 } }, locale: 'en-US' },
    {
      name: 'dark',
      options: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
      locale: 'de-AT',
    },
    { name: 'right to left', options: { viewport: { width: 390, height: 800 } }, locale: 'ar' },
    { name: '320 px', options: { viewport: { width: 320, height: 568 }, colorScheme: 'dark' }, locale: 'ja' },
  ] as const)('violates no axe rule: $name', async ({ options, locale }) => {
    const page = await open(await visitor({ ...options, locale }));
    const check = async () => {
      // Colours are final once no element fades in any more.
      await page.evaluate(
        `Promise.allSettled(document.querySelector('switchboard-messenger').shadowRoot.getAnimations().filter(({ effect }) => effect.getTiming().iterations !== Infinity).map(({ finished }) => finished))`,
      );
      await page.evaluate(axe.source);
      const results = (await page.evaluate(
        `axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } })`,
      )) as axe.AxeResults;
      expect(
        results.violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 200))]),
      ).toEqual([]);
    };
    await check();
    await page.evaluate('m.open()');
    await page.locator('.hero').waitFor();
    await check();
    const id = await begin(page, 'Hello https://example.com');
    await answer(id, 'Hi');
    await page.locator('.theirs', { hasText: 'Hi' }).last().waitFor();
    await showTyping(id);
    await page.locator('.dots').waitFor();
    await check();
    await askForRatings();
    await manage('PUT', `/conversations/${id}/status`, { status: 'resolved' });
    await page.locator('.rating label').nth(3).click();
    await page.locator('.comment').waitFor();
    await check();
    const { width } = page.viewportSize() ?? { width: 0 };
    const overflow = `(({ scrollWidth }) => scrollWidth)(document.documentElement)`;
    expect(await page.evaluate(overflow)).toBeLessThanOrEqual(width);
  });

  it.each([
    [['fr-CH', 'en'], 'Écrivez-nous', 'ltr'],
    [['sv', 'pt-BR', 'en'], 'Envie uma mensagem', 'ltr'],
    [['he'], 'שלחו לנו הודעה', 'rtl'],
    [['tlh'], 'Send us a message', 'ltr'],
  ])('uses the first language of %j that it supports', async (locale, text, direction) => {
    const page = await open(await visitor(), { locale });
    await page.evaluate('m.open()');
    await page.getByRole('button', { name: text }).waitFor();
    expect(await page.locator('.root').getAttribute('dir')).toBe(direction);
  });

  it('renders text from the server as plain text', async () => {
    const context = await visitor();
    const html = '<img src=x onerror="bad=1"><script>bad=1</script>';
    await configure(context, {
      greeting: html,
      awayMessage: html,
      availability: false,
      team: [{ name: html, initials: '<b>', tone: 'url(x)', avatarUrl: 'https://evil.example/x.png' }],
      starterPrompts: [{ html: `${html}<a href="javascript:bad=1">x</a>`, text: html }],
    });
    const page = await open(context);
    const id = await begin(page, html);
    await answer(id, html);
    await page.locator('.theirs .body', { hasText: 'onerror' }).last().waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    const foreign = `script, a, img:not([src^="${running.demo.base_url}/v1/messenger/avatar/grace/"])`;
    expect(await page.locator(`.root :is(${foreign})`).count()).toBe(0);
    expect(await page.evaluate('globalThis.bad')).toBeUndefined();
  });

  it('throws no error into the page', async () => {
    const page = await open(await visitor());
    await page.evaluate(`{
      m.stop(); m.stop(); m.open(); m.write('x'); m.close();
      const nowhere = { key: 'none', host: sb.options.host + '/nowhere', storage: 'memory' };
      const broken = messenger.startMessenger(switchboard.init(nowhere), { onError: () => { throw new Error('of the page'); } });
      broken.open();
      broken.onChange(() => { throw new Error('of the page'); });
      broken.write('x');
    }`);
  });

  /** Changes the configuration that visitors of this context get. */
  async function configure(context: BrowserContext, changes: object): Promise<(next: object) => void> {
    let current = changes;
    await context.route('**/v1/messenger/config*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), ...current } });
    });
    return (next) => {
      current = next;
    };
  }

  it('follows changes of the configuration, and disappears while it is turned off', async () => {
    const page = await open(await visitor());
    const before = await manage<object>('GET', '/messenger/config');
    try {
      await manage('PUT', '/messenger/config', {
        ...before,
        texts: { en: { greeting: 'Since it was read' } },
      });
      await page.evaluate('m.open()');
      await page.getByRole('heading', { name: 'Since it was read' }).waitFor();
      await manage('PUT', '/messenger/config', { ...before, texts: { en: { greeting: 'Changed' } } });
      await page.getByRole('heading', { name: 'Changed' }).waitFor();
      await manage('PUT', '/messenger/config', { ...before, enabled: false });
      await page.locator('.root').waitFor({ state: 'detached' });
    } finally {
      await manage('PUT', '/messenger/config', before);
    }
    await page.locator('.root').waitFor();
  });

  /** Returns an expression for the rendered state of these elements: texts, positions and styles. */
  const drawn = (selector: string) => `(() => {
    const root = document.querySelector('switchboard-messenger').shadowRoot;
    const styles = ['backgroundColor', 'backgroundImage', 'borderRadius', 'borderTopWidth', 'boxShadow', 'color'];
    return JSON.stringify([...root.querySelectorAll(${JSON.stringify(selector)})].map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect(), style = getComputedStyle(element);
      return [element.textContent, element.src, element.accept, x, y, width, height, ...styles.map((name) => style[name])];
    }));
  })()`;

  const away = { availability: false };
  const team = (changes: object) => ({ team: [{ name: 'Ada', initials: 'A', tone: 'red', ...changes }] });

  /** For each setting: configurations that differ in it, and the place where the difference shows. */
  const SEEN: Record<keyof MessengerConfiguration, Seen | 'not drawn'> = {
    enabled: { given: [{ enabled: true }, { enabled: false }], on: '.launcher' },
    launcherPosition: { given: 'every choice', on: '.launcher, .panel' },
    launcherOffsetX: { given: [{ launcherOffsetX: 0 }, { launcherOffsetX: 60 }], on: '.launcher' },
    launcherOffsetY: { given: [{ launcherOffsetY: 0 }, { launcherOffsetY: 60 }], on: '.launcher' },
    accentColor: {
      given: ['#0b6bcb', 'rebeccapurple', 'rgb(250 220 60)', 'no colour'].map((accentColor) => ({
        accentColor,
      })),
      on: '.launcher, .mine .bubble',
    },
    availability: {
      given: [{ availability: null }, away],
      on: '.presence',
    },
    skin: { given: 'every choice', on: '.head, .panel, .composer' },
    launcherShape: { given: 'every choice', on: '.launcher' },
    launcherFill: { given: 'every choice', on: '.launcher' },
    launcherContent: { given: 'every choice', on: '.launcher, .launcher *' },
    launcherSize: { given: 'every choice', on: '.launcher' },
    bubbleShape: { given: 'every choice', on: '.bubble' },
    bubbleFill: { given: 'every choice', on: '.bubble' },
    composerShape: { given: 'every choice', on: '.composer' },
    namePlacement: { given: 'every choice', on: '.theirs .name, .theirs .bubble' },
    nameAvatar: { given: [{ nameAvatar: true }, { nameAvatar: false }], on: '.log .avatar, .theirs .bubble' },
    dayDividers: { given: [{ dayDividers: true }, { dayDividers: false }], on: '.day' },
    stampPlacement: { given: 'every choice', on: '.stamp' },
    stampContent: { given: 'every choice', on: '.stamp' },
    greeting: { given: [{ greeting: '' }, { greeting: 'Hi' }], on: '.theirs .body' },
    awayMessage: {
      given: [
        { ...away, awayMessage: 'Later' },
        { ...away, awayMessage: '' },
      ],
      on: '.away',
    },
    starterPrompts: { given: [{ starterPrompts: [] }, {}], on: '.prompt' },
    team: {
      given: [team({}), team({ name: 'Grace' }), team({ initials: 'X' }), team({ tone: 'blue' }), {}],
      on: '.team ~ .who h2, .team .avatar',
    },
    attachments: {
      given: [
        { attachments: { enabled: false, maxBytes: 1, accept: [] } },
        { attachments: { enabled: true, maxBytes: 1, accept: ['image/png'] } },
        { attachments: { enabled: true, maxBytes: 1, accept: ['image/gif'] } },
      ],
      on: '.attach, input',
    },
    version: 'not drawn',
    socketUrl: 'not drawn',
  };

  it('renders every setting of the configuration: each value looks different', async () => {
    expect(Object.keys(SEEN).sort()).toEqual(Object.keys(messengerConfiguration.shape).sort());
    const context = await visitor();
    const give = await configure(context, {});
    const page = await open(context);
    const choices = (await page.evaluate('messenger.CHOICES')) as Record<string, object>;
    const names = Object.entries(choices).map(([setting, values]) => [setting, Object.keys(values)]);
    expect(Object.fromEntries(names)).toEqual(MESSENGER_CHOICES);
    const id = await begin(page, 'one');
    await answer(id, 'two');
    await page.locator('.theirs', { hasText: 'two' }).waitFor();
    const settle = () =>
      page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 60)))');
    const show = async (given: object) => {
      give({ enabled: true, launcherContent: 'icon', availability: null, ...given });
      const read = page.waitForResponse('**/v1/messenger/config*');
      await page.evaluate(`dispatchEvent(new Event('online'))`);
      await (await read).finished();
      await settle();
    };
    const compare = async (setting: string, { given, on }: Seen) => {
      const all =
        given === 'every choice'
          ? Object.keys(choices[setting] ?? {}).map((value) => ({ [setting]: value }))
          : given;
      expect(all.length, setting).toBeGreaterThan(1);
      const looks: string[] = [];
      for (const one of all) {
        await show(one);
        let look = String(await page.evaluate(drawn(on)));
        if (setting === 'skin') {
          await page.emulateMedia({ colorScheme: 'dark' });
          await settle();
          look += await page.evaluate(drawn(on));
          await page.emulateMedia({ colorScheme: 'light' });
          await settle();
        }
        looks.push(look);
      }
      expect(new Set(looks).size, setting).toBe(all.length);
    };
    const settings = Object.entries(SEEN).flatMap(([name, seen]) =>
      seen === 'not drawn' ? [] : [{ name, seen }],
    );
    const ofLauncher = settings.filter(({ name }) => name.startsWith('launcher') || name === 'enabled');
    const ofNew = settings.filter(({ name }) => name === 'starterPrompts' || name === 'team');
    for (const { name, seen } of settings)
      if (!ofLauncher.some((one) => one.name === name) && !ofNew.some((one) => one.name === name))
        await compare(name, seen);
    await page.evaluate('m.write()');
    for (const { name, seen } of ofNew) await compare(name, seen);
    await page.locator('.team img').first().waitFor();
    await page.evaluate('m.close()');
    for (const { name, seen } of ofLauncher) await compare(name, seen);
  });

  // Runs last, because later visitors also get the message to everyone.
  it('shows an in-app message as soon as it is sent, to one person and to everyone', async () => {
    const page = await open(await visitor());
    const sent = (body: object) =>
      manage('POST', '/messages', { title: 'News', body: 'Saved views', ...body });
    const unread = (count: number) =>
      page.getByRole('button', { name: `Open the chat, ${count} unread` }).waitFor();
    await unread(1);
    for (const id of ['inbox-ada', 'inbox-grace']) {
      const [socket] = await Promise.all([
        page.waitForEvent('websocket'),
        page.evaluate(`sb.identify('${id}')`),
      ]);
      expect(new URL(socket.url()).searchParams.get('distinct_id')).toBe(id);
      // The messenger reads the inbox once it is open.
      await page.waitForResponse(/v1\/messages/);
    }
    await sent({ distinctIds: ['inbox-grace'] });
    await unread(2);
    await sent({ distinctIds: ['inbox-ada'] });
    await sent({});
    await unread(3);
  });
});
