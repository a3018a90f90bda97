import { region } from '@switchboard/contracts';
import { z } from 'zod';

/** The settings are wrong. The message names every bad variable and is all that a person needs. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Reads settings from environment variables, once. An empty variable counts as unset.
 * Throws ConfigError with one message that names every missing or wrong variable; values are not repeated,
 * since they may be secrets.
 */
export function parseConfig<S extends z.ZodType>(
  schema: S,
  env: Record<string, string | undefined>,
): z.output<S> {
  const set = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(set);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0] ?? 'environment');
    const missing = set[name] === undefined;
    return `  ${name}: ${missing && issue.code === 'invalid_type' ? 'required' : lower(issue.message)}`;
  });
  throw new ConfigError(`These environment variables are missing or wrong:\n${problems.join('\n')}`);
}

function lower(message: string): string {
  const text = message.replace(/^Invalid input: /, '');
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** An environment variable that holds a whole number of min to max. */
export function integerSetting({ min, max, fallback }: { min: number; max: number; fallback?: number }) {
  const number = z
    .string()
    .regex(/^-?\d{1,15}$/, 'not a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `not between ${min} and ${max}`)
    .meta({ values: `whole number, ${min.toLocaleString('en')} to ${max.toLocaleString('en')}` });
  return fallback === undefined ? number : number.default(fallback);
}

/** An absolute http(s) address without a trailing slash. */
export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'not an http or https address' })
  .transform((url) => url.replace(/\/+$/, ''))
  .meta({ values: 'http or https address' });

/** The address of a PostgreSQL database, with user and password. */
export const postgresUrl = z
  .url({ protocol: /^postgres(ql)?$/, error: 'not a postgres:// address' })
  .meta({ values: 'postgres:// address', secret: true });

/** The address of a Redis server. */
export const redisUrl = z
  .url({ protocol: /^rediss?$/, error: 'not a redis:// address' })
  .meta({ values: 'redis:// or rediss:// address', secret: true });

/**
 * The setting ROLES: which of its work a process of this service does, so that consumers can be scaled and
 * restarted apart from HTTP. Unset: all of it. Every process answers /health/* and /metrics, whatever its roles.
 */
export function rolesSetting<const R extends string>(roles: readonly [R, ...R[]]) {
  const role = z.enum(roles, { error: `not a comma-separated list out of ${roles.join(', ')}` });
  return z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim()))
    .pipe(z.array(role))
    .default([...roles])
    .transform((chosen): ReadonlySet<R> => new Set(chosen))
    .meta({ values: `${roles.map((name) => `\`${name}\``).join(', ')}, comma separated` })
    .describe('Work that this process does. All of it when unset.');
}

/** The settings that every service has; spread into its own `z.object`. */
export const commonSettings = {
  PORT: integerSetting({ min: 0, max: 65_535, fallback: 3000 }).describe(
    'Port to listen on; 0 picks a free one.',
  ),
  HOST: z.string().default('0.0.0.0').describe('Address to listen on.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Least severe level that is logged; debug also logs every successful request.'),
  REGION: region
    .meta({ values: 'a letter a-z, then up to 15 of a-z and 0-9' })
    .describe('Region of this deployment; project keys of another region are refused.'),
  TRUSTED_PROXY_HOPS: integerSetting({ min: 0, max: 10, fallback: 0 }).describe(
    'How many X-Forwarded-For entries, from the right, proxies of yours have added.',
  ),
  DRAIN_MS: integerSetting({ min: 0, max: 5000, fallback: 2000 }).describe(
    'How long it goes on taking requests once it says it is leaving; longer than load balancers take to notice.',
  ),
  MAX_BYTES_IN_FLIGHT: integerSetting({
    min: 1_000_000,
    max: 64_000_000_000,
    fallback: 134_217_728,
  }).describe('Bound on request bodies held in memory, in bytes; past it requests are answered 503.'),
  AUTH_ISSUER: z.string().min(1).describe('Issuer (iss) of access tokens.'),
  AUTH_AUDIENCE: z.string().min(1).describe('Audience (aud) of access tokens.'),
  AUTH_JWKS_URL: httpUrl.describe('Address of the issuer’s JSON Web Key Set.'),
  CONSOLE_URL: httpUrl.describe('Address of the console; its origin may call console operations.'),
  DATABASE_URL: postgresUrl.describe('PostgreSQL database of this service.'),
};

/** Where the event log is: Kafka when KAFKA_BROKERS is set, else a PostgreSQL database. */
export const eventLogSettings = {
  KAFKA_BROKERS: z
    .string()
    .transform((list) => list.split(',').map((broker) => broker.trim()))
    .refine((list) => list.every((broker) => /^[^\s:]+:\d+$/.test(broker)), 'not host:port, comma separated')
    .optional()
    .meta({ values: 'host:port, comma separated' })
    .describe('Kafka bootstrap brokers, host:port, comma separated.'),
  KAFKA_TLS: z
    .stringbool({ truthy: ['true'], falsy: ['false'], error: 'not true or false' })
    .default(false)
    .meta({ values: '`true`, `false`' })
    .describe('Talk TLS to the brokers; NODE_EXTRA_CA_CERTS names an authority of your own.'),
  KAFKA_SASL_MECHANISM: z
    .enum(['plain', 'scram-sha-256', 'scram-sha-512'])
    .default('scram-sha-512')
    .describe('How KAFKA_USERNAME and KAFKA_PASSWORD are proven to the brokers.'),
  KAFKA_USERNAME: z.string().optional().describe('User at the brokers; none: the brokers ask for none.'),
  KAFKA_PASSWORD: z.string().optional().meta({ secret: true }).describe('Password of KAFKA_USERNAME.'),
  KAFKA_COMPRESSION: z
    .enum(['none', 'gzip', 'zstd'])
    .default('zstd')
    .describe('How records are compressed on their way to Kafka.'),
  KAFKA_LANES: integerSetting({ min: 1, max: 16, fallback: 1 }).describe(
    'Producers that split the partitions among them, each with one send under way; one gathers best.',
  ),
  EVENT_LOG_DATABASE_URL: postgresUrl
    .optional()
    .describe('PostgreSQL database that serves as the event log where there is no Kafka.'),
  TOPIC_PARTITIONS: integerSetting({ min: 1, max: 1000, fallback: 4 }).describe(
    'Partitions of a topic when it is created. Changing it later is refused: a person’s order depends on it.',
  ),
  TOPIC_REPLICATION: integerSetting({ min: 1, max: 10, fallback: 1 }).describe('Replicas of each partition.'),
};
