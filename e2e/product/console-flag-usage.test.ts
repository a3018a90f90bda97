import { openDatabase } from '@switchboard/database';
import { eventually, hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsolePage, openConsole, violationsOf } from './testing/console.ts';
import { databaseUrl, standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();

/** Stores usage of two flags: payments serves both, and old-basket nothing but off for 40 days. */
const DAY_MS = 86_400_000;

async function storeUsage(): Promise<void> {
  const url = await databaseUrl(running.home, 'flags');
  const { sql, close } = openDatabase({ url, applicationName: 'test', poolSize: 1 });
  const served = [
    ['payments', 'on', 900],
    ['payments', 'off', 300],
    ['old-basket', 'off', 50],
  ] as const;
  const now = Date.now();
  const seen: Record<string, Record<string, [number, number]>> = {};
  for (const [key, variation] of served)
    seen[key] = { ...seen[key], [variation]: [now - 40 * DAY_MS, now - 180_000] };
  await sql`insert into usage_seen values ('prj_shop', ${JSON.stringify(seen)}::text::jsonb)
    on conflict (project_id) do update set seen = excluded.seen`;
  for (let days = 0; days < 20; days++) {
    const counts: Record<string, Record<string, number>> = {};
    for (const [key, variation, count] of served)
      counts[key] = { ...counts[key], [variation]: count + 7 * days };
    await sql`insert into usage_days
      values ('prj_shop', (now() at time zone 'UTC')::date - ${days}::int, ${JSON.stringify(counts)}::text::jsonb)
      on conflict (project_id, day) do update set counts = excluded.counts`;
  }
  await sql`update flag_versions set at = now() - interval '40 days' where key = 'old-basket'`;
  await close();
}

describe.skipIf(!hasChromium)('the usage of flags in the console', () => {
  let browser: Browser;
  let opened: ConsolePage;
  beforeAll(async () => {
    browser = await openBrowser();
    await storeUsage();
    opened = await openConsole(browser, running.demo, '/projects/prj_shop/flags');
  });
  afterAll(() => browser?.close());

  it('shows the shares of variations and the last evaluation in the list, and stale flags alone on request', async () => {
    const { page, problems } = opened;
    const row = page.getByRole('row').filter({ hasText: 'payments' });
    await row.getByRole('img', { name: /^on \d\d\.\d%, off \d\d\.\d%$/ }).waitFor();
    await row.locator('time').first().waitFor();
    await page.getByRole('row').filter({ hasText: 'old-basket' }).getByText('Stale').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('Only stale').check();
    await eventually(async () =>
      expect(await page.locator('[data-row]').filter({ hasText: 'payments' }).count()).toBe(0),
    );
    expect(await page.locator('[data-row]').count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('stale')).toBe('stale');
    expect(problems).toEqual([]);
  });

  it('draws the evaluations of a flag by variation, and says why it is stale', async () => {
    const { page, problems } = opened;
    await page.getByRole('button', { name: 'old-basket', exact: true }).click();
    await page.getByRole('navigation', { name: 'Parts of the page' }).getByText('Usage').click();
    await page.getByText('Stale: it served only off for 14 days and did not change for 30.').waitFor();
    await page.getByRole('img', { name: /^Evaluations by day\. off: / }).waitFor();
    const row = page.getByRole('table', { name: 'Variations' }).getByRole('row').nth(1);
    expect((await row.textContent())?.startsWith('off')).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
