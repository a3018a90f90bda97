import { type Database, openDatabase } from '@switchboard/database';
import { DIRECTORY_TOPIC } from '@switchboard/directory';
import { openPostgresLog, readTopic } from '@switchboard/event-log';
import { call, type Env, openHarness } from '@switchboard/testkit';
import { afterAll } from 'vitest';
import { type CatalogueConstants, catalogueService } from '../service.ts';

interface Backings {
  databaseUrl: string;
  logUrl: string;
}

/** Starts catalogue with an operator token and any number of instances. */
export async function testCatalogue(given: Partial<Backings> = {}) {
  const harness = await openHarness({
    services: { catalogue: catalogueService },
    env: { TOPIC_PARTITIONS: '4' },
    ...(given.databaseUrl === undefined ? {} : { databases: { catalogue: given.databaseUrl } }),
    ...(given.logUrl === undefined ? {} : { log: { postgres: given.logUrl } }),
  });
  const databaseUrl = await harness.databaseUrl('catalogue');
  const operator = await harness.mint({ sub: 'op', permissions: ['service.manage'] });

  async function instance(env: Env = {}, constants: CatalogueConstants = {}) {
    const { url, context } = await harness.start('catalogue', env, { constants });
    const manage = (method: string, path: string, body?: unknown, token: string | null = operator) =>
      call(method, `${url}/management/v1${path}`, { body, ...(token === null ? {} : { token }) });
    return {
      metrics: context.metrics,
      config: context.config,
      get: (path: string, headers: Record<string, string> = {}) => call('GET', `${url}${path}`, { headers }),
      manage,
      put: (path: string, body: unknown) => manage('PUT', path, body),
      remove: (path: string) => manage('DELETE', path),
      /** Removes a project or company and frees its id, which only tests may do. */
      async reset(path: string) {
        await manage('DELETE', path);
        const database = openDatabase({ url: databaseUrl, applicationName: 'test' });
        await database.sql`truncate erasures cascade`;
        await database.close();
      },
    };
  }

  /** Returns the topic after compaction: the last value of each key. */
  async function published(): Promise<Map<string, unknown>> {
    const log = openPostgresLog({ url: harness.logUrl });
    const state = new Map<string, unknown>();
    try {
      await readTopic(log, DIRECTORY_TOPIC, {
        onRecord: ({ key, value }) =>
          state.set(key ?? '', value === null ? null : JSON.parse(value.toString())),
      });
    } finally {
      await log.close();
    }
    return state;
  }

  let pool: Database | undefined;
  return {
    tokens: harness.tokens,
    databaseUrl,
    logUrl: harness.logUrl,
    instance,
    published,
    /** Publishes reports as a service would. */
    async report(topic: string, ...values: object[]) {
      const log = openPostgresLog({ url: harness.logUrl });
      const records = values.map((value) => ({
        partition: 0,
        key: null,
        value: Buffer.from(JSON.stringify(value)),
        headers: {},
      }));
      await log.publish(topic, records);
      await log.close();
    },
    /** Returns the same connection pool for every call: tests poll with it. */
    async sql() {
      if (pool === undefined) {
        const opened = openDatabase({ url: databaseUrl, applicationName: 'test' });
        harness.defer(() => opened.close());
        pool = opened;
      }
      return pool.sql;
    },
    close: harness.stop,
  };
}

/** Starts catalogue with one instance, and stops it after the tests of this file. */
export async function useCatalogue(env: Env = {}) {
  const catalogue = await testCatalogue();
  afterAll(() => catalogue.close());
  return { catalogue, one: await catalogue.instance(env) };
}

export type TestCatalogue = Awaited<ReturnType<typeof testCatalogue>>;
export type Instance = Awaited<ReturnType<TestCatalogue['instance']>>;

export const pro = { trialDays: 14, priced: true, entitlements: { articleSearch: true } };
export const acme = { name: 'Acme', plan: { tier: 'pro', cycle: 'monthly' } };
export const shop = { companyId: 'acme', name: 'Shop', region: 'eu', defaultLanguage: 'en' };
export const ada = { name: 'Ada', email: 'ada@example.com' };
