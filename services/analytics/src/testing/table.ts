import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, openDuckDb } from '../engine/duckdb.ts';
import { type Sql, sql, texts } from '../engine/sql.ts';
import type { TestEvent } from './reference.ts';

/** For tests: an engine with folders of its own. */
export async function startEngine(): Promise<{ engine: Engine; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'analytics-'));
  const engine = await openDuckDb({
    threads: 1,
    memoryBytes: 300_000_000,
    spillFolder: join(folder, 'spill'),
    spillBytes: 100_000_000,
    filesFolder: join(folder, 'files'),
  });
  return {
    engine,
    async stop() {
      engine.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** A relation with these events, as an archived file has them. */
export function relationOf(events: readonly (TestEvent & { project: string })[]): Sql {
  const rows = events.map(({ project, id, t, name, person, session, properties, context }) =>
    JSON.stringify({
      project_id: project,
      event_id: id,
      event_name: name,
      distinct_id: person,
      session_id: session,
      t,
      properties: properties === null ? null : JSON.stringify(properties),
      context: context === null ? null : JSON.stringify(context),
    }),
  );
  return sql`(select * exclude (t), make_timestamptz(t * 1000) as occurred_at from (select unnest(from_json(j,
    '{"project_id":"VARCHAR","event_id":"VARCHAR","event_name":"VARCHAR","distinct_id":"VARCHAR","session_id":"VARCHAR","t":"BIGINT","properties":"VARCHAR","context":"VARCHAR"}'))
    from (select unnest(${texts(rows)}) as j)))`;
}
