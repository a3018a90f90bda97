import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clickHouseDatabase, documented, eventually, s3Env, startS3 } from '@switchboard/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { launch } from './testing/launch.ts';

const clickHouse = await clickHouseDatabase();
const s3 = clickHouse && (await startS3());

it.skipIf(clickHouse === undefined || s3 === undefined)(
  'the ClickHouse statements of the docs create a database, and fill it from the archive',
  async () => {
    if (clickHouse === undefined || s3 === undefined) return;
    onTestFinished(s3.stop);
    onTestFinished(clickHouse.drop);
    const url = new URL(clickHouse.url);
    const name = `docs_${url.pathname.slice(1)}`;
    onTestFinished(async () => void (await clickHouse.query(`DROP DATABASE IF EXISTS ${name} SYNC`)));
    const here = (sql: string) => sql.replaceAll('switchboard', name);
    const setup = here(documented('docs/events-and-archive.md#clickhouse', 'sql'));
    for (const statement of setup.split(/;\s*/).filter(Boolean)) {
      // The engine of tests has no users, so it only parses these statements.
      const isOfUsers = /^(CREATE USER|GRANT) /.test(statement);
      await clickHouse.query(isOfUsers ? `EXPLAIN AST ${statement}` : statement);
    }

    const home = await mkdtemp(join(tmpdir(), 'standalone-'));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const CLICKHOUSE_URL = Object.assign(url, { pathname: `/${name}` }).href;
    const running = await launch(home, { OBJECTS_FOLDER: '', ...s3Env(s3), CLICKHOUSE_URL });
    onTestFinished(async () => void (await running.end('SIGTERM')));
    const events = () =>
      clickHouse.query(`SELECT event_id, received_at FROM ${name}.events ORDER BY received_at, event_id`);
    const archive = `s3('${s3.endpoint}/${s3.bucket}/events/*/*.parquet', '${s3.accessKey}', '${s3.secretKey}', 'Parquet')`;
    const archived = async () =>
      (await clickHouse.query(`SELECT toString(uniqExact(event_id)) AS n FROM ${archive}`))[0]?.['n'];
    const all = await eventually(
      async () => {
        const stored = await events();
        expect(stored.length).toBeGreaterThan(14 * 30);
        expect(await archived()).toBe(String(stored.length));
        return stored;
      },
      { withinMs: 90_000 },
    );

    // Deletes older events, as if the topic no longer had them.
    const first = String(all.at(-1)?.['received_at']);
    await clickHouse.query(
      `DELETE FROM ${name}.events WHERE received_at < '${first}' SETTINGS lightweight_deletes_sync = 2`,
    );
    expect((await events()).length).toBeLessThan(all.length);
    const insert = here(documented('docs/events-and-archive.md#clickhouse', 'sql', 2));
    await clickHouse.query(
      insert
        .replace('https://s3.example.com/archive/events/2026-03-01', `${s3.endpoint}/${s3.bucket}/events/*`)
        .replace('<key>', s3.accessKey)
        .replace('<secret>', s3.secretKey)
        .replace('<first received_at in the table>', first),
    );
    expect(await events()).toEqual(all);
  },
  180_000,
);
