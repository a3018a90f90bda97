import { region } from '@switchboard/contracts';
import { z } from 'zod';
import { httpUrl, integerSetting, postgresUrl } from './fields.ts';
import { outgoingSettings } from './outgoing.ts';
import { processSettings } from './process.ts';
import { tlsSettings } from './tls.ts';

/** The longest time in milliseconds that an instance serves after SIGTERM. */
export const LONGEST_DRAIN_MS = 5_000;

/** The settings of every service. Spread them into its `z.object`. */
export const commonSettings = {
  PORT: integerSetting({ min: 0, max: 65_535, fallback: 3000 }).describe(
    'Port to listen on; 0 picks a free one.',
  ),
  HOST: z.string().default('::').describe('Address to listen on; `::` means all IPv6 and IPv4 addresses.'),
  ...tlsSettings,
  LOG_LEVEL: processSettings.LOG_LEVEL,
  REGION: region
    .meta({ values: 'up to 16 of a-z and 0-9, the first one a letter' })
    .describe('Region of this deployment. Project keys of other regions are rejected.'),
  TRUSTED_PROXY_HOPS: integerSetting({ min: 0, max: 10, fallback: 0 }).describe(
    'The number of your proxies in front of the service. Each adds an X-Forwarded-For entry.',
  ),
  DRAIN_MS: integerSetting({ min: 0, max: LONGEST_DRAIN_MS, fallback: 2000 }).describe(
    'Milliseconds of serving after SIGTERM; must be longer than load balancers take to notice. While requests keep arriving, serving continues for up to 5 s.',
  ),
  REVISION: processSettings.REVISION,
  WORKERS: processSettings.WORKERS,
  MAX_BYTES_IN_FLIGHT: integerSetting({
    min: 1_000_000,
    max: 64_000_000_000,
    fallback: 134_217_728,
  }).describe(
    'Maximum bytes in memory for request bodies, parsed bodies and unacknowledged records; above it requests get 503. An address or project gets at most half.',
  ),
  AUTH_ISSUER: z.string().min(1).describe('Issuer (iss) of access tokens.'),
  AUTH_AUDIENCE: z.string().min(1).describe('Audience (aud) of access tokens.'),
  AUTH_JWKS_URL: httpUrl.describe('JSON Web Key Set of the issuer.'),
  AUTH_TOKEN_TYP: z
    .string()
    .regex(/^[\w.+/-]{1,100}$/, 'not a media type')
    .optional()
    .meta({ values: 'media type' })
    .describe('The `typ` that access tokens must have in their header, such as `at+jwt`. Default: any.'),
  AUTH_TOKEN_MAX_AGE_SECONDS: integerSetting({ min: 60, max: 31_536_000 })
    .optional()
    .describe('Seconds after `iat` at which an access token expires. Default: only `exp` counts.'),
  ...outgoingSettings,
  CONSOLE_URL: httpUrl.describe('Address of the console. Its pages may call console operations.'),
  ALLOW_DEVELOPMENT_CREDENTIALS: z
    .stringbool({ truthy: ['true'], falsy: ['false'], error: 'not true or false' })
    .default(false)
    .meta({ values: '`true`, `false`' })
    .describe('Accept the public secrets of `docker-compose.yml`, for a demo on one machine.'),
  DATABASE_URL: postgresUrl.describe(
    'PostgreSQL database of this service; if DIRECT_DATABASE_URL is set, the address of a pooler in front of it.',
  ),
  DIRECT_DATABASE_URL: postgresUrl
    .optional()
    .describe(
      'The same database and role, without the pooler of DATABASE_URL. For LISTEN, migrations and jobs.',
    ),
  DATABASE_POOL_SIZE: integerSetting({ min: 2, max: 500, fallback: 10 }).describe(
    'Connections of a worker for queries. A project uses at most 80% of them.',
  ),
  MIGRATIONS_DATABASE_URL: postgresUrl
    .optional()
    .describe(
      'The same database with the role that owns and migrates its tables. Default: DIRECT_DATABASE_URL or DATABASE_URL.',
    ),
};
