import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@switchboard/database';
import { directoryMigrations, directoryTopic } from '@switchboard/directory';
import { openPostgresLog } from '@switchboard/event-log';
import { listen, serviceContext, startService } from '@switchboard/service-kit';
import { accessTokens, testDatabase } from '@switchboard/testkit';
import { messengerMigrations } from '../schema/migrations.ts';
import { messengerService } from '../service.ts';
import { type Asked, ask } from './ask.ts';
import { createProjects } from './projects.ts';

type Env = Record<string, string>;

export interface WorldOptions {
  env?: Env;
  /** A database elsewhere, instead of one of its own. */
  databaseUrl?: string;
  /** Without storage for files. */
  withoutStorage?: boolean;
}

export type World = Awaited<ReturnType<typeof startWorld>>;

/** The service with its backings, an operator, and catalogue as far as the service sees it. */
export async function startWorld(options: WorldOptions = {}) {
  const own = await testDatabase({ migrations: [directoryMigrations, messengerMigrations] });
  const logDatabase = await testDatabase();
  const tokens = await accessTokens();
  const log = openPostgresLog({ url: logDatabase.url });
  // One partition, so that what is published last is applied last.
  await log.createTopics([{ name: directoryTopic, partitions: 1, replication: 1, cleanup: 'compact' }]);
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-messenger-'));
  const databaseUrl = options.databaseUrl ?? own.url;
  const database = openDatabase({ url: databaseUrl, applicationName: 'test' });
  const operator = await tokens.mint({ sub: 'operator', permissions: ['service.manage'] });
  /** Moves the clock of every instance, in milliseconds. */
  const time = { shift: 0 };
  const env = {
    HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
    REGION: 'eu',
    CONSOLE_URL: 'https://console.test',
    PUBLIC_API_URL: 'https://api.test/base/',
    DATABASE_URL: databaseUrl,
    EVENT_LOG_DATABASE_URL: logDatabase.url,
    IDENTITY_SECRET: 'a secret of more than thirty-two characters',
    AUTH_ISSUER: tokens.issuer,
    AUTH_AUDIENCE: tokens.audience,
    AUTH_JWKS_URL: tokens.jwksUrl,
    ...(options.withoutStorage ? {} : { OBJECTS_FOLDER: folder }),
    ...options.env,
  };
  const stops: (() => Promise<void>)[] = [];

  async function startInstance(more: Env = {}) {
    const context = {
      ...serviceContext(messengerService, { ...env, ...more }),
      clock: { now: () => new Date(Date.now() + time.shift) },
    };
    const service = messengerService.create(context);
    await startService(service, context);
    const server = await listen({ fetch: service.app.hono.fetch, host: '127.0.0.1', port: 0 });
    const url = `http://127.0.0.1:${server.port}`;
    let isStopped = false;
    async function stop() {
      if (isStopped) return;
      isStopped = true;
      await server.close(1000);
      await service.stop();
    }
    stops.push(stop);
    return { url, service, stop };
  }

  const first = await startInstance();
  const call = (method: string, path: string, asked: Asked & { url?: string } = {}) =>
    ask(`${asked.url ?? first.url}${path}`, method, asked);
  const manage = (method: string, path: string, body?: unknown) =>
    call(method, `/management/v1${path}`, {
      token: operator,
      ...(Buffer.isBuffer(body) ? { raw: body } : body === undefined ? {} : { body }),
    });

  return {
    url: first.url,
    service: first.service,
    database,
    databaseUrl,
    folder,
    tokens,
    time,
    call,
    manage,
    startInstance,
    ...createProjects({ log, tokens, manage }),
    async stop() {
      for (const stop of stops) await stop().catch(() => undefined);
      await database.close();
      await log.close();
      await tokens.stop();
      await Promise.all([own.drop(), logDatabase.drop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
