import { openDatabase } from '@switchboard/database';
import { testDatabase } from '@switchboard/testkit';
import { drizzle } from 'drizzle-orm/postgres-js';
import { expect, it } from 'vitest';
import { collaborationMigrations } from '../schema/migrations.ts';
import { nodesOf, type Plan } from '../testing/plan.ts';
import { createAnnotationsStore } from './store.ts';

it('reads a month out of 200,000 annotations through indexes, and only its rows', async () => {
  const { url, drop } = await testDatabase({ migrations: [collaborationMigrations] });
  const database = openDatabase({ url, applicationName: 'test', statementTimeoutMs: 60_000 });
  // Ten years of annotations: a tenth on the project, the rest on 30 reports. One in 50 lasts half a year.
  await database.sql.unsafe(`
    insert into annotations (id, project_id, report_id, starts_on, ends_on, text, tags, created_by_sub, created_at, updated_at)
    select 'ann_' || i, 'shop', case when i % 10 = 0 then null else 'r' || i % 30 end,
      date '2017-01-01' + i % 3650, date '2017-01-01' + i % 3650 + case when i % 50 = 0 then 180 else i % 3 end,
      'text', '{a}', 'ada', now(), now()
    from generate_series(1, 200000) i order by random()`);
  await database.sql.unsafe('vacuum analyze annotations');
  const queries: { query: string; params: unknown[] }[] = [];
  const logQuery = (query: string, params: unknown[]) => void queries.push({ query, params });
  const store = createAnnotationsStore(drizzle(database.sql, { logger: { logQuery } }));
  const range = { from: '2022-03-01', to: '2022-03-31', reportId: 'r7' };
  const rows = await store.overlapping('shop', range, 1_000);
  expect(queries).toHaveLength(1);
  const { query = '', params = [] } = queries[0] ?? {};
  // From its sixth execution, a prepared statement may use a generic plan, so the test checks both plans.
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    const [answer] = await database.sql.begin(async (sql) => {
      await sql.unsafe(`set local plan_cache_mode = ${mode}`);
      const types = params.map((value) => (typeof value === 'number' ? 'bigint' : 'text')).join(', ');
      await sql.unsafe(`prepare listing_${mode} (${types}) as ${query}`);
      const values = params.map((value) => `'${value}'`).join(', ');
      return sql.unsafe(`explain (analyze, buffers, format json) execute listing_${mode}(${values})`);
    });
    const plan: Plan = answer?.['QUERY PLAN'][0].Plan;
    const nodes = nodesOf(plan);
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    for (const node of nodes) {
      expect(node['Rows Removed by Filter'] ?? 0).toBe(0);
      expect(node['Rows Removed by Index Recheck'] ?? 0).toBe(0);
    }
    expect(plan['Actual Rows']).toBe(rows.length);
    const fromTable = nodes.filter((node) => /^(Bitmap Heap|Index) Scan$/.test(node['Node Type']));
    const read = fromTable.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);
    expect(read).toBe(rows.length);
    // One block per row, plus a few index blocks, out of about 9,000 in total.
    expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(rows.length + 150);
  }
  expect(rows.length).toBeGreaterThan(100);

  // Reading one page of a long list reads and sorts no more than one page from each part.
  const page = await store.overlapping('shop', { from: '2017-01-01', to: '2026-12-31' }, 50, rows.at(-1));
  const { query: next = '', params: given = [] } = queries.at(-1) ?? {};
  const [explained] = await database.sql.unsafe(
    `explain (analyze, format json) ${next.replace(/\$(\d+)/g, (_, place) => `'${given[Number(place) - 1]}'`)}`,
  );
  for (const node of nodesOf(explained?.['QUERY PLAN'][0].Plan))
    expect(node['Actual Rows']).toBeLessThan(101);
  const last = rows.at(-1);
  expect(page).toHaveLength(50);
  expect(page.every(({ startsOn, id }) => startsOn > (last?.startsOn ?? '') || id > (last?.id ?? ''))).toBe(
    true,
  );
  await database.close();
  await drop();
});
