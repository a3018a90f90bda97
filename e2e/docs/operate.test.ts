import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { documented, postgresServer } from '@switchboard/testkit';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { REPOSITORY } from '../harness/repository.ts';
import { settingOf } from './reference/setting.ts';
import { serviceSettings } from './reference/settings.ts';

test('docs/operate.md states how many connections one process of each service opens', async () => {
  const page = await readFile(join(REPOSITORY, 'docs/operate.md'), 'utf8');
  // The console has no database.
  const pools = serviceSettings.flatMap(([, { DATABASE_POOL_SIZE: schema }]) =>
    schema === undefined ? [] : Number(settingOf('DATABASE_POOL_SIZE', schema).fallback),
  );
  const listening = pools.length;
  const erasing = 2 * (pools.length - 1);
  const jobs = 5;
  const all = pools.reduce((sum, one) => sum + one, 0) + listening + erasing + jobs;
  expect(page).toContain(`One of each service takes ${all}, two of each ${2 * all}.`);
});

test('the statements of the docs for database users work from top to bottom', async () => {
  const server = await postgresServer([]);
  onTestFinished(server.remove);
  const connect = (user?: string, password?: string) => {
    const url = new URL(server.url(user === undefined ? 'postgres' : 'flags'));
    if (user !== undefined) Object.assign(url, { username: user, password });
    const sql = postgres(url.href, { max: 1, onnotice: () => undefined });
    onTestFinished(() => sql.end());
    return sql;
  };
  const admin = connect();
  /** Runs the statements one by one, without the lines of the shell around them. */
  const run = async (text: string) => {
    for (const statement of text.replace(/^psql .*$|^SQL$/gm, '').split(';'))
      if (statement.trim() !== '') await admin.unsafe(statement);
  };
  await run(documented('docs/reference/database-users.md#create-the-roles', 'sh'));
  await connect('flags', 'two')`select 1`;
  await connect('flags_owner', 'one')`create table kept (id text)`;

  await run('DROP DATABASE flags WITH (FORCE); DROP ROLE flags; DROP ROLE flags_owner;');
  await run("CREATE ROLE flags LOGIN PASSWORD 'two'; CREATE DATABASE flags OWNER flags;");
  await run(documented('docs/reference/database-users.md#split-an-existing-role', 'sh'));
  await connect('flags_owner', 'one')`create table kept (id text)`;

  await run(documented('docs/operate.md#pgbouncer', 'sql'));
  const first = connect('flags', 'two');
  expect(await first`show statement_timeout`).toEqual([{ statement_timeout: '5s' }]);
  expect(await first`show idle_in_transaction_session_timeout`).toEqual([
    { idle_in_transaction_session_timeout: '30s' },
  ]);

  await run(documented('docs/operate.md#changing-secrets', 'sql'));
  const second = connect('flags_2', '...');
  expect(await second`select current_user as user`).toEqual([{ user: 'flags' }]);
});
