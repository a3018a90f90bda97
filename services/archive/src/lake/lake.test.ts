import { type Database, openDatabase } from '@switchboard/database';
import { createDirectoryPublisher, type DirectoryPublisher } from '@switchboard/directory/testing';
import { documented, eventually, type S3Access, startS3, testDatabase } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archiveMigrations } from '../schema/migrations.ts';
import { type DuckdbClient, hasDuckdb, openDuckdb } from '../testing/duckdb-client.ts';
import { sent } from '../testing/events-harness.ts';
import { eventRecords, type SentEvent } from '../testing/records.ts';
import { type ArchiveHarness, PARTITIONS, startArchive } from '../testing/service.ts';
import { createLakeStore, dataPathOf } from './store.ts';

const ROLE = documented('docs/examples/ducklake.md#create-a-reader', 'sql');
const POLICY = documented('docs/examples/ducklake.md#create-a-reader', 'json');
const ATTACH = documented('docs/examples/ducklake.md#attach', 'sql');
const QUESTION = documented('docs/examples/ducklake.md#ask', 'sql');

const s3 = hasDuckdb() ? await startS3() : undefined;
afterAll(() => s3?.stop());

/** A day that is over, so that its files are merged. */
const receivedAt = new Date(Date.now() - 3 * 24 * 60 * 60 * 1000);
const timestamp = receivedAt.toISOString();
const events = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    sent({ distinct_id: `user-${index % 20}`, timestamp, properties: { total: index } }),
  );
const COUNTS = 'select project_id, count(*), count(distinct event_id) from lake.events group by 1 order by 1';

it('tells readers where the files are, also after they moved', async () => {
  const test = await testDatabase({ migrations: [archiveMigrations] });
  const database = openDatabase({ url: test.url, applicationName: 'test' });
  const store = createLakeStore(database.drizzle);
  for (const [config, path] of [
    [{ OBJECTS_FOLDER: '/objects' }, '/objects/events/'],
    [
      { S3_ENDPOINT: 'https://s3.example', S3_BUCKET: 'archive', OBJECTS_FOLDER: '/objects' },
      's3://archive/events/',
    ],
  ] as const) {
    await store.setDataPath(dataPathOf(config));
    expect(await database.sql`select value from lake.ducklake_metadata where key = 'data_path'`).toEqual([
      { value: path },
    ]);
  }
  await database.close();
  await test.drop();
});

describe.skipIf(s3 === undefined)('a DuckDB that attaches the archive', () => {
  let archive: ArchiveHarness;
  let database: Database;
  let directory: DirectoryPublisher;
  let keys: S3Access;
  let reader: DuckdbClient;
  const running: DuckdbClient[] = [];

  /** Starts a DuckDB and attaches the archive, as the docs say. */
  async function attach(options = 'READ_ONLY'): Promise<DuckdbClient> {
    if (s3 === undefined) throw new Error('no S3 server');
    const duckdb = openDuckdb();
    running.push(duckdb);
    const { hostname, port, pathname } = new URL(archive.databaseUrl);
    const place = `${hostname} port=${port} dbname=${pathname.slice(1)}`;
    const statements = ATTACH.replace('postgres.example.com dbname=archive', place)
      .replace('password=...', 'password=secret')
      .replace("SECRET '...'", `SECRET '${keys.secretKey}'`)
      .replace("ENDPOINT 's3.example.com'", `ENDPOINT '${new URL(s3.endpoint).host}', USE_SSL false`)
      .replace('READ_ONLY', options);
    await duckdb.ask(statements);
    return duckdb;
  }
  const publish = (projectId: string, sentEvents: SentEvent[]) =>
    archive.log.publish(
      'events',
      eventRecords(sentEvents, { projectId, receivedAt, partitions: PARTITIONS }),
    );
  const until = (expected: unknown[][]) =>
    eventually(async () => expect(await reader.ask(COUNTS)).toEqual(expected), { withinMs: 60_000 });

  beforeAll(async () => {
    if (s3 === undefined) return;
    archive = await startArchive({ s3, roles: 'http,events,replays', env: { ARCHIVE_FILE_SECONDS: '1' } });
    database = openDatabase({ url: archive.databaseUrl, applicationName: 'test' });
    directory = await createDirectoryPublisher(archive.log);
    for (const id of ['shop', 'blog']) await directory.putProject({ id });
    const name = new URL(archive.databaseUrl).pathname.slice(1);
    const role = ROLE.replace("'...'", "'secret'").replace('DATABASE archive', `DATABASE ${name}`);
    await database.sql.unsafe(role);
    keys = await s3.addUser('lake-reader', POLICY.replace('archive/events', `${s3.bucket}/events`));
    reader = await attach();
  });
  afterAll(async () => {
    await Promise.all(running.map((duckdb) => duckdb.stop()));
    await database.sql.unsafe('drop owned by lake_reader; drop role lake_reader');
    await database.close();
    await archive.stop();
  });

  it('sees each archived event once, where the archive says that it is', async () => {
    const shop = events(300);
    expect(await reader.ask('select count(*) from lake.events')).toEqual([[0]]);
    await publish('shop', shop);
    await publish('blog', events(50));
    await until([
      ['blog', 50, 50],
      ['shop', 300, 300],
    ]);
    expect(
      await reader.ask(`
        select sum((properties->>'$.total')::int), min(timestamp), max(epoch_ms(occurred_at)), count(sent_at),
          count(distinct rowid)
        from lake.events where project_id = 'shop'`),
    ).toEqual([[(299 * 300) / 2, timestamp, receivedAt.getTime(), 300, 300]]);
    const [first] = shop;
    // Both change when the file is merged.
    await eventually(async () => {
      const answer = await archive.manage('GET', `shop/events/${first?.event_id}`);
      const { archived } = (await answer.json()) as { archived: { file: string; row: number } };
      const place = `select filename, file_row_number from lake.events where event_id = '${first?.event_id}'`;
      expect(await reader.ask(place)).toEqual([[`s3://${s3?.bucket}/${archived.file}`, archived.row]]);
    });
    expect(await reader.ask(QUESTION.replace('prj_shop', 'shop'))).toEqual([
      [timestamp.slice(0, 10), 'page viewed', 300, 20],
    ]);
  });

  it('skips files of other projects, days and times', async () => {
    const key = 'events/2020-01-01/merged-missing-0.parquet';
    await database.sql`
      insert into event_files (key, day, project_id, rows, bytes, row_bytes, first_occurred_at, last_occurred_at)
      values (${key}, '2020-01-01', 'large', 7, 7000, 7, ${Date.parse('2020-01-01')}, ${Date.parse('2020-01-02')})`;
    const read = (where: string) => reader.ask(`select count(event_id) from lake.events where ${where}`);
    expect(await read("project_id = 'shop'")).toEqual([[300]]);
    for (const column of ['received_at', 'occurred_at'])
      expect(await read(`${column} > timestamptz '2020-01-03 00:00:00+00'`)).toEqual([[350]]);
    for (const where of [
      'true',
      "project_id = 'large'",
      "occurred_at > timestamptz '2020-01-01 12:00:00+00'",
    ])
      await expect(read(where)).rejects.toThrow('merged-missing');
    await database.sql`delete from event_files where key = ${key}`;
  });

  it('sees the same events while files are merged', async () => {
    const files = "select count(distinct filename), bool_or(filename like '%merged%') from lake.events";
    await eventually(
      async () => {
        expect(await reader.ask(COUNTS)).toEqual([
          ['blog', 50, 50],
          ['shop', 300, 300],
        ]);
        expect(await reader.ask(files)).toEqual([[1, true]]);
      },
      { withinMs: 60_000 },
    );
  });

  it('does not see an erased person any more', async () => {
    const subject = { kind: 'person' as const, projectId: 'shop', distinctIds: ['user-3'], userId: null };
    await directory.put('erasure', { id: 'erasure-1', subject, waitingFor: ['eu/archive'] });
    const left = [
      ['blog', 50, 50],
      ['shop', 285, 285],
    ];
    await until(left);
    const other = await attach();
    expect(await other.ask(COUNTS)).toEqual(left);
    expect(
      await other.ask("select project_id from lake.events where distinct_id = 'user-3' group by 1"),
    ).toEqual([['blog']]);
  });

  it('reads nothing else, and writes nothing', async () => {
    const { hostname, port, pathname } = new URL(archive.databaseUrl);
    const place = `host=${hostname} port=${port} dbname=${pathname.slice(1)}`;
    await reader.ask(`attach '${place} user=lake_reader password=secret' as postgres (type postgres)`);
    await expect(reader.ask('select * from postgres.public.event_files')).rejects.toThrow(
      'permission denied',
    );
    await expect(reader.ask("update postgres.lake.ducklake_metadata set value = ''")).rejects.toThrow(
      'permission denied',
    );
    await archive.objects.put('replays/shop/a/0', new Uint8Array(1));
    for (const read of ['read_blob', 'glob'])
      await expect(reader.ask(`from ${read}('s3://${s3?.bucket}/replays/shop/a/0*')`)).rejects.toThrow('403');
    await expect(reader.ask('delete from lake.events')).rejects.toThrow('read-only');
    const writer = await attach('READ_WRITE');
    await expect(writer.ask('delete from lake.events')).rejects.toThrow('ducklake_snapshot');
    await expect(writer.ask('insert into lake.events from lake.events')).rejects.toThrow('403');
    expect(await reader.ask('select count(*) from lake.events')).toEqual([[335]]);
  });
});
