import { randomUUID } from 'node:crypto';
import { createEncryption, createSender, type Health, type Logger } from '@switchboard/runtime';
import { Hono } from 'hono';
import type { Assets } from './assets/assets.ts';
import { assetsRoutes } from './assets/routes.ts';
import type { ConsoleConfig } from './config.ts';
import { createCookies } from './session/cookies.ts';
import { createProvider } from './session/provider.ts';
import { createRenewals } from './session/renewals.ts';
import { sessionRoutes } from './session/routes.ts';

interface ConsoleOptions {
  config: ConsoleConfig;
  assets: Assets;
  health: Health;
  logger: Pick<Logger, 'failed'>;
}

const PROVIDER_TIMEOUT_MS = 5_000;
const MAX_PROVIDER_BYTES = 262_144;

/** Creates the console: the files of the application, and the sessions of the people who use it. */
export function createConsole({ config, assets, health, logger }: ConsoleOptions): Hono {
  const app = new Hono();
  const hosts = {
    api: config.PUBLIC_API_URL,
    events: config.PUBLIC_EVENTS_URL,
    replay: config.PUBLIC_REPLAY_URL,
  };
  const consoleUrl = config.CONSOLE_URL;
  const provider = createProvider({
    issuer: config.OIDC_ISSUER,
    clientId: config.OIDC_CLIENT_ID,
    clientSecret: config.OIDC_CLIENT_SECRET,
    scopes: config.OIDC_SCOPES,
    parameters: config.OIDC_AUDIENCE === undefined ? {} : { audience: config.OIDC_AUDIENCE },
    consoleUrl,
    send: createSender({ config, timeoutMs: PROVIDER_TIMEOUT_MS, maxBytes: MAX_PROVIDER_BYTES }),
  });
  const encryption = createEncryption({ secrets: config.SESSION_SECRET, purpose: 'sessions of the console' });

  app.get('/health/live', (c) => c.json({ status: 'live' }));
  app.get('/health/serving', (c) =>
    c.json({ status: health.isServing() ? 'serving' : 'not serving' }, health.isServing() ? 200 : 503),
  );
  app.get('/health/ready', async (c) => {
    const problems = await health.problems();
    const ready = Object.keys(problems).length === 0;
    return c.json({ status: ready ? 'ready' : 'not ready', problems }, ready ? 200 : 503);
  });
  sessionRoutes(app, {
    provider,
    renew: createRenewals(provider),
    cookies: createCookies(encryption, consoleUrl.startsWith('https:')),
    consoleUrl,
    hosts,
  });
  assetsRoutes(app, { assets, hosts });
  app.onError((error, c) => {
    logger.failed('serve session', error);
    const message = 'The identity provider does not answer. Try again in a minute.';
    const headers = { 'Cache-Control': 'no-store', 'Retry-After': '5', 'X-Request-Id': randomUUID() };
    return c.json({ error: { code: 'UNAVAILABLE', message } }, 503, headers);
  });
  return app;
}
