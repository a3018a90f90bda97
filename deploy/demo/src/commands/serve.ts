import { listen } from '@switchboard/http';
import { createLogger, httpUrl, integerSetting, parseConfig, shutDownInOrder } from '@switchboard/runtime';
import { Hono } from 'hono';
import { z } from 'zod';
import { createManagementProxy, mountIssuer } from '../dev-servers.ts';
import { demoFile, readIfExists } from '../files.ts';
import { openIssuer } from '../issuer.ts';
import { allowedHosts, localAccess } from '../local-access.ts';
import { passOn } from '../pass-on.ts';

const port = (fallback: number) => integerSetting({ min: 0, max: 65_535, fallback });

const settings = z.object({
  DEMO_HOME: z.string(),
  AUTH_ISSUER: z.string(),
  HOST: z.string().default('::'),
  ALLOWED_HOSTS: z.string().optional().transform(allowedHosts),
  PORT: port(3000),
  MANAGEMENT_PORT: port(3001),
  IDENTITY_PORT: port(3002),
  SWITCHBOARD_CATALOGUE_URL: httpUrl,
  SWITCHBOARD_COLLABORATION_URL: httpUrl,
  SWITCHBOARD_MESSENGER_URL: httpUrl,
  SWITCHBOARD_FLAGS_URL: httpUrl,
  SWITCHBOARD_ARCHIVE_URL: httpUrl,
  SWITCHBOARD_ANALYTICS_URL: httpUrl,
  SWITCHBOARD_IDENTITY_URL: httpUrl.default('http://identity:3000'),
  SWITCHBOARD_DELIVERY_URL: httpUrl.default('http://delivery:3000'),
});

const GRACE_MS = 2000;

/**
 * Serves a token issuer that mints for anyone, a single address for the management API, and the address of the service
 * identity, which may not run.
 * For one machine only: publish its ports on loopback.
 */
export async function serve(env: NodeJS.ProcessEnv): Promise<void> {
  const config = parseConfig(settings, env);
  const { DEMO_HOME: home, HOST: host } = config;
  const issuer = new Hono<{ Bindings: object }>();
  mountIssuer(issuer, {
    issuer: await openIssuer(home, config.AUTH_ISSUER),
    mayMint: true,
    otherKeys: `${config.SWITCHBOARD_IDENTITY_URL}/identity/jwks`,
  });
  issuer.get('/health/:kind', (c) => c.json({ status: 'ready' }));
  issuer.get('/demo.json', async (c) => {
    const demo = await readIfExists(demoFile(home));
    const headers = { 'Content-Type': 'application/json', 'Cross-Origin-Resource-Policy': 'same-origin' };
    if (demo !== undefined) return c.body(demo, 200, { ...headers, 'X-Content-Type-Options': 'nosniff' });
    const message = 'The demo is being created. Retry after the time in Retry-After.';
    return c.json({ error: { code: 'UNAVAILABLE', message } }, 503, { 'Retry-After': '1' });
  });
  const management = createManagementProxy({
    catalogue: config.SWITCHBOARD_CATALOGUE_URL,
    collaboration: config.SWITCHBOARD_COLLABORATION_URL,
    messenger: config.SWITCHBOARD_MESSENGER_URL,
    flags: config.SWITCHBOARD_FLAGS_URL,
    archive: config.SWITCHBOARD_ARCHIVE_URL,
    analytics: config.SWITCHBOARD_ANALYTICS_URL,
    identity: config.SWITCHBOARD_IDENTITY_URL,
    delivery: config.SWITCHBOARD_DELIVERY_URL,
  });
  const withoutIdentity = () => {
    const message =
      'The service identity does not run. Start Compose with --env-file deploy/docker/identity.env.';
    const body = { error: { code: 'UNAVAILABLE', message } };
    return Response.json(body, { status: 503, headers: { 'Retry-After': '5' } });
  };
  const guarded = { hosts: config.ALLOWED_HOSTS, ownPagesOnly: true };
  const servers = await Promise.all([
    listen({ host, port: config.PORT, fetch: localAccess(issuer.fetch, guarded) }),
    listen({ host, port: config.MANAGEMENT_PORT, fetch: localAccess(management.fetch, guarded) }),
    // In Compose's network only, behind the gateway.
    listen({
      host,
      port: config.IDENTITY_PORT,
      fetch: passOn(config.SWITCHBOARD_IDENTITY_URL, withoutIdentity).fetch,
    }),
  ]);
  shutDownInOrder({
    log: createLogger({ service: 'demo', level: 'warn' }),
    close: async () => void (await Promise.all(servers.map((server) => server.close(GRACE_MS)))),
  });
}
