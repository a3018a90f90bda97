import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, postgresServer, testDatabase } from '@switchboard/testkit';
import postgres from 'postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isUnavailable, migrate } from './index.ts';

async function database() {
  const { url, drop } = await testDatabase();
  const sql = postgres(url, { max: 2, onnotice: () => undefined });
  onTestFinished(async () => {
    await sql.end();
    await drop();
  });
  return { url, sql };
}

/** A folder as drizzle-kit writes it; `when` orders the migrations. */
async function migrations(...steps: { when: number; sql: string }[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const entries = steps.map(({ when }, idx) => ({
    idx,
    version: '7',
    when,
    tag: `step_${when}`,
    breakpoints: true,
  }));
  await mkdir(join(folder, 'meta'));
  await writeFile(
    join(folder, 'meta', '_journal.json'),
    JSON.stringify({ version: '7', dialect: 'postgresql', entries }),
  );
  for (const step of steps) await writeFile(join(folder, `step_${step.when}.sql`), step.sql);
  return folder;
}

describe('migrate', () => {
  it('applies each migration once, even if several processes migrate at the same time', async () => {
    const { url, sql } = await database();
    // Not repeatable, and slow enough for the others to meet it.
    const folder = await migrations(
      { when: 1, sql: 'create table tally (id serial);--> statement-breakpoint\nselect pg_sleep(0.3);' },
      { when: 2, sql: 'insert into tally default values;' },
    );
    await Promise.all(Array.from({ length: 4 }, () => migrate(url, { folder })));
    await migrate(url, { folder });
    expect(await sql`select id from tally`).toHaveLength(1);
  });

  it('tracks two folders in one database separately', async () => {
    const { url, sql } = await database();
    const older = await migrations({ when: 1, sql: 'create table older ();' });
    const newer = await migrations({ when: 2, sql: 'create table newer ();' });
    await migrate(url, { folder: newer, table: 'newer_migrations' });
    await migrate(url, { folder: older, table: 'older_migrations' });
    const tables =
      await sql`select table_name from information_schema.tables where table_schema = 'public' order by 1`;
    expect(tables.map((row) => row['table_name'])).toEqual(['newer', 'older']);
  });

  it('applies no migration if one fails', async () => {
    const { url, sql } = await database();
    const folder = await migrations(
      { when: 1, sql: 'create table kept ();' },
      { when: 2, sql: 'select 1 / 0;' },
    );
    await expect(migrate(url, { folder })).rejects.toMatchObject({ cause: { code: '22012' } });
    await expect(sql`select * from kept`).rejects.toMatchObject({ code: '42P01' });
  });

  it('refuses a new migration that is older than an applied one', async () => {
    const { url } = await database();
    const second = { when: 2_000_000_000_000, sql: 'create table second ();' };
    await migrate(url, { folder: await migrations(second) });
    const merged = await migrations({ when: 1_000_000_000_000, sql: 'create table first ();' }, second);
    await expect(migrate(url, { folder: merged })).rejects.toThrow(
      /was not applied: the database has a later one/,
    );
  });

  it('does not wait for a migrator that died, and fails if its own connection is lost', async () => {
    const { url, sql } = await database();
    const slow = await migrations({ when: 1, sql: 'select pg_sleep(20);' });
    const dying = migrate(url, { folder: slow }).then(
      () => 'done',
      (error: unknown) => isUnavailable(error),
    );
    await eventually(async () => {
      const stopped = await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like '%pg_sleep(20)%' and pid <> pg_backend_pid()`;
      expect(stopped).toHaveLength(1);
    });
    expect(await dying).toBe(true);
    await migrate(url, { folder: await migrations({ when: 2, sql: 'create table next ();' }) });
    expect(await sql`select * from next`).toHaveLength(0);
  });

  it('waits for a table in use without blocking its other users', async () => {
    const { url, sql } = await database();
    await sql`create table items (id int)`;
    const folder = await migrations({ when: 1, sql: 'alter table items add column name text;' });
    const user = await sql.reserve();
    await user`begin`;
    await user`select * from items`;
    const migrating = migrate(url, { folder });
    await eventually(async () => {
      const waiting = await sql`
        select 1 from pg_locks join pg_database on oid = database
        where datname = current_database() and not granted`;
      expect(waiting).toHaveLength(1);
    });
    // Waits behind the migration, which must give way before the other transaction ends.
    expect(await sql`select id from items`).toEqual([]);
    await user`commit`;
    user.release();
    await migrating;
    expect(await sql`select name from items`).toEqual([]);
  });

  it('throws when the server is unavailable', async () => {
    const server = await postgresServer(['test']);
    onTestFinished(() => server.remove());
    const folder = await migrations({ when: 1, sql: 'create table one ();' });
    await server.stop();
    const failure = await migrate(server.url('test'), { folder }).catch((error: unknown) => error);
    expect(isUnavailable(failure)).toBe(true);
  });
});
