import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccessTokens, accessTokens, type TokenClaims } from '../access-tokens.ts';
import { type TestDatabase, testDatabase } from '../test-database.ts';
import { type CallOptions, type CallResult, call } from './call.ts';
import type { Env, Program } from './program.ts';
import {
  type RunningInstance,
  type SpawnServiceOptions,
  type Startable,
  type StartOptions,
  spawnService,
  startService,
} from './service.ts';

type Running = Record<string, RunningInstance>;
type Services<R extends Running> = { [Name in keyof R]: Startable<R[Name]> };

export interface HarnessOptions<R extends Running = Running> {
  /** The services that are started in this process, by name. */
  services?: Services<R>;
  /** Settings of every instance. They override the common ones. */
  env?: Env;
  /** The event log to use. Default: a separate PostgreSQL database. */
  log?: { kafka: readonly string[] } | { postgres: string } | undefined;
  /** Existing databases, by service. */
  databases?: Record<string, string>;
  /** The clock of every instance in this process. */
  clock?: { now(): Date };
  /** The server on which databases are created. Default: that of the test run. */
  postgresUrl?: string;
}

/** The backings of some services, and the services once they are started. */
export interface Harness<R extends Running = Running> {
  /** The settings that all services share: log, access tokens, public URLs, a folder for objects and emails. */
  env: Env;
  /** The settings for the event log. */
  logEnv: { KAFKA_BROKERS: string } | { EVENT_LOG_DATABASE_URL: string };
  /** The database of an event log on PostgreSQL. Throws if the log is on Kafka. */
  readonly logUrl: string;
  tokens: AccessTokens;
  /** A temporary folder. OBJECTS_FOLDER and MAIL_DIR are in it. */
  folder: string;
  mint(claims: TokenClaims): Promise<string>;
  /** Returns the database of a service, created and migrated on first use. */
  databaseUrl(name: string): Promise<string>;
  /** Starts an instance in this process. Its settings override those of the harness. */
  start<Name extends keyof R & string>(name: Name, env?: Env, options?: StartOptions): Promise<R[Name]>;
  /** Starts an instance as a separate process. */
  spawn(name: string, options?: Partial<SpawnServiceOptions>): Promise<Program>;
  /** Returns the URL of the first instance of a service. */
  url(name: string): string;
  /** Sends a request to the first instance of a service. */
  call(name: string, method: string, path: string, options?: CallOptions): Promise<CallResult>;
  /** Sends a request to the management API of a service's first instance, as an operator. */
  manage(name: string, method: string, path: string, body?: unknown): Promise<CallResult>;
  /** Registers a function that runs on close: after the instances and before the databases, in reverse order. */
  defer(close: () => Promise<unknown>): void;
  /** Stops the instances, the newest first, and removes everything that was created for them. */
  stop(): Promise<void>;
}

/**
 * Creates the requirements of services: a database each, an event log, access tokens and settings. Starts no service.
 * A service reads the directory from the log: publish entries with `createDirectoryPublisher` before you start it.
 *
 * @example
 * const harness = await openHarness({ services: { flags: flagsService } });
 * await harness.start('flags', { ROLES: 'http' });
 * await harness.manage('flags', 'PUT', '/projects/p1/flags/new-editor', { enabled: true });
 * const { status, body } = await harness.call('flags', 'GET', '/v1/flags?distinct_id=ada', { token: projectKey });
 * await harness.stop();
 */
export async function openHarness<R extends Running = Record<never, never>>(
  options: HarnessOptions<R> = {},
): Promise<Harness<R>> {
  const { log, clock, postgresUrl } = options;
  const services: Partial<Services<R>> = options.services ?? {};
  const on = postgresUrl === undefined ? {} : { server: postgresUrl };
  const owned: TestDatabase[] = [];
  const tokens = await accessTokens();
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-harness-'));
  const operator = await tokens.mint({ sub: 'operator', permissions: ['service.manage'] });
  const logEnv = await logSettings();
  const env: Env = { ...commonSettings(tokens, folder), ...logEnv, ...options.env };
  const databases = new Map<string, Promise<string>>(
    Object.entries(options.databases ?? {}).map(([name, url]) => [name, Promise.resolve(url)]),
  );
  const first = new Map<string, string>();
  const instances: (() => Promise<unknown>)[] = [];
  const deferred: (() => Promise<unknown>)[] = [];

  async function createDatabase(migrations: Startable['migrations'] = []): Promise<string> {
    const database = await testDatabase({ ...on, migrations });
    owned.push(database);
    return database.url;
  }

  async function logSettings(): Promise<Harness['logEnv']> {
    if (log !== undefined && 'kafka' in log) return { KAFKA_BROKERS: log.kafka.join(',') };
    return { EVENT_LOG_DATABASE_URL: log?.postgres ?? (await createDatabase()) };
  }

  function databaseUrl(name: string): Promise<string> {
    const known = databases.get(name) ?? createDatabase(services[name]?.migrations);
    databases.set(name, known);
    return known;
  }

  const settingsOf = async (name: string, more: Env = {}): Promise<Env> => ({
    ...env,
    DATABASE_URL: await databaseUrl(name),
    ...more,
  });

  function remember(name: string, { url, stop }: { url: string; stop(): Promise<unknown> }): void {
    if (!first.has(name)) first.set(name, url);
    instances.push(stop);
  }

  function url(name: string): string {
    const found = first.get(name);
    if (found === undefined) throw new Error(`${name} is not started`);
    return found;
  }

  return {
    env,
    logEnv,
    get logUrl() {
      if ('EVENT_LOG_DATABASE_URL' in logEnv) return logEnv.EVENT_LOG_DATABASE_URL;
      throw new Error('the event log is on Kafka');
    },
    tokens,
    folder,
    mint: tokens.mint,
    databaseUrl,
    url,
    async start(name, more, given = {}) {
      const definition = services[name];
      if (definition === undefined) throw new Error(`${name} is not among the services of this harness`);
      const settings = await settingsOf(name, more);
      const running = await startService(definition, settings, { ...(clock ? { clock } : {}), ...given });
      remember(name, running);
      return running;
    },
    async spawn(name, { env: more, ...rest } = {}) {
      const settings = await settingsOf(name, { LOG_LEVEL: options.env?.['LOG_LEVEL'] ?? 'info', ...more });
      const program = await spawnService(name, { ...rest, env: settings });
      remember(name, program);
      return program;
    },
    call: (name, method, path, given) => call(method, `${url(name)}${path}`, given),
    manage: (name, method, path, body) =>
      call(method, `${url(name)}/management/v1${path}`, { token: operator, body }),
    defer: (close) => void deferred.push(close),
    async stop() {
      // A test may have removed something that an instance needs to stop cleanly.
      for (const stop of instances.reverse()) await stop().catch(() => undefined);
      for (const close of deferred.reverse()) await close();
      await tokens.stop();
      await Promise.all(owned.map((database) => database.drop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function commonSettings({ issuer, audience, jwksUrl }: AccessTokens, folder: string): Env {
  return {
    HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
    REGION: 'eu',
    CONSOLE_URL: 'https://console.example',
    PUBLIC_API_URL: 'https://api.example',
    PUBLIC_LINK_BASE_URL: 'https://links.example/shared',
    LINK_SECRET: 'the link secret of a test with 32 or more characters',
    IDENTITY_SECRET: 'the identity secret of a test with 32 or more characters',
    WEBHOOK_SECRET: 'the webhook secret of a test with 32 or more characters',
    AUTH_ISSUER: issuer,
    AUTH_AUDIENCE: audience,
    AUTH_JWKS_URL: jwksUrl,
    OUTGOING_PRIVATE_NETWORKS: '127.0.0.0/8',
    MAIL_DIR: join(folder, 'mail'),
    OBJECTS_FOLDER: join(folder, 'objects'),
    QUERY_FOLDER: join(folder, 'analytics'),
  };
}
