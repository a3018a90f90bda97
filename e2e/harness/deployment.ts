import { join } from 'node:path';
import { SERVICE_NAMES, type ServiceName } from '@switchboard/contracts';
import { type AccessTokens, accessTokens, freePort, type PgBouncer, s3Env } from '@switchboard/testkit';
import { type Backings, startBackings, startPooler } from './backings.ts';
import { type Gateway, gatewayPorts, startGateway, writePublicFiles } from './gateway.ts';
import { type Instance, startInstance } from './instances.ts';
import { startProviders } from './providers.ts';

/** A service, its roles, and the number of instances. */
export interface Part {
  service: ServiceName;
  roles?: string;
  instances: number;
}

/** Where the event log is. */
export type EventLogKind = 'kafka' | 'postgres';

export interface DeploymentOptions {
  region: string;
  parts: Part[];
  /** The identity provider. Default: a new one. */
  tokens?: AccessTokens;
  env?: Record<string, string>;
  /** Whether services reach PostgreSQL through a transaction pooler, if one is installed. */
  isPooled?: boolean;
  /** Default: `kafka`. */
  eventLog?: EventLogKind;
  /** Settings of the gateway. */
  gatewayEnv?: Record<string, string>;
  /** Runs once the backings are up, while the services start. */
  prepare?(backings: Backings): Promise<void>;
}

/** Services as processes behind the gateway, on real backings, each with its own database. */
export interface Deployment {
  region: string;
  backings: Backings;
  /** The settings of programs that connect to the event log. */
  eventLogSettings: Record<string, string>;
  gateway: Gateway;
  tokens: AccessTokens;
  instances: Instance[];
  /** The instances of a service that serve HTTP. */
  serving(service: ServiceName): Instance[];
  stop(): Promise<void>;
}

/** Secrets in the services' settings, besides the passwords of the backings. */
export const SECRETS = {
  IDENTITY_SECRET: 'an identity secret that only the end-to-end tests use',
  LINK_SECRET: 'a link secret that only the end-to-end tests use',
  WEBHOOK_SECRET: 'a webhook secret that only the end-to-end tests use',
};

/**
 * Starts a deployment. Returns undefined if a backing is not installed. With REQUIRE_BACKINGS=1, that is an error.
 */
export async function deploy(options: DeploymentOptions): Promise<Deployment | undefined> {
  const backings = await startBackings();
  if (backings === undefined) return undefined;
  const tokens = options.tokens ?? (await accessTokens());
  const providers = await startProviders();
  const pooler = options.isPooled ? await startPooler(backings) : undefined;
  const ports = await gatewayPorts();
  const eventLogSettings: Record<string, string> =
    options.eventLog === 'postgres'
      ? { EVENT_LOG_DATABASE_URL: backings.postgres.url('event_log') }
      : { KAFKA_BROKERS: backings.kafka.brokers.join(',') };
  const common = {
    ...settings(options.region, backings, tokens, `http://127.0.0.1:${ports.api}`),
    ...eventLogSettings,
  };
  const placed: { part: Part; starting: Promise<Instance> }[] = [];
  for (const part of options.parts) {
    for (let i = 0; i < part.instances; i++) {
      const { service, roles } = part;
      const starting = startInstance({
        service,
        ...(roles === undefined ? {} : { roles }),
        port: await freePort(),
        env: {
          ...common,
          ...(service === 'messenger' ? providers.settings : {}),
          ...databaseSettings(backings, service, pooler),
          ...options.env,
        },
      });
      placed.push({ part, starting });
    }
  }
  const everyStart = Promise.all(
    placed.map(async ({ part, starting }) => ({ part, instance: await starting })),
  );
  await Promise.all([everyStart, options.prepare?.(backings)]);
  const started = await everyStart;
  const instances = started.map(({ instance }) => instance);
  const serving = (service: ServiceName) =>
    started
      .filter(({ part }) => part.service === service && (part.roles?.includes('http') ?? true))
      .map(({ instance }) => instance);
  const upstreams = new Map(
    SERVICE_NAMES.map((service) => [service, serving(service).map(({ url }) => url)] as const).filter(
      ([, addresses]) => addresses.length > 0,
    ),
  );
  const files = join(backings.folder, 'public');
  await writePublicFiles(files, ports);
  const gateway = await startGateway(upstreams, ports, files, options.gatewayEnv);
  return {
    region: options.region,
    backings,
    eventLogSettings,
    gateway,
    tokens,
    instances,
    serving,
    async stop() {
      await gateway.stop();
      await Promise.all(instances.map((instance) => instance.stop()));
      await providers.stop();
      await pooler?.stop();
      if (options.tokens === undefined) await tokens.stop();
      await backings.stop();
    },
  };
}

function databaseSettings({ postgres }: Backings, service: ServiceName, pooler: PgBouncer | undefined) {
  const direct = postgres.url(service);
  if (pooler === undefined) return { DATABASE_URL: direct };
  const pooled = new URL(direct);
  pooled.host = new URL(pooler.url).host;
  return { DATABASE_URL: pooled.href, DIRECT_DATABASE_URL: direct };
}

function settings(region: string, backings: Backings, tokens: AccessTokens, apiUrl: string) {
  const { redis, s3, folder } = backings;
  return {
    LOG_LEVEL: 'info',
    REGION: region,
    TRUSTED_PROXY_HOPS: '1',
    AUTH_ISSUER: tokens.issuer,
    AUTH_AUDIENCE: tokens.audience,
    AUTH_JWKS_URL: tokens.jwksUrl,
    OUTGOING_PRIVATE_NETWORKS: '127.0.0.0/8',
    CONSOLE_URL: 'https://console.example.com',
    PUBLIC_API_URL: apiUrl,
    PUBLIC_LINK_BASE_URL: `${apiUrl}/shared`,
    REDIS_URL: redis.url,
    ...s3Env(s3),
    MAIL_DIR: join(folder, 'mails'),
    QUERY_FOLDER: join(folder, 'analytics'),
    ...SECRETS,
  };
}
