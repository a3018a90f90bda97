import { createRateLimits, RateLimited } from '@switchboard/http';
import { createEncryption, type Health, type Logger, type Metrics, systemClock } from '@switchboard/runtime';
import { Hono } from 'hono';
import type { Assets } from './assets/assets.ts';
import { assetsRoutes } from './assets/routes.ts';
import type { ConsoleConfig } from './config.ts';
import { healthRoutes } from './health/routes.ts';
import { createCallAs } from './mcp/api.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { operatorRoutes } from './operator/routes.ts';
import { observe } from './requests/observe.ts';
import { createCookies } from './session/cookies.ts';
import { respondWithError } from './session/errors.ts';
import { createLimits } from './session/limits.ts';
import { createRenewals } from './session/renewals.ts';
import { sessionRoutes } from './session/routes.ts';
import { openProvider } from './wiring/provider.ts';

interface ConsoleOptions {
  config: ConsoleConfig;
  assets: Assets;
  health: Health;
  logger: Pick<Logger, 'failed'>;
  metrics: Metrics;
  /** The time limit of a call of an API in milliseconds, for tests. */
  callMs?: number;
}

/** Creates the console: the files of the application, the sessions of its people, and the server for their models. */
export function createConsole({ config, assets, health, logger, metrics, callMs }: ConsoleOptions): Hono {
  const app = new Hono();
  const hosts = {
    api: config.PUBLIC_API_URL,
    events: config.PUBLIC_EVENTS_URL,
    replay: config.PUBLIC_REPLAY_URL,
  };
  const consoleUrl = config.CONSOLE_URL;
  const provider = openProvider(config, metrics);
  const encryption = createEncryption({ secrets: config.SESSION_SECRET, purpose: 'sessions of the console' });

  const shared = {
    limits: createLimits(createRateLimits(undefined), config.RATE_LIMITS_MULTIPLIER),
    trustedHops: config.TRUSTED_PROXY_HOPS,
    cookies: createCookies(encryption, { isSecure: consoleUrl.startsWith('https:'), clock: systemClock }),
    consoleUrl,
  };

  app.use(observe(metrics));
  healthRoutes(app, { health, metrics });
  sessionRoutes(app, {
    provider,
    renew: createRenewals(provider),
    ...shared,
    hosts,
    hasOperatorPages: config.MANAGEMENT_URLS !== undefined,
  });
  operatorRoutes(app, { urls: config.MANAGEMENT_URLS, ...shared, callMs });
  const callAs = createCallAs({ apiUrl: hosts.api, urls: config.MANAGEMENT_URLS, logger, callMs });
  mcpRoutes(app, { callAs, ...shared });
  assetsRoutes(app, { assets, hosts, consoleUrl });
  app.onError((error, c) => {
    c.header('Cache-Control', 'no-store');
    if (error instanceof RateLimited) return respondWithError(c, 429, error, { ...error.headers });
    logger.failed('serve session', error);
    const message = 'The identity provider does not answer. Try again in a minute.';
    return respondWithError(c, 503, { code: 'UNAVAILABLE', message }, { 'Retry-After': '5' });
  });
  return app;
}
