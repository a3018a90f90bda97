import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClickHouseDatabase, clickHouseDatabase } from '@switchboard/testkit';
import { openClickHouse } from '../clickhouse/client.ts';
import { migrateClickHouse } from '../clickhouse/migrations.ts';
import { createClickHouseEngine } from '../engine/clickhouse.ts';
import { createDuckDb, type DuckDb } from '../engine/duckdb.ts';
import type { Engine } from '../engine/engine.ts';
import { type Sql, sql, text, texts } from '../engine/sql.ts';
import { peopleInTables } from '../people/sources.ts';
import { personIdsInTables } from '../persons/sources.ts';
import type { Case } from './arbitraries.ts';

/** For tests: a separate engine, with tables for the data of queries. */
export interface TestEngine {
  engine: Engine;
  /** Replaces all rows. Events belong to project `p` followed by the index of their case. */
  load(cases: readonly Pick<Case, 'events' | 'people' | 'personIds'>[]): Promise<void>;
  /** Returns the rows that `load` stored for a case. */
  sourceOf(index: number): { projectId: string; events: Sql; people: Sql; personIds: Sql };
  stop(): Promise<void>;
}

interface EngineForTests {
  name: 'DuckDB' | 'ClickHouse';
  /** Whether the engine is not available on this machine. */
  isMissing: boolean;
  start(): Promise<TestEngine>;
}

/** Returns every engine, to run the same tests on each. */
export async function enginesForTests(): Promise<EngineForTests[]> {
  const database = await clickHouseDatabase();
  return [
    { name: 'DuckDB', isMissing: false, start: startDuckDb },
    {
      name: 'ClickHouse',
      isMissing: database === undefined,
      async start() {
        if (database === undefined) throw new Error('There is no ClickHouse.');
        return startClickHouse(database);
      },
    },
  ];
}

/** Also returns the engine with all that DuckDB can do, and the folder that its queries read files from. */
export async function startDuckDb(): Promise<TestEngine & { engine: DuckDb; filesFolder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'analytics-'));
  const filesFolder = join(folder, 'files');
  const engine = createDuckDb({
    threads: 1,
    memoryBytes: 300_000_000,
    spillFolder: join(folder, 'spill'),
    spillBytes: 100_000_000,
    filesFolder,
  });
  return {
    engine,
    filesFolder,
    async load(cases) {
      const { events, people, personIds } = rowsOf(cases);
      const known = people.map(({ groups, ...row }) => ({ ...row, groups: JSON.stringify(groups) }));
      const json = (rows: object[]) => texts(rows.map((row) => JSON.stringify(row)));
      await engine.query(sql`create or replace table cases as
        select * exclude (t), make_timestamptz(t * 1000) as occurred_at from (select unnest(from_json(j,
          '{"project_id":"VARCHAR","event_id":"VARCHAR","event_name":"VARCHAR","distinct_id":"VARCHAR","session_id":"VARCHAR","t":"BIGINT","properties":"VARCHAR","context":"VARCHAR","bot":"BOOLEAN"}'))
        from (select unnest(${json(events)}) as j))`);
      await engine.query(sql`create or replace table known as select unnest(from_json(j,
          '{"project_id":"VARCHAR","distinct_id":"VARCHAR","traits":"VARCHAR","groups":"VARCHAR"}'))
        from (select unnest(${json(known)}) as j)`);
      await engine.query(sql`create or replace table person_ids as select unnest(from_json(j,
          '{"project_id":"VARCHAR","distinct_id":"VARCHAR","person_id":"VARCHAR"}'))
        from (select unnest(${json(personIds)}) as j)`);
    },
    sourceOf: (index) => ({
      projectId: `p${index}`,
      events: sql`cases`,
      people: sql`(select * from known where project_id = ${text(`p${index}`)})`,
      personIds: sql`(select * from person_ids where project_id = ${text(`p${index}`)})`,
    }),
    async stop() {
      await engine.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function startClickHouse(database: ClickHouseDatabase): Promise<TestEngine> {
  const client = openClickHouse(database.url);
  await migrateClickHouse(client);
  await client.command({ query: 'create table cases as events engine = MergeTree order by project_id' });
  const engine = createClickHouseEngine({ client, threads: 1, memoryBytes: 300_000_000, timeoutMs: 20_000 });
  let types: string[] = [];
  return {
    engine,
    async load(cases) {
      const { events, people, personIds } = rowsOf(cases);
      // One person each.
      const memberships = people.flatMap(({ project_id, distinct_id, groups }) =>
        Object.entries(groups).map(([type, traits]) => ({ project_id, type, id: distinct_id, traits })),
      );
      types = [...new Set(memberships.map(({ type }) => type))];
      const tables: Record<string, object[]> = {
        cases: events.map(({ t, ...event }) => ({ ...event, occurred_at: t / 1000, received_at: t / 1000 })),
        people: [
          ...people.map(({ project_id, distinct_id, traits, groups }) => {
            const ids = Object.fromEntries(Object.keys(groups).map((type) => [type, distinct_id]));
            return { project_id, distinct_id, traits, groups: JSON.stringify(ids), version: 2 };
          }),
          // Older copies.
          ...people.map(({ project_id, distinct_id }) => ({
            project_id,
            distinct_id,
            traits: '{"plan":"old"}',
            groups: '{}',
            version: 1,
          })),
        ],
        person_ids: personIds.flatMap((row) => [
          { ...row, version: 2 },
          { ...row, person_id: 'old', version: 1 },
        ]),
        groups: memberships.map((group) => ({ ...group, traits: JSON.stringify(group.traits), version: 1 })),
      };
      for (const [table, values] of Object.entries(tables)) {
        await client.command({ query: `truncate table ${table}` });
        if (values.length > 0) await client.insert({ table, values, format: 'JSONEachRow' });
      }
    },
    sourceOf: (index) => ({
      projectId: `p${index}`,
      events: sql`cases`,
      people: peopleInTables(`p${index}`, types),
      personIds: personIdsInTables(`p${index}`),
    }),
    async stop() {
      await engine.close();
      await database.drop();
    },
  };
}

/** Returns rows as an archived file has them, and the rows of people. */
function rowsOf(cases: readonly Pick<Case, 'events' | 'people' | 'personIds'>[]) {
  const document = (value: unknown) => (value === null ? null : JSON.stringify(value));
  return {
    events: cases.flatMap(({ events }, index) =>
      events.map(({ id, t, name, person, isBot, session, properties, context }) => ({
        project_id: `p${index}`,
        event_id: id,
        event_name: name,
        distinct_id: person,
        session_id: session,
        t,
        properties: document(properties),
        context: document(context),
        bot: isBot === true,
      })),
    ),
    personIds: cases.flatMap(({ personIds }, index) =>
      Object.entries(personIds).map(([distinct_id, person_id]) => ({
        project_id: `p${index}`,
        distinct_id,
        person_id,
      })),
    ),
    people: cases.flatMap(({ people }, index) =>
      Object.entries(people).map(([distinct_id, { traits, groups }]) => ({
        project_id: `p${index}`,
        distinct_id,
        traits: JSON.stringify(traits),
        groups,
      })),
    ),
  };
}
