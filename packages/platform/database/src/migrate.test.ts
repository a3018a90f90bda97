import { randomUUID } from 'node:crypto';
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

/** Writes a folder in the format of drizzle-kit. `when` orders the migrations. */
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
    // Not repeatable, and slow enough to overlap with the others.
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

  it('throws from migrate when the server is unavailable', async () => {
    const server = await postgresServer(['test']);
    onTestFinished(() => server.remove());
    const folder = await migrations({ when: 1, sql: 'create table one ();' });
    await server.stop();
    const failure = await migrate(server.url('test'), { folder }).catch((error: unknown) => error);
    expect(isUnavailable(failure)).toBe(true);
  });
});

describe('migrate with a role that owns the tables', () => {
  /** Creates the roles of a database: `owner` owns it and `runner` may connect to it. */
  async function rolesOf(url: string, sql: postgres.Sql) {
    const [owner, runner] = ['owner', 'runner'].map((name) => `${name}_${randomUUID().replaceAll('-', '')}`);
    const database = new URL(url).pathname.slice(1);
    for (const role of [owner, runner]) await sql.unsafe(`create role ${role} login password 'word'`);
    await sql.unsafe(`alter database ${database} owner to ${owner}`);
    await sql.unsafe(`revoke all on database ${database} from public`);
    await sql.unsafe(`grant connect on database ${database} to ${runner}`);
    onTestFinished(async () => {
      for (const role of [owner, runner]) {
        await sql.unsafe(`reassign owned by ${role} to current_user`);
        await sql.unsafe(`drop owned by ${role}`);
        await sql.unsafe(`drop role ${role}`);
      }
    });
    const as = (role = '') => Object.assign(new URL(url), { username: role, password: 'word' }).href;
    const running = postgres(as(runner), { max: 1, onnotice: () => undefined });
    onTestFinished(() => running.end());
    return { owner: as(owner), runner: as(runner), running };
  }

  it('grants the service role access to rows, and nothing else', async () => {
    const { url, sql } = await database();
    const { owner, runner, running } = await rolesOf(url, sql);
    const first = { when: 1, sql: 'create schema own; create table own.items (id serial, name text);' };
    await migrate(runner, { folder: await migrations(first) }, owner);
    await running`insert into own.items (name) values ('a')`;
    await running`update own.items set name = 'b' where id = 1`;
    expect([...(await running`select * from own.items`)]).toEqual([{ id: 1, name: 'b' }]);
    await running`delete from own.items`;
    const refused = [
      'truncate own.items',
      'alter table own.items add column more text',
      'drop table own.items',
      'create table own.others ()',
      'create table public.others ()',
      'create schema others',
      'create temporary table others ()',
      'create index on own.items (name)',
      'create trigger t before insert on own.items execute function suppress_redundant_updates_trigger()',
      'select * from drizzle.migrations',
    ];
    for (const statement of refused) {
      await expect(running.unsafe(statement), statement).rejects.toMatchObject({ code: '42501' });
    }
    const second = { when: 2, sql: 'create table later (id int);' };
    await migrate(runner, { folder: await migrations(first, second) }, owner);
    await running`insert into later values (1)`;
  });

  it('refuses to migrate as the role that may not change tables', async () => {
    const { url, sql } = await database();
    const { runner } = await rolesOf(url, sql);
    const folder = await migrations({ when: 1, sql: 'create table items (id int);' });
    await expect(migrate(runner, { folder })).rejects.toMatchObject({ cause: { code: '42501' } });
  });
});
