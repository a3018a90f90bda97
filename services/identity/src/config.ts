import type { OpenedService } from '@switchboard/http';
import { hasMailSettings, mailSettings } from '@switchboard/mail';
import {
  commonSettings,
  encryptionSecrets,
  eventLogSettings,
  httpUrl,
  rateLimitsMultiplier,
  redisUrl,
} from '@switchboard/runtime';
import { z } from 'zod';
import { clientList } from './provider/clients.ts';
import { deploymentProviders } from './upstream/providers.ts';

export const identitySettings = z
  .object({
    ...commonSettings,
    ...eventLogSettings,
    ...mailSettings,
    AUTH_ISSUER: httpUrl
      .refine((url) => new URL(url).pathname === '/identity', 'does not end in /identity')
      .describe(
        'Public address of this service, such as https://api.example.com/identity; the issuer of its tokens.',
      ),
    ACCOUNT_SECRET: encryptionSecrets.describe(
      'Secrets for signing keys, sessions and factors at rest: the first one encrypts, all of them decrypt.',
    ),
    OIDC_CLIENTS: clientList.describe(
      'More applications that people sign in to, as JSON: id, name, secret, redirectUris, signedOutUris, api.',
    ),
    SIGN_IN_PROVIDERS: deploymentProviders.describe(
      'Providers that everyone can sign in with, as JSON: kind (oidc or github), id, name, issuer, clientId, clientSecret, scopes.',
    ),
    REDIS_URL: redisUrl
      .optional()
      .describe(
        'Redis in which instances count attempts together; without it each instance counts separately.',
      ),
    RATE_LIMITS_MULTIPLIER: rateLimitsMultiplier,
  })
  .check(hasMailSettings);

export type IdentityConfig = z.output<typeof identitySettings>;
/** The service as its features see it. */
export type Identity = OpenedService<IdentityConfig>;
