import { hasPgBouncer, startPgBouncer, type TestDatabase, testDatabase } from '@switchboard/testkit';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checkPooling, isUnavailable, keepsSessions, openDatabase } from './index.ts';

let own: TestDatabase;
/** A database that gives every connection the time-outs that the error message requires. */
let timed: TestDatabase;
beforeAll(async () => {
  own = await testDatabase();
  timed = await testDatabase();
  const name = new URL(timed.url).pathname.slice(1);
  const database = openDatabase({ url: timed.url, applicationName: 'test' });
  for (const [setting, value] of [
    ['statement_timeout', '5s'],
    ['idle_in_transaction_session_timeout', '30s'],
  ])
    await database.sql.unsafe(`alter database ${name} set ${setting} = '${value}'`);
  await database.close();
});
afterAll(async () => {
  await own.drop();
  await timed.drop();
});

const TIMEOUTS = ['statement_timeout', 'idle_in_transaction_session_timeout'];

async function through(options: Parameters<typeof startPgBouncer>[0]): Promise<string> {
  const bouncer = await startPgBouncer(options);
  onTestFinished(bouncer.stop);
  return bouncer.url;
}

/** Returns the message that a start fails with; undefined if it succeeds. */
const refusal = (addresses: Parameters<typeof checkPooling>[0]) =>
  checkPooling(addresses).then(
    () => undefined,
    (error: Error) => (isUnavailable(error) ? 'unavailable' : error.message),
  );

it('accepts PostgreSQL itself as the server of a pool', async () => {
  expect(await refusal({ url: own.url, ownerUrl: own.url })).toBeUndefined();
  expect(await keepsSessions(own.url)).toBe(true);
});

describe.skipIf(!hasPgBouncer())('PgBouncer in front of PostgreSQL', () => {
  it('refuses a PgBouncer that pools transactions without the address of PostgreSQL itself', async () => {
    const url = await through({ url: timed.url, mode: 'transaction', ignores: TIMEOUTS });
    expect(await keepsSessions(url)).toBe(false);
    expect(await refusal({ url })).toContain('set DIRECT_DATABASE_URL to the address of PostgreSQL itself');
    expect(await refusal({ url, directUrl: url })).toContain('DIRECT_DATABASE_URL must be the address');
    expect(await refusal({ url, directUrl: timed.url, ownerUrl: url })).toContain('MIGRATIONS_DATABASE_URL');
    expect(await refusal({ url, directUrl: timed.url, ownerUrl: timed.url })).toBeUndefined();
  });

  it('refuses a PgBouncer that rejects connection settings, and gives the reason', async () => {
    const url = await through({ url: timed.url, mode: 'session' });
    expect(await refusal({ url })).toMatch(/unsupported startup parameter.*DIRECT_DATABASE_URL/);
  });

  it('accepts a PgBouncer that pools sessions for everything, if the role has the time-outs', async () => {
    const url = await through({ url: timed.url, mode: 'session', ignores: TIMEOUTS });
    expect(await refusal({ url })).toBeUndefined();
    const without = await through({ url: own.url, mode: 'session', ignores: TIMEOUTS });
    expect(await refusal({ url: without })).toMatch(
      /run ALTER ROLE "\w+" SET statement_timeout = '5000ms'; ALTER ROLE "\w+" SET idle_in_transaction_session_timeout = '30000ms';/,
    );
  });

  it('serves more clients than connections through a PgBouncer that pools transactions', async () => {
    const url = await through({ url: timed.url, mode: 'transaction', poolSize: 2 });
    const options = { url, directUrl: timed.url, applicationName: 'pooled', poolSize: 5 };
    const [one, other] = [openDatabase(options), openDatabase(options)];
    const databases = [one, other];
    onTestFinished(async () => void (await Promise.all(databases.map((one) => one.close()))));
    const heard: string[] = [];
    await one.listen(
      'things',
      (payload) => heard.push(payload),
      () => undefined,
    );
    const turns = Array.from({ length: 40 }, (_, number) => number);
    const answers = await Promise.all(
      turns.flatMap((number) =>
        databases.map(async ({ drizzle, prepared, sql: raw }) => {
          const [first] = await prepared.execute<{ n: number }>(sql`select ${number}::int + 1 as n`);
          const two = await drizzle.transaction(async (tx) => {
            const [row] = await tx.execute<{ n: number }>(sql`select ${number}::int + 2 as n`);
            return row?.n;
          });
          const [three] = await raw`select ${number}::int + 3 as n, current_setting('TimeZone') as zone`;
          return [first?.n, two, three?.['n'], three?.['zone']];
        }),
      ),
    );
    for (const [index, answer] of answers.entries()) {
      const number = Math.floor(index / 2);
      expect(answer).toEqual([number + 1, number + 2, number + 3, 'UTC']);
    }
    const [used] = await one.sql`
      select count(*) filter (where application_name = 'pooled') as pooled,
        count(*) filter (where application_name = 'pooled listen') as listening
      from pg_stat_activity where datname = current_database()`;
    expect(used).toEqual({ pooled: 2, listening: 1 });
    await other.sql`select pg_notify('things', 'one')`;
    await expect.poll(() => heard).toEqual(['one']);
  });
});
