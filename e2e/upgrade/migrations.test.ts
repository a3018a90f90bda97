import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { documented } from '@switchboard/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { REPOSITORY } from '../harness/repository.ts';
import { lintMigration } from './migration-lint.ts';

const files = globSync('{services,packages/*}/*/migrations/*.sql', { cwd: REPOSITORY }).sort();
const journal = z.object({ entries: z.array(z.object({ tag: z.string() })) });

/** No previous version runs beside the initial migration. */
const later = files.filter((file) => !basename(file).startsWith('0000_'));

test.each(later)('%s can be applied while the previous version runs', async (file) => {
  expect(await lintMigration(await readFile(join(REPOSITORY, file), 'utf8'))).toEqual([]);
});

test('every migration is listed in its journal', async () => {
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const text = await readFile(join(REPOSITORY, dirname(file), 'meta/_journal.json'), 'utf8');
    const tags = journal.parse(JSON.parse(text)).entries.map(({ tag }) => tag);
    expect(tags).toContain(basename(file, '.sql'));
  }
});

test('a schema has only the snapshot of its last migration', () => {
  const last = new Map(files.map((file) => [dirname(file), basename(file).slice(0, 4)]));
  const snapshots = globSync('{services,packages/*}/*/migrations/meta/*_snapshot.json', { cwd: REPOSITORY });
  const folders = [...new Set(snapshots.map((path) => dirname(dirname(path))))];
  expect(folders.length).toBeGreaterThan(5);
  const expected = folders.map((folder) => join(folder, 'meta', `${last.get(folder)}_snapshot.json`));
  expect(snapshots.sort()).toEqual(expected.sort());
});

const refused: [statement: string, markers: string[]][] = [
  ['DROP TABLE turns', ['contract']],
  ['DROP INDEX turns_at', ['contract']],
  ['DROP TYPE mood', ['contract']],
  ['ALTER TABLE turns DROP COLUMN body', ['contract']],
  ['ALTER TABLE turns ADD COLUMN a text, DROP COLUMN body', ['contract']],
  ['ALTER TABLE turns ALTER COLUMN body TYPE bytea USING body::bytea', ['contract', 'brief']],
  ['ALTER TABLE turns ALTER COLUMN body SET NOT NULL', ['contract', 'brief']],
  ['ALTER TABLE turns ALTER COLUMN body DROP DEFAULT', ['contract']],
  ['ALTER TABLE turns ADD COLUMN mood text NOT NULL', ['contract']],
  ['ALTER TABLE turns ADD CONSTRAINT c CHECK (n > 0)', ['contract', 'brief']],
  ['ALTER TABLE turns DROP CONSTRAINT c', ['contract']],
  ['ALTER TABLE turns RENAME TO messages', ['contract']],
  ['ALTER TABLE turns RENAME COLUMN body TO text', ['contract']],
  ['ALTER TABLE turns SET SCHEMA other', ['contract']],
  ["ALTER TYPE mood RENAME VALUE 'a' TO 'b'", ['contract']],
  ['TRUNCATE turns', ['contract']],
  ['DELETE FROM turns', ['contract']],
  ['DO $$ BEGIN DROP TABLE turns; END $$', ['contract']],
  ['CREATE UNIQUE INDEX CONCURRENTLY u ON turns (body)', ['contract']],
  ['CREATE INDEX i ON turns (body)', ['brief']],
  ["UPDATE turns SET mood = 'good'", ['brief']],
  ['ALTER TABLE turns ADD COLUMN k uuid DEFAULT gen_random_uuid()', ['brief']],
  ['ALTER TABLE turns ADD COLUMN n bigint GENERATED ALWAYS AS IDENTITY', ['brief']],
];

test.each(refused)('the statement %s is refused', async (statement, markers) => {
  const found = await lintMigration(`CREATE TABLE other (id text);\n--> statement-breakpoint\n${statement};`);
  expect(found.map(({ marker }) => marker)).toEqual(markers);
});

test.each(refused)('the statement %s is accepted below its marker', async (statement, markers) => {
  const why = markers.map((marker) => `-- ${marker}: version 0.4 no longer reads it\n`).join('');
  expect(
    await lintMigration(`CREATE TABLE other (id text);\n--> statement-breakpoint\n${why}${statement};`),
  ).toEqual([]);
  expect(await lintMigration(`${why}${statement};`)).toEqual([]);
});

test.each([
  'CREATE TABLE turns (id text PRIMARY KEY, body text NOT NULL); CREATE UNIQUE INDEX u ON turns (body)',
  'CREATE TABLE a (id text); ALTER TABLE a ADD CONSTRAINT f FOREIGN KEY (id) REFERENCES b (id)',
  'ALTER TABLE turns ADD COLUMN mood text',
  "ALTER TABLE turns ADD COLUMN mood text NOT NULL DEFAULT 'good'",
  'ALTER TABLE turns ADD COLUMN at timestamptz NOT NULL DEFAULT now()',
  'ALTER TABLE turns ALTER COLUMN body DROP NOT NULL',
  'ALTER TABLE turns SET (autovacuum_vacuum_scale_factor = 0.02, fillfactor = 90)',
  'CREATE INDEX CONCURRENTLY i ON turns (body)',
  "ALTER TYPE mood ADD VALUE 'fine'",
  "COMMENT ON TABLE turns IS 'DROP TABLE turns'",
])('the statement %s is accepted', async (sql) => {
  expect(await lintMigration(sql)).toEqual([]);
});

test('the marked statement of CONTRIBUTING.md is refused without its marker', async () => {
  const marked = documented('CONTRIBUTING.md#migrations', 'sql');
  expect(await lintMigration(marked)).toEqual([]);
  const found = await lintMigration(marked.replace(/^--.*\n/, ''));
  expect(found.map(({ marker }) => marker)).toEqual(['contract']);
});

test('a marker covers only the statement below it, and requires a reason', async () => {
  const drop = (table: string) => `DROP TABLE ${table};`;
  const found = await lintMigration(`-- contract: not read since 0.4\n${drop('a')}\n${drop('b')}`);
  expect(found.map(({ statement }) => statement)).toEqual(['DROP TABLE b']);
  expect(await lintMigration(`-- contract:\n${drop('a')}`)).toHaveLength(1);
});
