import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '@switchboard/database';
import { analyticsService } from '@switchboard/service-analytics';
import { archiveService } from '@switchboard/service-archive';
import { catalogueService } from '@switchboard/service-catalogue';
import { flagsService } from '@switchboard/service-flags';
import { messengerService } from '@switchboard/service-messenger';
import { testDatabase } from '@switchboard/testkit';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../harness/repository.ts';
import { settingOf } from './setting.ts';
import { serviceSettings } from './settings.ts';

const page = await readFile(join(REPOSITORY, 'docs/sizing.md'), 'utf8');

/** Returns the cells of each row of a section's table, without the header. */
function rowsOf(heading: string): string[][] {
  const section = page.split(/^## /m).find((text) => text.startsWith(heading)) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test('the table of connections has the pool of every service, and adds up', () => {
  const rows = rowsOf('Connections');
  const pools = serviceSettings.map(([name, { DATABASE_POOL_SIZE: schema }]) => [
    name,
    schema && settingOf('DATABASE_POOL_SIZE', schema).fallback,
  ]);
  expect(rows.map(([name, pool]) => [name, pool])).toEqual(
    pools.map(([name, fallback]) => [name, String(fallback)]),
  );
  const sums = rows.map((cells) => cells.slice(1, -1).reduce((sum, cell) => sum + Number(cell), 0));
  expect(rows.map((cells) => cells.at(-1))).toEqual(sums.map(String));
  const all = sums.reduce((sum, one) => sum + one, 0);
  expect(page).toContain(`one of each is ${all}, two of each ${2 * all}.`);
});

test('the table of vacuum names every table that a migration gives settings, and those', async () => {
  const told = rowsOf('Vacuum').flatMap(([tables = '', , settings = '']) =>
    [...tables.matchAll(/`([^`]+)`/g)].map(([, table = '']) => [table, settings] as const),
  );
  const found = new Map<string, string>();
  for (const { migrations } of [
    analyticsService,
    archiveService,
    catalogueService,
    flagsService,
    messengerService,
  ]) {
    const own = await testDatabase({ migrations });
    const database = openDatabase({ url: own.url, applicationName: 'test' });
    const rows = await database.sql<{ table: string; options: string[] }[]>`
      select oid::regclass::text as table, reloptions as options from pg_class
      where relkind = 'r' and reloptions is not null and relnamespace::regnamespace::text not like 'pg\\_%'
        and not relispartition`;
    for (const { table, options } of rows) found.set(table, wordsOf(options));
    await database.close();
    await own.drop();
  }
  const ofLog = 'event_log.records';
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(told.filter(([table]) => table !== ofLog)));
});

function wordsOf(options: readonly string[]): string {
  const settings = new Map(options.map((option) => option.split('=') as [string, string]));
  const percent = Number(settings.get('autovacuum_vacuum_scale_factor')) * 100;
  const words = [
    percent > 0
      ? `vacuum and analyze after ${percent}%`
      : `vacuum after ${settings.get('autovacuum_vacuum_threshold')} rows`,
    settings.has('fillfactor') ? `\`fillfactor\` ${settings.get('fillfactor')}` : undefined,
    settings.get('vacuum_truncate') === 'false' ? '`vacuum_truncate` off' : undefined,
  ];
  return words.filter((word) => word !== undefined).join(', ');
}
