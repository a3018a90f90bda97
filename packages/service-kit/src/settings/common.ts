import { region } from '@switchboard/contracts';
import { z } from 'zod';
import { httpUrl, integerSetting, postgresUrl } from './fields.ts';
import { outgoingSettings } from './outgoing.ts';

/** The settings of every service, to be spread into its own `z.object`. */
export const commonSettings = {
  PORT: integerSetting({ min: 0, max: 65_535, fallback: 3000 }).describe(
    'Port to listen on; 0 picks a free one.',
  ),
  HOST: z.string().default('0.0.0.0').describe('Address to listen on.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Lowest level that is logged. debug also logs every successful request.'),
  REGION: region
    .meta({ values: 'a letter a-z, then up to 15 of a-z and 0-9' })
    .describe('Region of this deployment. Project keys of other regions are rejected.'),
  TRUSTED_PROXY_HOPS: integerSetting({ min: 0, max: 10, fallback: 0 }).describe(
    'Number of your own proxies in front of the service, each of which adds an X-Forwarded-For entry.',
  ),
  DRAIN_MS: integerSetting({ min: 0, max: 5000, fallback: 2000 }).describe(
    'Time between SIGTERM and the end of accepting requests, in milliseconds. Longer than load balancers take to notice.',
  ),
  MAX_BYTES_IN_FLIGHT: integerSetting({
    min: 1_000_000,
    max: 64_000_000_000,
    fallback: 134_217_728,
  }).describe(
    'Bound on the bytes of request bodies, of what parsing makes of them and of unacknowledged records held in memory; requests beyond it get 503. An address or a project gets no more than is free, so at most half.',
  ),
  AUTH_ISSUER: z.string().min(1).describe('Issuer (iss) of access tokens.'),
  AUTH_AUDIENCE: z.string().min(1).describe('Audience (aud) of access tokens.'),
  AUTH_JWKS_URL: httpUrl.describe('URL of the JSON Web Key Set of the issuer.'),
  ...outgoingSettings,
  CONSOLE_URL: httpUrl.describe('URL of the console. Its origin may call console operations from a browser.'),
  ALLOW_DEVELOPMENT_CREDENTIALS: z
    .stringbool({ truthy: ['true'], falsy: ['false'], error: 'not true or false' })
    .default(false)
    .meta({ values: '`true`, `false`' })
    .describe(
      'Start with the public secrets of `docker-compose.yml`. For a demo on one machine; every service refuses them otherwise.',
    ),
  DATABASE_URL: postgresUrl.describe('PostgreSQL database of this service.'),
};
