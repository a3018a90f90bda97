import { hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compose, IS_UP } from './engine.ts';
import { CONSOLE, GATEWAY, readDemo } from './published.ts';

const OWNER = { name: 'Ada Owner', email: 'ada@lumen.example', password: 'correct horse battery staple' };

describe.skipIf(!IS_UP || !hasChromium)('docker compose --env-file deploy/docker/identity.env up', () => {
  let browser: Browser;
  let page: Page;
  let demo: Awaited<ReturnType<typeof readDemo>>;
  beforeAll(async () => {
    demo = await readDemo();
    browser = await openBrowser();
    page = await browser.newPage();
  });
  afterAll(() => browser?.close());

  it('takes the first owner from the link in the log to a page of the console', async () => {
    const log = await compose('logs', '--no-color', 'identity');
    const [link = ''] = /http:\S+\/identity\/set-up\/[\w-]+/.exec(log) ?? [];
    await page.goto(link);
    await page.getByLabel('Name').fill(OWNER.name);
    await page.getByLabel('Email').fill(OWNER.email);
    await page.getByLabel('Password').fill(OWNER.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL('**/identity/account**');

    await page.goto(CONSOLE);
    await page.getByText('You are not a member of a company with a project.').waitFor();
    const session = await page.evaluate(async () =>
      (await fetch('/session/token', { method: 'POST' })).json(),
    );
    const { accessToken } = z.object({ accessToken: z.string() }).parse(session);
    const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
    const { sub } = z.object({ sub: z.string() }).parse(claims);
    // An operator adds the owner to the company of the demo.
    const added = await fetch(`${demo.management_url}/management/v1/companies/co_lumen/members/${sub}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${demo.tokens['operator']}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: OWNER.name, email: OWNER.email, role: 'owner' }),
    });
    expect(added.status).toBeLessThan(300);
    await page.goto(`${CONSOLE}/projects/${demo.project_id}/settings/members`);
    await page.getByRole('button', { name: OWNER.name }).waitFor();

    // The owner sees the first event as it arrives.
    await page.goto(`${CONSOLE}/projects/${demo.project_id}/events`);
    await page.getByText('Live', { exact: true }).waitFor();
    const now = new Date().toISOString();
    const event = {
      event_id: 'first',
      distinct_id: 'ada',
      event_name: 'first event',
      schema_version: 1,
      timestamp: now,
    };
    const sent = await fetch(`${GATEWAY.events}/v1/events`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${demo.project_key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ sent_at: now, events: [event] }),
    });
    expect(sent.status).toBe(202);
    await page.getByRole('button', { name: 'first event' }).waitFor();
  });

  it('accepts the tokens of the demo beside those of identity', async () => {
    const answer = await fetch(`${GATEWAY.api}/v1/me`, {
      headers: { Authorization: `Bearer ${demo.tokens['owner']}` },
    });
    expect(answer.status).toBe(200);
  });

  it('keeps metrics and health of the console internal', async () => {
    const statuses = await Promise.all(
      ['/metrics', '/health/ready'].map(async (path) => (await fetch(CONSOLE + path)).status),
    );
    expect(statuses).toEqual([404, 404]);
  });
});
