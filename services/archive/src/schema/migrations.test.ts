import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, openDatabase } from '@switchboard/database';
import { testDatabase } from '@switchboard/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { createEventsStore } from '../events/store.ts';
import { archiveMigrations } from './migrations.ts';

/** Returns the migrations up to the one with this number. */
async function migrationsUntil(last: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(archiveMigrations.folder, folder, { recursive: true });
  const path = join(folder, 'meta/_journal.json');
  const journal = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, last + 1) }));
  return folder;
}

it('recognises events that were seen before the table had days', async () => {
  const test = await testDatabase();
  const database = openDatabase({ url: test.url, applicationName: 'test' });
  onTestFinished(async () => {
    await database.close();
    await test.drop();
  });
  await migrate(test.url, { folder: await migrationsUntil(1) });
  const old = { key: 'a'.repeat(32) };
  for (const table of ['seen_events', 'duplicate_events']) {
    await database.sql`
      insert into ${database.sql(table)} (event_key, log_partition, log_offset, log_line, accepted_at)
      values (${old.key}, 3, 7, 2, now())`;
  }
  await migrate(test.url, archiveMigrations);
  const store = createEventsStore(database.drizzle);
  const again = { partition: 3, offset: 9n, lines: [2], acceptedAt: 0 };
  const other = { ...again, keys: 'b'.repeat(32) };
  expect(await store.insertSeen([{ ...again, keys: old.key }, other])).toBe(1);
  expect((await store.findSeen([old.key])).get(old.key)).toMatchObject({ partition: 3, offset: 7n, line: 2 });
  expect((await store.findHistory(old.key)).duplicates).toHaveLength(1);
});
