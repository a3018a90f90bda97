import { openDatabase } from '@switchboard/database';
import { eventually, hasPgBouncer, startPgBouncer, testDatabase } from '@switchboard/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { json, startHarness } from './testing/harness.ts';

it.skipIf(!hasPgBouncer())(
  'serves two instances through a pooler of transactions',
  async () => {
    const own = await testDatabase();
    const name = new URL(own.url).pathname.slice(1);
    const database = openDatabase({ url: own.url, applicationName: 'test' });
    await database.sql.unsafe(`alter database ${name} set statement_timeout = '5s'`);
    await database.sql.unsafe(`alter database ${name} set idle_in_transaction_session_timeout = '30s'`);
    await database.close();
    const pooler = await startPgBouncer({ url: own.url, mode: 'transaction', poolSize: 3 });
    const harness = await startHarness({
      databaseUrl: pooler.url,
      env: { DIRECT_DATABASE_URL: own.url, DATABASE_POOL_SIZE: '20' },
    });
    onTestFinished(async () => {
      await harness.stop();
      await pooler.stop();
      await own.drop();
    });
    const other = await harness.startInstance();
    const project = await harness.createProject();
    const evaluate = async (url: string) =>
      (await json(await harness.get('/v1/flags?distinct_id=ada', project.key, { url })))['flags'];
    const targeting = [{ attribute: 'plan', op: 'eq' as const, value: 'pro' }];
    await harness.putFlag(project, { key: 'new', enabled: true, rolloutPercentage: 100, targeting });
    for (const url of [harness.url, other.url])
      await eventually(async () => expect(await evaluate(url)).toEqual({ new: false }));
    await harness.identify(project, 'ada', { plan: 'pro' });
    await harness.settled();
    for (const url of [harness.url, other.url])
      await eventually(async () => expect(await evaluate(url)).toEqual({ new: true }));
    // Announced on the connection that bypasses the pooler.
    await harness.putFlag(project, { key: 'new', enabled: false, rolloutPercentage: 100 }, other.url);
    await eventually(async () => expect(await evaluate(harness.url)).toEqual({ new: false }), {
      withinMs: 5_000,
    });
    const answers = await Promise.all(Array.from({ length: 100 }, () => evaluate(harness.url)));
    expect(answers).toEqual(answers.map(() => ({ new: false })));
  },
  60_000,
);
