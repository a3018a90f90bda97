import { createSender, type Metrics, measureCalls } from '@switchboard/runtime';
import type { ConsoleConfig } from '../config.ts';
import { createProvider, type Provider } from '../session/provider.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 262_144;

/** Opens the OpenID provider of the settings. */
export const openProvider = (config: ConsoleConfig, metrics: Metrics): Provider =>
  createProvider({
    issuer: config.OIDC_ISSUER,
    clientId: config.OIDC_CLIENT_ID,
    clientSecret: config.OIDC_CLIENT_SECRET,
    scopes: config.OIDC_SCOPES,
    parameters: config.OIDC_AUDIENCE === undefined ? {} : { audience: config.OIDC_AUDIENCE },
    consoleUrl: config.CONSOLE_URL,
    internalUrl: config.OIDC_INTERNAL_URL,
    send: createSender({
      config,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      measure: measureCalls({ metrics, dependency: 'identity provider' }),
    }),
  });
