import { openDatabase } from '@switchboard/database';
import { directoryTopic } from '@switchboard/directory';
import { openPostgresLog } from '@switchboard/event-log';
import { serviceContext, startService } from '@switchboard/service-kit';
import { accessTokens, testDatabase } from '@switchboard/testkit';
import { catalogueService } from '../service.ts';

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was answered
  body: any;
}

interface Backings {
  databaseUrl: string;
  logUrl: string;
}

/** The catalogue as its callers see it, with an operator's token. */
export async function testCatalogue(given: Partial<Backings> = {}) {
  const tokens = await accessTokens();
  const owned = [
    given.databaseUrl ? undefined : await testDatabase(),
    given.logUrl ? undefined : await testDatabase(),
  ];
  const databaseUrl = given.databaseUrl ?? owned[0]?.url ?? '';
  const logUrl = given.logUrl ?? owned[1]?.url ?? '';
  const operator = await tokens.mint({ sub: 'op', permissions: ['service.manage'] });
  const stops: (() => Promise<void>)[] = [];

  async function instance() {
    const context = serviceContext(catalogueService, {
      LOG_LEVEL: 'silent',
      REGION: 'eu',
      AUTH_ISSUER: tokens.issuer,
      AUTH_AUDIENCE: tokens.audience,
      AUTH_JWKS_URL: tokens.jwksUrl,
      CONSOLE_URL: 'https://console.example',
      DATABASE_URL: databaseUrl,
      EVENT_LOG_DATABASE_URL: logUrl,
      TOPIC_PARTITIONS: '4',
    });
    const service = catalogueService.create(context);
    stops.push(service.stop);
    await startService(service, context);

    async function send(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
      const response = await service.app.hono.request(path, { method, ...init });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: text === '' ? undefined : JSON.parse(text),
      };
    }
    function manage(method: string, path: string, body?: unknown, token: string | null = operator) {
      return send(method, `/management/v1${path}`, {
        ...(token === null ? {} : { headers: { Authorization: `Bearer ${token}` } }),
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
    }
    return {
      service,
      metrics: context.metrics,
      get: (path: string, headers: Record<string, string> = {}) => send('GET', path, { headers }),
      manage,
      put: (path: string, body: unknown) => manage('PUT', path, body),
      remove: (path: string) => manage('DELETE', path),
    };
  }

  /** The topic as a reader that starts now would have it in the end: the newest value of each key. */
  async function published(): Promise<Map<string, unknown>> {
    const log = openPostgresLog({ url: logUrl });
    const state = new Map<string, unknown>();
    try {
      const ends = await log.endOffsets(directoryTopic);
      const read = ends.map(() => 0n);
      const consumption = await log.consume({
        group: `test-${Math.random()}`,
        topics: [directoryTopic],
        async handle(batch) {
          for (const { key, value } of batch.records) {
            state.set(key ?? '', value === null ? null : JSON.parse(value.toString()));
          }
          read[batch.partition] = batch.nextOffset;
        },
      });
      while (ends.some((end, partition) => (read[partition] ?? 0n) < end)) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await consumption.stop();
    } finally {
      await log.close();
    }
    return state;
  }

  return {
    tokens,
    databaseUrl,
    logUrl,
    instance,
    published,
    async sql() {
      const database = openDatabase({ url: databaseUrl, applicationName: 'test' });
      stops.push(database.close);
      return database.sql;
    },
    async close() {
      for (const stop of stops.reverse()) await stop();
      await tokens.stop();
      for (const database of owned) await database?.drop();
    },
  };
}

export type TestCatalogue = Awaited<ReturnType<typeof testCatalogue>>;
export type Instance = Awaited<ReturnType<TestCatalogue['instance']>>;

export const pro = { trialDays: 14, priced: true, entitlements: { articleSearch: true } };
export const acme = { name: 'Acme', plan: { tier: 'pro', cycle: 'monthly' } };
export const shop = { companyId: 'acme', name: 'Shop', region: 'eu', defaultLanguage: 'en' };
export const ada = { name: 'Ada', email: 'ada@example.com' };
