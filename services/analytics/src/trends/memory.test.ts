import { insightQuery } from '@switchboard/contracts';
import { clickHouseDatabase } from '@switchboard/testkit';
import { afterAll, expect, test } from 'vitest';
import { openClickHouse } from '../clickhouse/client.ts';
import { migrateClickHouse } from '../clickhouse/migrations.ts';
import { createClickHouseEngine } from '../engine/clickhouse.ts';
import { sql } from '../engine/sql.ts';
import { resultOf } from '../queries/result.ts';

const database = await clickHouseDatabase();
afterAll(() => database?.drop());

const PEOPLE = 600_000;
/** A set of all people and labels takes more than 100 MB. */
const MEMORY_BYTES = 75_000_000;

test.skipIf(database === undefined)(
  'breaks down more people than fit in the memory of a query',
  async () => {
    const client = openClickHouse(database?.url ?? '');
    await migrateClickHouse(client);
    await client.command({
      query: `insert into events (project_id, event_name, distinct_id, occurred_at, properties)
      select 'shop', 'order placed', concat('user-', toString(cityHash64(number))),
        toDateTime64('2026-03-01 00:00:00', 3, 'UTC') + number % 86400,
        concat('{"plan":"', toString(number % 4), '"}') from numbers(${PEOPLE})`,
    });
    const engine = createClickHouseEngine({
      client,
      threads: 1,
      memoryBytes: MEMORY_BYTES,
      timeoutMs: 60_000,
    });
    const query = insightQuery.parse({
      kind: 'trends',
      range: { from: '2026-03-01', to: '2026-03-02' },
      series: [{ event: 'order placed', measure: 'people' }],
      breakdown: { property: 'plan' },
    });
    const report = await resultOf(query, {
      source: { dialect: engine.dialect, projectId: 'shop', events: sql`events`, cohorts: new Map() },
      now: 0,
      asOf: 0,
      run: engine.query,
      eachPerson: engine.eachPerson,
    });
    await client.close();
    expect(report).toMatchObject({
      series: ['0', '1', '2', '3'].map((name) => ({ name, values: [PEOPLE / 4, 0] })),
    });
  },
  60_000,
);
