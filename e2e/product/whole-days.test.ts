import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type MailServer, mailServer } from '@switchboard/mail/testing';
import { startForeignProvider } from '@switchboard/service-identity/testing';
import { call, eventually, freePort, hasChromium, openBrowser } from '@switchboard/testkit';
import { createTransport } from 'nodemailer';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { openConsole, violationsOf } from './testing/console.ts';
import { manage } from './testing/flags.ts';
import { type Launched, launch, newSeededHome } from './testing/launch.ts';
import { siteForTests } from './testing/sdk-page.ts';

const CONVERSATIONS = 20;
const SECRET = 'PLANTED-SECRET';
const GRACE = { name: 'Grace Hopper', address: 'grace@customer.example' };
const GERMAN: Record<string, string> = {
  'How can we help?': 'Wie können wir helfen?',
  'Where is my order?': 'Wo ist meine Bestellung?',
};

describe.skipIf(!hasChromium)('a whole day in the console', () => {
  let home: string;
  let running: Launched;
  let browser: Browser;
  let mails: MailServer;
  let transport: ReturnType<typeof createTransport>;
  const closing: (() => unknown)[] = [];
  const problems: string[][] = [];

  const pages: Record<string, string> = {};
  const site = siteForTests({
    modules: {
      switchboard: import.meta.resolve('@switchboard/browser'),
      messenger: import.meta.resolve('@switchboard/messenger'),
    },
    scripts: {},
    body: '<main><h1>Shop</h1></main>',
    pages,
  });

  beforeAll(async () => {
    home = await newSeededHome();
    mails = await mailServer();
    const [port, ai] = [await freePort(), await startTranslator(GERMAN)];
    closing.push(ai.close, mails.stop);
    running = await launch(home, {
      SUPPORT_MAIL_PORT: String(port),
      SMTP_URL: mails.url,
      AI_BASE_URL: ai.url,
      AI_API_KEY: 'a key',
      AI_MODEL: 'a-model',
      ARCHIVE_FILE_SECONDS: '1',
    });
    transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
    browser = await openBrowser();
  });
  afterEach(() => {
    expect(problems.splice(0).flat()).toEqual([]);
  });
  afterAll(async () => {
    transport.close();
    await browser?.close();
    await running?.end('SIGTERM');
    for (const close of closing) await close();
    await rm(home, { recursive: true, force: true });
  });

  /** Opens a page of the console as the owner of the demo, or with the token of another person. */
  async function open(path: string, token = running.demo.tokens.owner): Promise<Page> {
    const opened = await openConsole(browser, running.demo, path, { width: 1440, height: 900, token });
    problems.push(opened.problems);
    onTestFinished(() => opened.context.close());
    return opened.page;
  }

  async function asOwner(method: string, path: string, body?: object) {
    const { base_url, project_id, tokens } = running.demo;
    const url = `${base_url}/v1/projects/${project_id}${path}`;
    const answer = await call(method, url, { token: tokens.owner, ...(body && { body }) });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  }

  async function openConversation(distinctId: string, body: string): Promise<void> {
    const { base_url, project_key: token } = running.demo;
    const opened = await call('POST', `${base_url}/v1/conversations`, { token, body: { distinctId } });
    const { conversationId, token: own } = opened.body;
    const url = `${base_url}/v1/conversations/${conversationId}/turns`;
    const headers = { 'X-Service-Conversation-Token': own };
    const sent = await call('POST', url, { token, headers, body: { body } });
    expect(sent.status).toBe(201);
  }

  /** Returns the first mail to an address. */
  const mailTo = (address: string) =>
    eventually(
      () => {
        const found = mails.received.find(({ to }) => to.includes(address));
        if (found === undefined) throw new Error(`no mail to ${address}`);
        return found.mail;
      },
      { withinMs: 120_000 },
    );

  /** Opens a page of the shop with the SDK, and keeps everything that the server sends to it. */
  async function openShop(key: string): Promise<{ shop: Page; received: string[] }> {
    const { base_url: host, eu_api_url: eventsHost } = running.demo;
    const context = await site.visitor();
    onTestFinished(() => context.close());
    const shop = await site.open(context, '/tents');
    const received: string[] = [];
    shop.on('response', async (response) => received.push(await response.text().catch(() => '')));
    shop.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => received.push(String(payload))),
    );
    await shop.evaluate(`globalThis.sb = switchboard.init(${JSON.stringify({ key, host, eventsHost })})`);
    return { shop, received };
  }

  it('lets an agent clear 20 conversations by keyboard, one of them by mail, and shows no note to a visitor', async () => {
    const { conversations: before } = await asOwner('GET', '/conversations?status=open');
    const conversationIds = before.map(({ id }: { id: string }) => id);
    if (conversationIds.length > 0)
      await asOwner('POST', '/conversation-changes', { conversationIds, change: { status: 'resolved' } });
    const settings = await asOwner('GET', '/support-settings');
    const { mailAddress } = await asOwner('PUT', '/support-settings', {
      ...settings,
      mailAfterMinutes: 1,
      mailOpensConversations: true,
    });
    for (let number = 2; number < CONVERSATIONS; number++)
      await openConversation(`visitor ${number}`, `Question ${number}`);
    await transport.sendMail({
      from: GRACE,
      to: mailAddress,
      subject: 'Where is my order?',
      text: 'It should be here by now.\n\n-- \nGrace Hopper',
    });
    const { shop, received } = await openShop(running.demo.project_key);
    await shop.evaluate('globalThis.m = messenger.startMessenger(sb)');
    await shop.locator('.root').waitFor({ state: 'attached' });
    await shop.evaluate('m.write()');
    await shop.getByRole('textbox').fill('Where is my tent?');
    await shop.keyboard.press('Enter');
    await shop.locator('.mine .bubble:not(.waiting)').waitFor();
    const openCount = async () => (await asOwner('GET', '/conversation-counts')).open;
    await eventually(async () => expect(await openCount()).toBe(CONVERSATIONS));

    const page = await open(`/projects/${running.demo.project_id}/inbox`);
    const list = page.getByRole('region', { name: 'Conversations', exact: true });
    const middle = page.getByRole('region', { name: 'Conversation', exact: true });
    const timeline = page.getByRole('region', { name: 'Time line' });
    const field = page.getByRole('textbox', { name: 'Reply' });
    const reply = async (text: string) => {
      await page.keyboard.press('r');
      await page.keyboard.type(text);
      await page.keyboard.press('Control+Enter');
      await timeline.getByText(text, { exact: true }).waitFor();
      await page.keyboard.press('Escape');
    };
    await list.getByRole('listitem').first().waitFor();
    await page.keyboard.press('j');
    const read: string[] = [];
    for (let left = CONVERSATIONS; left > 0; left--) {
      // After a conversation is resolved, the next one is open.
      await field.waitFor();
      const first = timeline.getByRole('article').first();
      const asked = (await first.textContent()) ?? '';
      read.push(asked);
      if (asked.includes('Where is my tent?')) {
        await page.keyboard.press('n');
        await page.keyboard.type(`${SECRET} ask the warehouse`);
        await page.keyboard.press('Control+Enter');
        await timeline.getByText(SECRET).waitFor();
        await page.keyboard.press('Escape');
        await page.keyboard.press('l');
        await page.getByRole('combobox', { name: 'Label' }).waitFor();
        await page.keyboard.type(SECRET);
        await page.keyboard.press('Enter');
        await middle.getByText(SECRET, { exact: true }).first().waitFor();
      }
      if (asked.includes(GRACE.address)) {
        await first.getByRole('img', { name: 'By mail' }).waitFor();
        expect(await first.getByText('Quoted text and signature').isVisible()).toBe(true);
        await page.getByText(`${GRACE.address}, not verified`).waitFor();
        expect(await violationsOf(page)).toEqual([]);
        await reply('It arrives tomorrow.');
      } else await reply(`Answer ${left}`);
      const url = page.url();
      await page.keyboard.press('e');
      await expect.poll(() => page.url(), { timeout: 20_000 }).not.toBe(url);
    }
    expect(read.filter((text) => text.includes(GRACE.address))).toHaveLength(1);
    await eventually(async () => expect(await openCount()).toBe(0));
    await page.getByText('No conversation is in this view.').waitFor();
    await shop.getByText(/^Answer \d+$/).waitFor();

    const mail = await mailTo(GRACE.address);
    expect(mail.text).toMatch(/^It arrives tomorrow\./);
    const to = mail.replyTo?.[0]?.address ?? '';
    const subject = `Re: ${mail.subject}`;
    await transport.sendMail({ from: GRACE, to, subject, text: 'Thank you!\n\n> It arrives tomorrow.' });
    await list.getByText('Thank you!').waitFor();
    await page.keyboard.press('j');
    await timeline.getByText('Thank you!', { exact: true }).waitFor();
    await timeline.getByText(`Mailed to ${GRACE.address}`).waitFor();
    await transport.sendMail({ from: 'Eve <eve@else.example>', to, subject, text: 'Send it to me.' });
    await timeline.getByText('Another address').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('e');
    await eventually(async () => expect(await openCount()).toBe(0));

    expect(received.join('\n')).toMatch(/Answer \d+/);
    expect(received.join('\n')).not.toContain(SECRET);
    expect(await shop.content()).not.toContain(SECRET);
    for (const { raw } of mails.received) expect(raw).not.toContain(SECRET);
  }, 300_000);

  it('lets a developer ship a flag from staging to production with the approval of a second person, and kill it', async () => {
    const LIVE = '/projects/prj_live';
    const project = { companyId: 'co_lumen', name: 'Live shop', region: 'eu', defaultLanguage: 'en' };
    await manage(running.demo, 'PUT', LIVE, project);
    const { subs, tokens } = running.demo;
    const ed = { name: 'Ed Editor', email: 'ed@lumen.example', role: 'editor' };
    await manage(running.demo, 'PUT', `/companies/co_lumen/members/${subs.teammate}`, ed);

    // The owner protects production, and creates its key.
    const owner = await open(`${LIVE}/settings/project`);
    await owner.getByLabel('Approvals of flag changes').fill('1');
    await owner.getByRole('button', { name: 'Save project' }).click();
    await owner.getByRole('link', { name: 'Change requests' }).waitFor();
    await owner.getByRole('link', { name: 'Keys' }).click();
    await owner.getByRole('button', { name: 'Create key' }).click();
    const key =
      (await owner
        .getByText(/^pk_eu_/)
        .first()
        .textContent()) ?? '';
    expect(await violationsOf(owner)).toEqual([]);
    const { shop } = await openShop(key);
    const served = (value: boolean) =>
      shop.waitForFunction(`sb.flags.get('express-checkout', ${!value}) === ${value}`);
    await shop.evaluate(`sb.flags.ready()`);
    expect(await shop.evaluate(`sb.flags.all()`)).toEqual({});

    // The developer creates the flag in staging, and promotes it.
    const developer = await open('/projects/prj_shop/flags', tokens.teammate);
    await developer.getByRole('button', { name: 'Create flag' }).click();
    await developer.getByLabel('Key').fill('express-checkout');
    await developer.getByLabel('State').selectOption('on');
    await developer.getByRole('button', { name: 'Create flag' }).click();
    await developer.getByRole('heading', { name: 'express-checkout' }).waitFor();
    await developer.getByRole('link', { name: 'Projects' }).click();
    await developer.getByLabel('Project', { exact: true }).selectOption({ label: 'Live shop' });
    await developer.getByText('Live shop does not have the flag.').waitFor();
    await developer.getByRole('textbox', { name: 'Reason' }).fill('Tested in staging');
    expect(await violationsOf(developer)).toEqual([]);
    await developer.getByRole('button', { name: 'Promote flag to Live shop' }).click();
    await developer.getByText('The change of express-checkout waits for approval.').waitFor();

    // The owner finds it on the home page.
    await owner.getByRole('link', { name: 'Home' }).click();
    const waiting = owner.locator('section', { hasText: 'Waiting for your approval' });
    await waiting.getByText('Ed Editor').waitFor();
    await waiting.getByRole('link', { name: 'express-checkout' }).click();
    const request = owner.getByRole('region', { name: 'express-checkout' });
    await request.getByText('Tested in staging').waitFor();
    expect(await violationsOf(owner)).toEqual([]);
    await request.getByRole('button', { name: 'Approve change' }).click();
    await owner.getByText('The change of express-checkout is approved.').waitFor();
    await served(true);

    // The developer kills it with two keys, without approval.
    await developer.goto(`${running.demo.console_url}${LIVE}/flags/express-checkout`);
    await developer.getByRole('button', { name: 'Turn off flag' }).waitFor();
    await developer.keyboard.press('x');
    await developer.keyboard.press('Enter');
    await served(false);
    await developer.getByText('express-checkout is off.').waitFor();
    await developer.getByRole('link', { name: 'History' }).click();
    await developer.getByText('Switched off without approval').waitFor();
    await developer.getByText('Approved by').waitFor();
    expect(await violationsOf(developer)).toEqual([]);
  });

  it('lets an admin set up a new company with single sign-on, a messenger in two languages and a widget on a page', async () => {
    const { base_url, console_url, management_url, tokens } = running.demo;
    const foreign = await startForeignProvider(`${base_url}/identity/upstream/callback`);
    onTestFinished(() => foreign.close());
    foreign.person = {
      sub: 'linus',
      name: 'Linus Pauling',
      email: 'linus@acme.example',
      email_verified: true,
      groups: ['Support'],
    };

    // The operator creates the company, and invites its owner.
    await manage(running.demo, 'PUT', '/companies/acme', {
      name: 'Acme',
      plan: { tier: 'growth', cycle: 'monthly' },
    });
    await manage(running.demo, 'PUT', '/projects/prj_acme', {
      companyId: 'acme',
      name: 'Acme shop',
      region: 'eu',
      defaultLanguage: 'en',
    });
    const owner = { email: 'ada@acme.example', role: 'owner' };
    await eventually(() => manage(running.demo, 'POST', '/companies/acme/invitations', owner));
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const { text: invitation = '' } = await mailTo(owner.email);
    await page.goto(/http\S+\/identity\/invitation\/[\w-]+/.exec(invitation)?.[0] ?? '');
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.getByLabel('Password').fill('correct horse battery staple');
    await page.getByRole('button', { name: 'Accept invitation' }).click();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await page.goto(console_url);
    await page.getByRole('heading', { name: 'Acme shop' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);

    // Single sign-on. The domain has no DNS, so the operator vouches for it.
    await page.getByRole('link', { name: 'Single sign-on' }).click();
    await page.getByLabel('New domain').fill('acme.example');
    await page.keyboard.press('Enter');
    await page.getByText('_switchboard.acme.example').waitFor();
    await manage(running.demo, 'POST', '/companies/acme/domains/acme.example/verify');
    await page.getByLabel('Name', { exact: true }).fill('Acme login');
    await page.getByLabel('Issuer').fill(foreign.issuer);
    await page.getByLabel('Client ID').fill('switchboard');
    await page.getByLabel('Client secret').fill('foreign-secret');
    await page.getByRole('button', { name: 'Save provider' }).click();
    await page.getByRole('button', { name: 'Test provider' }).click();
    await page.getByText('The provider accepts the client.').waitFor();
    await page.getByRole('button', { name: 'Add group' }).click();
    await page.getByLabel('Group 1', { exact: true }).fill('Support');
    await page.getByLabel('Role of group 1').selectOption('support');
    await page.getByRole('button', { name: 'Save groups' }).click();
    await page.getByRole('button', { name: 'Save groups' }).and(page.locator(':disabled')).waitFor();
    expect(await violationsOf(page)).toEqual([]);

    // The messenger in English and German.
    await page.getByRole('link', { name: 'Messenger' }).click();
    await page.getByRole('button', { name: 'Texts' }).click();
    await page.getByText('The messenger is off.').waitFor();
    await page.getByRole('button', { name: 'Turn on messenger' }).click();
    const english = page.getByRole('region', { name: 'English' });
    await english.getByLabel('Greeting').fill('How can we help?');
    await english.getByRole('button', { name: 'Add prompt' }).click();
    await english.getByLabel('Prompt 1: shown').fill('Where is my order?');
    await page.getByLabel('Another language').fill('de');
    await page.keyboard.press('Enter');
    const german = page.getByRole('region', { name: 'German' });
    await german.getByRole('button', { name: 'Translate from English' }).click();
    await german.getByText('Every text has a translation.').waitFor();
    await expectValue(german.getByLabel('Greeting'), 'Wie können wir helfen?');
    await expectValue(german.getByLabel('Prompt 1: sent'), 'Wo ist meine Bestellung?');
    await page.getByLabel('Language of the visitor').selectOption('de');
    const preview = page.frameLocator('iframe[title="Preview of the messenger"]');
    await preview.getByText('Wie können wir helfen?').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: /^Review \d+ change/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('The messenger settings are saved.').waitFor();

    // The widget on a page, with the code that the console shows.
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    const snippet = (await page.getByRole('region', { name: 'the snippet' }).textContent()) ?? '';
    expect(await violationsOf(page)).toEqual([]);
    pages['/acme'] = `<!doctype html><html lang="de"><title>Acme</title><body><h1>Acme</h1>${snippet}
      <script>isLoaded = true</script>`;
    const visitor = await site.visitor({ locale: 'de-DE' });
    onTestFinished(() => visitor.close());
    const acme = await site.open(visitor, '/acme');
    await acme.locator('.launcher').click();
    await acme.getByText('Wie können wir helfen?').waitFor();
    await acme.getByRole('button', { name: 'Wo ist meine Bestellung?' }).click();

    // The event of the snippet ticks the steps of the new project.
    await page.getByRole('link', { name: 'Home' }).click();
    for (const step of ['Install an SDK', 'Send the first event'])
      await page
        .getByRole('listitem')
        .filter({ hasText: step })
        .getByRole('img', { name: 'Done' })
        .waitFor({ timeout: 60_000 });
    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await page.getByRole('button', { name: 'page opened' }).first().waitFor({ timeout: 60_000 });

    // A colleague of the group signs in with the provider, and answers.
    const colleagues = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    onTestFinished(() => colleagues.close());
    const colleague = await colleagues.newPage();
    await colleague.goto(`${console_url}/projects/prj_acme/inbox`);
    await colleague.getByRole('link', { name: 'Use single sign-on' }).click();
    await colleague.getByLabel('Email').fill('linus@acme.example');
    await colleague.getByRole('button', { name: 'Continue' }).click();
    await colleague.getByRole('link', { name: 'Continue with Acme login' }).click();
    await colleague.getByText('Wo ist meine Bestellung?').first().waitFor();
    await colleague.keyboard.press('j');
    await colleague.getByRole('textbox', { name: 'Reply' }).waitFor();
    await colleague.keyboard.press('r');
    await colleague.keyboard.type('Morgen ist sie da.');
    await colleague.keyboard.press('Control+Enter');
    await acme.getByText('Morgen ist sie da.').waitFor();
    expect(await violationsOf(colleague)).toEqual([]);
    const members = await call('GET', `${management_url}/management/v1/companies/acme/members`, {
      token: tokens.operator,
    });
    expect(members.body.members).toContainEqual(
      expect.objectContaining({ email: 'linus@acme.example', role: 'support' }),
    );
  }, 180_000);
});

const expectValue = (field: Locator, value: string) =>
  expect.poll(() => field.inputValue(), { timeout: 20_000 }).toBe(value);

/** Starts an endpoint like that of OpenAI, which translates the texts of a dictionary. */
async function startTranslator(dictionary: Record<string, string>) {
  const server = createServer(async (request, response) => {
    const { messages } = completion.parse(await json(request));
    const { texts } = asked.parse(JSON.parse(messages.at(-1)?.content ?? ''));
    const content = JSON.stringify({ texts: texts.map((text) => dictionary[text] ?? text) });
    response.setHeader('Content-Type', 'application/json').end(
      JSON.stringify({
        ...{ id: 'x', object: 'chat.completion', created: 1, model: 'a-model' },
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const completion = z.object({ messages: z.array(z.object({ content: z.string() })) });
const asked = z.object({ texts: z.array(z.string()) });
