import { hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lookAt, openConsole } from './testing/console.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();

async function read(path: string, token = running.demo.tokens.owner) {
  const answer = await fetch(`${running.demo.base_url}${path}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}

describe('usage, quotas and retention', () => {
  it('counts what a company has and may have, and tells strangers nothing', async () => {
    const { demo } = running;
    const { companies } = (await read('/v1/me')).body;
    const path = `/v1/companies/${companies[0].id}/usage`;
    const { body } = await read(path);
    const { projects } = (await read('/v1/projects')).body;
    expect(body.quotas.projects).toEqual({ used: projects.length, most: expect.any(Number) });
    expect(body.quotas.reports.used).toBeGreaterThan(0);
    expect(body.retention).toEqual([
      {
        data: 'auditEntries',
        setting: 'AUDIT_RETENTION_DAYS',
        days: 400,
        earliestAt: expect.any(String),
      },
    ]);
    expect((await read(path, demo.tokens.outsider)).status).toBe(403);
  });

  it('counts conversations and recordings of a project, and says how long its data is kept', async () => {
    const project = `/v1/projects/${running.demo.project_id}`;
    const messenger = (await read(`${project}/messenger-usage`)).body;
    expect(messenger.conversations).toBeGreaterThan(0);
    expect(messenger.month).toBe(new Date().toISOString().slice(0, 7));
    expect(messenger.retention.map(({ data }: { data: string }) => data)).toEqual([
      'conversations',
      'messages',
    ]);
    const archive = (await read(`${project}/archive-usage`)).body;
    expect(archive.retention).toMatchObject([
      { data: 'events', setting: 'ARCHIVE_RETENTION_DAYS', days: null },
      { data: 'recordings', setting: 'RECORDINGS_RETENTION_DAYS', days: null },
    ]);
    expect((await read(`${project}/people-usage`)).body.retention).toEqual([
      { data: 'people', setting: 'PEOPLE_RETENTION_DAYS', days: null },
    ]);
    expect((await read(`${project}/collaboration-usage`)).body.retention).toMatchObject([
      { data: 'threads', setting: 'COMMENTS_RETENTION_DAYS', days: null },
      { data: 'shares', setting: 'SHARES_RETENTION_DAYS', days: 90 },
      {
        data: 'reportRuns',
        setting: 'REPORT_RUNS_RETENTION_DAYS',
        days: null,
        earliestAt: expect.any(String),
      },
    ]);
    for (const usage of ['people-usage', 'collaboration-usage'])
      expect((await read(`${project}/${usage}`, running.demo.tokens.outsider)).status).toBe(403);
  });
});

describe.skipIf(!hasChromium)('the usage page of the console', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  it('shows plan, quotas, activity and retention in both themes without violations', async () => {
    const { demo } = running;
    const path = `/projects/${demo.project_id}/settings/usage`;
    const { page, problems, context } = await openConsole(browser, demo, path);
    await page.getByRole('table', { name: 'Quotas' }).getByText('Projects', { exact: true }).waitFor();
    const retention = page.getByRole('table', { name: 'Retention' });
    for (const data of ['Recordings', 'People and groups', 'Comment threads', 'Runs of reports'])
      await retention.getByText(data, { exact: true }).waitFor();
    expect(await retention.getByRole('row').filter({ hasText: 'Shares of reports' }).textContent()).toContain(
      '90 days',
    );
    await page.getByText('Active people this month').waitFor();
    await page.getByRole('meter', { name: /^Members: / }).waitFor();
    await expect.poll(() => page.getByRole('definition').allTextContents()).not.toContain('–');
    await lookAt(page, 'usage');
    expect(problems).toEqual([]);
    await context.close();
  });
});
