import {
  commonSettings,
  encryptionSecrets,
  httpUrl,
  jsonText,
  rateLimitsMultiplier,
} from '@switchboard/runtime';
import { z } from 'zod';

const { PORT, HOST, TLS_CERT_FILE, TLS_KEY_FILE, TLS_CLIENT_CA_FILE, LOG_LEVEL, REVISION, DRAIN_MS } =
  commonSettings;
const { OUTGOING_PRIVATE_NETWORKS, OUTGOING_PROXY_URL, OUTGOING_PROXY_BYPASS } = commonSettings;
const { TRUSTED_PROXY_HOPS, ALLOW_DEVELOPMENT_CREDENTIALS } = commonSettings;

/** The console has no database and takes no events, so it has few of the common settings. */
export const consoleSettings = z.object({
  ...{ PORT, HOST, TLS_CERT_FILE, TLS_KEY_FILE, TLS_CLIENT_CA_FILE, LOG_LEVEL, REVISION, DRAIN_MS },
  ...{ OUTGOING_PRIVATE_NETWORKS, OUTGOING_PROXY_URL, OUTGOING_PROXY_BYPASS },
  ...{ TRUSTED_PROXY_HOPS, ALLOW_DEVELOPMENT_CREDENTIALS },
  CONSOLE_URL: httpUrl.describe('Public address of the console. The provider sends people to /signed-in.'),
  PUBLIC_API_URL: httpUrl.describe('Public address of the API host.'),
  PUBLIC_EVENTS_URL: httpUrl.describe('Public address of the events host.'),
  PUBLIC_REPLAY_URL: httpUrl.describe('Public address of the replay host.'),
  OIDC_ISSUER: httpUrl.describe('OpenID provider, such as https://api.example.com/identity.'),
  OIDC_INTERNAL_URL: httpUrl
    .optional()
    .describe('Address of the provider for requests of this service. Default: OIDC_ISSUER.'),
  OIDC_CLIENT_ID: z.string().default('console').describe('Client id of the console at the provider.'),
  OIDC_CLIENT_SECRET: z
    .string()
    .optional()
    .meta({ secret: true })
    .describe('Client secret. Without it, the console is a public client.'),
  OIDC_SCOPES: z
    .string()
    .default('openid profile email offline_access')
    .describe(
      'Scopes of the sign-in. offline_access, or what the provider has for it, gives a refresh token.',
    ),
  OIDC_AUDIENCE: z
    .string()
    .optional()
    .describe('The parameter `audience` of the sign-in, for providers that need it to issue API tokens.'),
  SESSION_SECRET: encryptionSecrets.describe(
    'Secrets for the cookies of sessions: the first one encrypts, all of them decrypt.',
  ),
  MANAGEMENT_URLS: jsonText
    .pipe(z.record(z.string().regex(/^[a-z-]{1,40}$/, 'not the name of a service'), httpUrl))
    .optional()
    .meta({ values: 'JSON' })
    .describe(
      'Internal address of each service, as JSON such as {"catalogue": "http://catalogue:3000"}. Default: no pages for operators, and /mcp calls PUBLIC_API_URL.',
    ),
  RATE_LIMITS_MULTIPLIER: rateLimitsMultiplier,
  WEB_FOLDER: z.string().default('web').describe('Folder of the built application.'),
});

export type ConsoleConfig = z.output<typeof consoleSettings>;
