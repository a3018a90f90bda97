import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directoryMigrations } from '@switchboard/directory';
import { listen, serviceContext, startService } from '@switchboard/service-kit';
import { accessTokens, type TestDatabase, type TokenClaims, testDatabase } from '@switchboard/testkit';
import { collaborationMigrations } from '../schema/migrations.ts';
import { collaborationService } from '../service.ts';
import { type DirectoryPublisher, publishDirectory, seedDirectory } from './directory.ts';

/** For this service's tests: the service on a real port, its directory, people and a clock that can be set. */
export interface Harness {
  url: string;
  env: Record<string, string>;
  database: TestDatabase;
  directory: DirectoryPublisher;
  /** The service's clock stands still once it is set. */
  clock: { now(): Date; set(time: string): void };
  token(claims: TokenClaims): Promise<string>;
  as(sub: string, permissions?: string[]): Person;
  /** Another instance of the service, on the same database, with other settings where some are given. */
  another(changed?: Record<string, string>): Promise<Instance>;
  /** Stops the service and leaves all it worked with. */
  stopService(): Promise<void>;
  stop(): Promise<void>;
}

interface Instance {
  url: string;
  stop(): Promise<void>;
}

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body.
  body: any;
}

export interface Person {
  call(method: string, path: string, body?: unknown): Promise<Answer>;
}

/** Sends JSON, or a text as it is. */
export async function call(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const init = body === undefined ? {} : { body: text };
  const response = await fetch(`${url}${path}`, { method, headers, redirect: 'manual', ...init });
  const answered = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(answered) : answered,
  };
}

async function serve(env: Record<string, string>, clock: Pick<Harness['clock'], 'now'>): Promise<Instance> {
  const context = { ...serviceContext(collaborationService, env), clock };
  const service = collaborationService.create(context);
  await startService(service, context);
  const server = await listen({ fetch: service.app.hono.fetch, host: '127.0.0.1', port: 0 });
  return {
    url: `http://127.0.0.1:${server.port}`,
    async stop() {
      await server.close(100);
      await service.stop();
    },
  };
}

export async function startHarness(env: Record<string, string> = {}): Promise<Harness> {
  const database = await testDatabase({ migrations: [collaborationMigrations, directoryMigrations] });
  const log = await testDatabase();
  const directory = await publishDirectory(log.url);
  await seedDirectory(directory);
  const tokens = await accessTokens();
  const mails = await mkdtemp(join(tmpdir(), 'switchboard-mails-'));
  const all = {
    LOG_LEVEL: 'error',
    REGION: 'eu',
    AUTH_ISSUER: tokens.issuer,
    AUTH_AUDIENCE: tokens.audience,
    AUTH_JWKS_URL: tokens.jwksUrl,
    CONSOLE_URL: 'https://console.example',
    DATABASE_URL: database.url,
    EVENT_LOG_DATABASE_URL: log.url,
    PUBLIC_LINK_BASE_URL: 'https://links.example/shared',
    LINK_SECRET: 'a-secret-of-these-tests-alone-0123456789',
    TRUSTED_PROXY_HOPS: '1',
    MAIL_DIR: mails,
    DELIVERY_RETRY_SECONDS: '1',
    ...env,
  };
  let fixed: Date | undefined;
  const clock = {
    now: () => fixed ?? new Date(),
    set(time: string) {
      fixed = new Date(time);
    },
  };
  const first = await serve(all, clock);
  const { url } = first;
  let stopping: Promise<void> | undefined;
  const stopService = () => {
    stopping ??= first.stop();
    return stopping;
  };
  return {
    url,
    env: all,
    database,
    directory,
    clock,
    token: tokens.mint,
    as: (sub, permissions = []) => ({
      async call(method, path, body) {
        const authorization = `Bearer ${await tokens.mint({ sub, permissions })}`;
        return call(url, method, path, body, { authorization });
      },
    }),
    another: (changed = {}) => serve({ ...all, ...changed }, clock),
    stopService,
    async stop() {
      await stopService();
      await directory.close();
      await tokens.stop();
      await database.drop();
      await log.drop();
      await rm(mails, { recursive: true, force: true });
    },
  };
}
