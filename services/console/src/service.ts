import { createRateLimits, RateLimited } from '@switchboard/http';
import {
  createEncryption,
  createSender,
  type Health,
  type Logger,
  type Metrics,
  measureCalls,
} from '@switchboard/runtime';
import { Hono } from 'hono';
import type { Assets } from './assets/assets.ts';
import { assetsRoutes } from './assets/routes.ts';
import type { ConsoleConfig } from './config.ts';
import { healthRoutes } from './health/routes.ts';
import { observe } from './requests/observe.ts';
import { createCookies } from './session/cookies.ts';
import { respondWithError } from './session/errors.ts';
import { createLimits } from './session/limits.ts';
import { createProvider } from './session/provider.ts';
import { createRenewals } from './session/renewals.ts';
import { sessionRoutes } from './session/routes.ts';

interface ConsoleOptions {
  config: ConsoleConfig;
  assets: Assets;
  health: Health;
  logger: Pick<Logger, 'failed'>;
  metrics: Metrics;
}

const PROVIDER_TIMEOUT_MS = 5_000;
const MAX_PROVIDER_BYTES = 262_144;

/** Creates the console: the files of the application, and the sessions of the people who use it. */
export function createConsole({ config, assets, health, logger, metrics }: ConsoleOptions): Hono {
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
    internalUrl: config.OIDC_INTERNAL_URL,
    send: createSender({
      config,
      timeoutMs: PROVIDER_TIMEOUT_MS,
      maxBytes: MAX_PROVIDER_BYTES,
      measure: measureCalls({ metrics, dependency: 'identity provider' }),
    }),
  });
  const encryption = createEncryption({ secrets: config.SESSION_SECRET, purpose: 'sessions of the console' });

  app.use(observe(metrics));
  healthRoutes(app, { health, metrics });
  sessionRoutes(app, {
    provider,
    renew: createRenewals(provider),
    limits: createLimits(createRateLimits(undefined), config.RATE_LIMITS_MULTIPLIER),
    trustedHops: config.TRUSTED_PROXY_HOPS,
    cookies: createCookies(encryption, consoleUrl.startsWith('https:')),
    consoleUrl,
    hosts,
  });
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
