import { mkdir } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { ServiceName } from '@switchboard/contracts';
import {
  allowedHosts,
  demoPeople,
  mountIssuer,
  openIssuer,
  type PreparedDemo,
  prepareDemo,
} from '@switchboard/demo';
import { startPostgres } from '@switchboard/embedded-postgres';
import { type BuiltSdks, mountSdks, readSdks } from '@switchboard/sdk-files';
import { openAddresses } from './addresses.ts';
import { openConsole } from './console.ts';
import { StandaloneError } from './errors.ts';
import { createGateway, mountHealth, mountServices } from './gateway.ts';
import { createPages } from './pages/pages.ts';
import { openSecrets } from './secrets.ts';
import { createServices, DATABASES, ERASING } from './services.ts';

interface StandaloneOptions {
  env: Record<string, string | undefined>;
  home: string;
}

export interface Standalone extends PreparedDemo {
  urls: Record<'api' | 'events' | 'replay' | 'management' | 'console', string>;
  stop(): Promise<void>;
}

type Closing = () => Promise<unknown>;

const REGION = 'eu';
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1']);
const GRACE_MS = 8_000;

/**
 * Starts every service in this process on an embedded PostgreSQL, with a token issuer and demo data. Resolves once
 * requests are served. Throws an error that `explain` turns into one line.
 */
export async function startStandalone({ env, home }: StandaloneOptions): Promise<Standalone> {
  const host = env['HOST'] || '127.0.0.1';
  // Closes in this order: requests in flight finish, services flush, then the database stops.
  const closing: { streams?: () => void; addresses?: Closing; services?: Closing; postgres?: Closing } = {};
  const stopping = new AbortController();
  const stop = async () => {
    stopping.abort();
    closing.streams?.();
    await closing.addresses?.();
    await closing.services?.();
    await closing.postgres?.();
  };
  try {
    await mkdir(home, { recursive: true, mode: 0o755 });
    const addresses = await openAddresses({
      host,
      port: portOf(env),
      allowedHosts: allowedHosts(env['ALLOWED_HOSTS']),
    });
    closing.addresses = () => addresses.close(GRACE_MS);
    const { urls } = addresses;
    const issuer = await openIssuer(home, urls.api);
    const postgres = await startPostgres({ directory: join(home, 'postgres'), databases: DATABASES });
    closing.postgres = postgres.stop;

    const secrets = await openSecrets(home);
    const identityUrl = `${urls.api}/identity`;
    const isLocal = LOOPBACK.has(host);
    const environmentOf = (name: ServiceName) => ({
      LOG_LEVEL: 'warn',
      ...secrets,
      MAIL_DIR: join(home, 'mail'),
      SUPPORT_MAIL_DOMAIN: 'support.localhost',
      HOST: host,
      OBJECTS_FOLDER: join(home, 'objects'),
      ARCHIVE_FILE_SECONDS: '5',
      QUERY_FOLDER: join(home, 'analytics'),
      // Only this region, because the demo has a project in a region that does not run.
      ERASURE_REGIONS: REGION,
      ERASURE_SERVICES: ERASING.join(),
      OUTGOING_PRIVATE_NETWORKS: ownNetworks(host),
      // A receiver on this machine, to try webhooks. Others must not reach what listens here.
      ...(isLocal ? { WEBHOOK_PRIVATE_NETWORKS: ownNetworks(host) } : {}),
      ...env,
      WORKERS: '1',
      REGION,
      DATABASE_URL: postgres.url(name),
      EVENT_LOG_DATABASE_URL: postgres.url('event_log'),
      AUTH_ISSUER: identityUrl,
      AUTH_AUDIENCE: issuer.audience,
      AUTH_JWKS_URL: `${urls.api}/.well-known/jwks.json`,
      CONSOLE_URL: urls.console,
      PUBLIC_API_URL: urls.api,
      PUBLIC_LINK_BASE_URL: `${urls.api}/shared`,
    });
    const services = createServices({
      environmentOf,
      tokenIssuer: issuer.issuer,
      identity: { issuer: identityUrl, people: isLocal ? demoPeople : [] },
    });
    closing.streams = () => {
      for (const { service } of services) service.drain?.();
    };
    closing.services = () => Promise.all(services.map(({ service }) => service.stop()));
    const byName = new Map(
      services.map(({ name, service }) => [name as ServiceName, service.app.hono.fetch]),
    );
    const pages = createPages({ urls, home, isLocal });
    mountSdks(pages.app, { baseUrl: urls.api, read: () => sdks(env['SDK_FILE']) });
    const web = await openConsole({
      urls,
      env: {
        SESSION_SECRET: secrets.LINK_SECRET,
        OUTGOING_PRIVATE_NETWORKS: ownNetworks(host),
        WEB_FOLDER: env['WEB_FOLDER'],
      },
      findReport: pages.findReport,
    });
    for (const name of ['api', 'events', 'replay', 'management'] as const) {
      const own = name === 'api' ? { pages, console: web.fetch } : {};
      const gateway = createGateway({ services: byName, host: name, servers: urls, ...own });
      mountHealth(gateway, services);
      if (name === 'management') mountServices(gateway, byName);
      if (name === 'api')
        mountIssuer(gateway, { issuer, mayMint: isLocal, otherKeys: `${identityUrl}/jwks` });
      addresses.serve(name, gateway.fetch);
    }
    addresses.serve('console', web.fetch);
    await Promise.all(services.map(({ start }) => start()));
    const prepared = await prepareDemo({
      home,
      issuer,
      urls: { ...urls, issuer: urls.api },
      mail: { mail_dir: join(home, 'mail') },
    });
    pages.show(prepared);
    // Ignores errors, because the schedule also runs the report.
    void prepared.computeReport(stopping.signal).catch(() => undefined);
    return { ...prepared, urls, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function portOf(env: Record<string, string | undefined>): number {
  const port = Number(env['PORT'] || 4000);
  if (Number.isInteger(port) && port >= 0 && port <= 65_531) return port;
  throw new StandaloneError(`PORT=${env['PORT']}: give a number from 0 to 65531; 0 picks free ports.`);
}

/** Returns the SDKs. An image has them in a file. A checkout builds them on first use. */
async function sdks(file: string | undefined): Promise<BuiltSdks> {
  if (file !== undefined) return readSdks(file);
  const { buildSdks } = await import('@switchboard/sdk-files/build');
  return buildSdks();
}

/** Returns the networks of this machine, because the issuer runs on it. */
function ownNetworks(host: string): string {
  const version = isIP(host);
  return ['127.0.0.0/8', '::1/128', ...(version === 0 ? [] : [`${host}/${version === 4 ? 32 : 128}`])].join();
}
