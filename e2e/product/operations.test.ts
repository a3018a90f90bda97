import { execFile } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { openDatabase } from '@switchboard/database';
import { documented, eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './testing/command.ts';
import { databaseUrl, type Launched, launch, newSeededHome } from './testing/launch.ts';

/** Runs the commands and statements of docs/security.md and docs/backup-and-upgrade.md on the demo, in order. */

const homes: string[] = [];
let home: string;
let running: Launched;
beforeAll(async () => {
  homes.push(await newSeededHome());
  home = homes[0] ?? '';
  running = await launch(home);
});
afterAll(async () => {
  await running.end('SIGTERM');
  for (const folder of homes) await rm(folder, { recursive: true, force: true });
});

async function query(database: string, sql: string): Promise<Record<string, unknown>[]> {
  const opened = openDatabase({
    url: await databaseUrl(home, database),
    applicationName: 'test',
    poolSize: 1,
  });
  try {
    return [...(await opened.sql.unsafe(sql))];
  } finally {
    await opened.close();
  }
}

async function duck(sql: string) {
  const connection = await (await DuckDBInstance.create()).connect();
  try {
    return (await connection.runAndReadAll(sql.replaceAll('.switchboard/', `${home}/`))).getRowObjectsJson();
  } finally {
    connection.closeSync();
  }
}
const rowsOf = async (where: string) => {
  const files = `${home}/objects/events/*/*.parquet`;
  const [row] = await duck(
    `SELECT count(DISTINCT event_id) AS rows FROM read_parquet('${files}') WHERE project_id = 'prj_shop' AND ${where}`,
  );
  return Number(row?.['rows']);
};

/** Returns the rows with this column value in every table of a database. */
async function rowsWith(database: string, column: string, value: string) {
  const tables = await query(
    database,
    `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = '${column}'`,
  );
  const counts: Record<string, unknown> = {};
  for (const { name } of tables) {
    const [row] = await query(
      database,
      `select count(*)::int as rows from ${name} where ${column} = '${value}'`,
    );
    if (row?.['rows'] !== 0) counts[String(name)] = row?.['rows'];
  }
  return counts;
}

async function call(
  url: string,
  { method = 'GET', token = running.demo.project_key, body = undefined as unknown } = {},
) {
  const answer = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}
const memberships = async (person: string) =>
  (await query('flags', `select traits from people where distinct_id = '${person}'`))[0]?.['traits'];

/** Runs the command from the page. */
async function documentedErasure(what: 'person' | 'colleague' | 'project'): Promise<void> {
  const page = await readFile(new URL('../../docs/security.md', import.meta.url), 'utf8');
  const [, line = ''] = new RegExp(`switchboard (erase ${what} .+)`).exec(page) ?? [];
  const { management_url, tokens } = running.demo;
  const env = { SWITCHBOARD_URL: management_url, SWITCHBOARD_TOKEN: tokens.operator };
  const erased = await runCommand(line.split(' '), env);
  expect([erased.err, erased.code]).toEqual(['', 0]);
}

const project = 'prj_shop';
const person = 'visitor-1';
/** The number of visits in the demo. */
const visits = 14 * 30;
let erased = 0;

describe('docs/security.md', () => {
  it('erases one person from every store, and no one else', async () => {
    const { demo } = running;
    const body = { distinct_id: person, properties: { plan: 'pro' } };
    expect((await call(`${demo.eu_api_url}/v1/identify`, { method: 'POST', body })).status).toBe(202);
    await eventually(async () => expect(await memberships(person)).toMatchObject({ plan: 'pro' }));
    const opened = await call(`${demo.base_url}/v1/conversations`, {
      method: 'POST',
      body: { distinctId: person },
    });
    expect(opened.status).toBe(201);
    await eventually(async () => expect(await rowsOf(`event_name = 'product seen'`)).toBe(visits), {
      withinMs: 60_000,
    });
    const theirs = await rowsOf(`distinct_id = '${person}'`);
    erased = await rowsOf(`distinct_id = '${person}' AND event_name = 'product seen'`);
    const others = await rowsOf(`distinct_id <> '${person}'`);
    expect(theirs).toBeGreaterThan(0);

    await documentedErasure('person');

    expect(await memberships(person)).toBeUndefined();
    for (const database of ['flags', 'messenger', 'archive', 'collaboration', 'analytics'])
      expect(await rowsWith(database, 'distinct_id', person), database).toEqual({});
    expect(await rowsOf(`distinct_id = '${person}'`)).toBe(0);
    expect(await rowsOf(`distinct_id <> '${person}'`)).toBe(others);
    // The files remain readable.
    const found = await call(`${demo.management_url}/management/v1/projects/${project}/events/demo-5-0`, {
      token: demo.tokens.operator,
    });
    expect(found.body).toMatchObject({ state: 'archived', archived: { row: expect.any(Number) } });
  });

  it('erases a colleague from every store', async () => {
    // The demo's own commands need its owner, so this test erases the author of an annotation by another member.
    await query('collaboration', `update annotations set created_by_sub = 'user_mei'`);
    await documentedErasure('colleague');
    expect(await query('collaboration', 'select 1 from annotations')).toEqual([]);
    expect(await query('catalogue', `select 1 from members where sub = 'user_mei'`)).toEqual([]);
  });
});

it('a copy of a stopped data folder starts elsewhere, and rebuilds user state from the log', async () => {
  const { eu_api_url } = running.demo;
  const body = { distinct_id: 'kept', properties: { plan: 'pro' } };
  expect((await call(`${eu_api_url}/v1/identify`, { method: 'POST', body })).status).toBe(202);
  await eventually(async () => expect(await memberships('kept')).toMatchObject({ plan: 'pro' }));
  const [before] = await query('flags', 'select count(*)::int as people from people');
  // The state after restoring a backup from before any identify call.
  await query('flags', 'truncate people, groups, applied_positions');
  await query('event_log', documented('docs/backup-and-upgrade.md#reading-the-log-again', 'sql'));
  expect(await running.end('SIGTERM')).toBe(0);

  const elsewhere = `${home}-elsewhere`;
  homes.push(elsewhere);
  await promisify(execFile)('cp', ['-a', home, elsewhere]);
  home = elsewhere;
  running = await launch(home);
  await eventually(async () => expect(await memberships('kept')).toMatchObject({ plan: 'pro' }), {
    withinMs: 60_000,
  });
  // Replaying the log restores the erased person, so the list of erasures must be applied again.
  await eventually(
    async () =>
      expect(
        (await query('flags', 'select count(*)::int as people from people'))[0]?.['people'],
      ).toBeGreaterThanOrEqual(Number(before?.['people'])),
    { withinMs: 60_000 },
  );
  expect(await rowsOf(`event_name = 'product seen'`)).toBe(visits - erased);
}, 240_000);

it('erases a project from every store with the commands of docs/security.md', async () => {
  await documentedErasure('project');
  // The erasure records of the person and of the project remain. The project's id stays taken.
  // The audit trail stays until it expires.
  expect(await rowsWith('catalogue', 'project_id', project)).toEqual({
    audit_entries: expect.any(Number),
    erasures: 2,
  });
  for (const database of ['messenger', 'collaboration', 'ingestion', 'analytics'])
    expect(await rowsWith(database, 'project_id', project), database).toEqual({});
  // Flags publishes the removal of cohorts before it deletes them.
  await eventually(async () => expect(await rowsWith('flags', 'project_id', project)).toEqual({}));
  // The archive rewrites files afterwards. The demo has no other project.
  await eventually(async () => expect(await rowsWith('archive', 'project_id', project)).toEqual({}), {
    withinMs: 40_000,
  });
  const events = await readdir(join(home, 'objects', 'events'), { recursive: true });
  expect(events.filter((name) => name.endsWith('.parquet'))).toEqual([]);
  for (const [database, tables] of [
    ['messenger', ['turns', 'attachments']],
    ['collaboration', ['comments', 'reactions', 'deliveries']],
  ] as const)
    for (const table of tables) expect(await query(database, `select 1 from ${table}`), table).toEqual([]);
  // Only objects in these folders remain.
  const kinds = (await readdir(join(home, 'objects'))).filter((name) => !name.startsWith('.'));
  expect(['attachments', 'avatars', 'events', 'replays']).toEqual(expect.arrayContaining(kinds));
});
