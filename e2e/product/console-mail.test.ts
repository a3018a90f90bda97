import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { call, eventually, freePort, hasChromium, openBrowser } from '@switchboard/testkit';
import { createTransport } from 'nodemailer';
import type { Browser, Page } from 'playwright-core';
import PostalMime, { type Email } from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConsole, violationsOf } from './testing/console.ts';
import { type Launched, launch, newSeededHome } from './testing/launch.ts';

const GRACE = { name: 'Grace Hopper', address: 'grace@customer.example' };

describe.skipIf(!hasChromium)('the inbox with mail', () => {
  let home: string;
  let running: Launched;
  let browser: Browser;
  let page: Page;
  let problems: string[] = [];
  let transport: ReturnType<typeof createTransport>;

  beforeAll(async () => {
    home = await newSeededHome();
    const port = await freePort();
    running = await launch(home, { SUPPORT_MAIL_PORT: String(port) });
    transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
    browser = await openBrowser();
  }, 300_000);
  afterAll(async () => {
    transport.close();
    await browser?.close();
    await running?.end('SIGTERM');
    await rm(home, { recursive: true, force: true });
  }, 60_000);

  async function asOwner(method: string, path: string, body?: object) {
    const { base_url, project_id, tokens } = running.demo;
    const url = `${base_url}/v1/projects/${project_id}${path}`;
    const answer = await call(method, url, { token: tokens.owner, ...(body && { body }) });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  }

  /** Returns the mail to the customer, which standalone writes to a folder. */
  const mailed = (): Promise<Email> =>
    eventually(
      async () => {
        const [name] = (await readdir(join(home, 'mail'))).filter((file) => /^cnv_.*\.eml$/.test(file));
        if (name === undefined) throw new Error('no mail yet');
        return PostalMime.parse(await readFile(join(home, 'mail', name)));
      },
      { withinMs: 120_000 },
    );

  it('lets an agent clear a conversation by keyboard with a customer who writes by mail', async () => {
    const { project_id, tokens } = running.demo;
    const settings = await asOwner('GET', '/support-settings');
    const { mailAddress } = await asOwner('PUT', '/support-settings', {
      ...settings,
      mailAfterMinutes: 1,
      mailOpensConversations: true,
    });
    await transport.sendMail({
      from: GRACE,
      to: mailAddress,
      subject: 'Where is my order?',
      text: 'It should be here by now.\n\n-- \nGrace Hopper',
    });

    ({ page, problems } = await openConsole(browser, running.demo, `/projects/${project_id}/inbox`, {
      width: 1440,
      height: 900,
      token: tokens.owner,
    }));
    const timeline = page.getByRole('region', { name: 'Time line' });
    await page.getByText('Where is my order?').first().waitFor();
    await page.keyboard.press('j');
    const first = timeline.getByRole('article').first();
    await first.getByRole('img', { name: 'By mail' }).waitFor();
    expect(await first.textContent()).toContain(GRACE.address);
    expect(await first.getByText('Quoted text and signature').isVisible()).toBe(true);
    await page.getByText(`${GRACE.address}, not verified`).waitFor();
    expect(await violationsOf(page)).toEqual([]);

    await page.keyboard.press('r');
    await page.keyboard.type('It arrives tomorrow.');
    await page.keyboard.press('Control+Enter');
    await timeline.getByText('It arrives tomorrow.', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    const mail = await mailed();
    expect(mail.text).toMatch(/^It arrives tomorrow\./);
    await timeline.getByText(`Mailed to ${GRACE.address}`).waitFor();

    const to = mail.replyTo?.[0]?.address ?? '';
    const subject = `Re: ${mail.subject}`;
    await transport.sendMail({ from: GRACE, to, subject, text: 'Thank you!\n\n> It arrives tomorrow.' });
    await timeline.getByText('Thank you!', { exact: true }).waitFor();
    await transport.sendMail({ from: 'Eve <eve@else.example>', to, subject, text: 'Send it to me.' });
    await timeline.getByText('Another address').waitFor();

    await page.keyboard.press('e');
    await eventually(async () => {
      const { conversations } = await asOwner(
        'GET',
        `/conversations?status=resolved&distinctId=${encodeURIComponent(`mail:${GRACE.address}`)}`,
      );
      expect(conversations).toHaveLength(1);
    });
    await page.context().close();
    expect(problems).toEqual([]);
  }, 240_000);
});
