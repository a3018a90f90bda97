import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** Returns the schema of an environment variable with an integer from min to max. */
export function integerSetting({ min, max, fallback }: { min: number; max: number; fallback?: number }) {
  const number = z
    .string()
    .regex(/^-?\d{1,15}$/, 'not a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `not between ${min} and ${max}`)
    .meta({ values: `${min.toLocaleString('en')} to ${max.toLocaleString('en')}` });
  return fallback === undefined ? number : number.default(fallback);
}

const MAX_RETENTION_DAYS = 36_500;

/** Returns the schema of days after which data is removed. It is optional; without it, data is kept forever. */
export const retentionDays = (min = 1) => integerSetting({ min, max: MAX_RETENTION_DAYS });

/** The setting RATE_LIMITS_MULTIPLIER. Services multiply their rate limits by it, except those that the API states. */
export const rateLimitsMultiplier = integerSetting({ min: 1, max: 10_000, fallback: 1 }).describe(
  'Multiplies the rate limits of this service, for many people behind one address or for load tests.',
);

/** The setting SOCKETS_MAX. */
export const socketsMax = integerSetting({ min: 1, max: 1_000_000, fallback: 20_000 }).describe(
  'Open sockets per instance; an address gets at most a tenth of them.',
);

/** An absolute http(s) address without a trailing slash. */
export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'not an http or https address' })
  .transform((url) => url.replace(/\/+$/, ''))
  .meta({ values: 'URL' });

/** A setting that is JSON. */
export const jsonText = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'not valid JSON' });
    return z.NEVER;
  }
});

/** The address of a PostgreSQL database, with user and password. */
export const postgresUrl = z
  .url({ protocol: /^postgres(ql)?$/, error: 'not a postgres:// address' })
  .meta({ values: 'postgres:// address', secret: true });

/** A network: its address and the length of its prefix. */
export type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** Networks in CIDR notation. */
export const networkList = z
  .string()
  .transform((list) => list.split(',').flatMap((part) => part.trim() || []))
  .refine(
    (list) => list.every((part) => ipaddr.isValidCIDR(part)),
    'not a comma-separated list of networks such as 10.0.0.0/8',
  )
  .transform((list): readonly Network[] => list.map((part) => ipaddr.parseCIDR(part)))
  .optional()
  .meta({ values: 'CIDR networks' });

/** The address of a Redis server. */
export const redisUrl = z
  .url({ protocol: /^rediss?$/, error: 'not a redis:// address' })
  .meta({ values: 'redis:// or rediss:// address', secret: true });

/**
 * Returns the schema of the setting ROLES: the parts of the service that a process runs, so that consumers scale and
 * restart independently of HTTP. Default: all. Every process serves /health/* and /metrics.
 */
export function rolesSetting<const R extends string>(roles: readonly [R, ...R[]]) {
  const role = z.enum(roles, { error: `not a comma-separated list of ${roles.join(', ')}` });
  return z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim()))
    .pipe(z.array(role))
    .default([...roles])
    .transform((chosen): ReadonlySet<R> => new Set(chosen))
    .meta({ values: `${roles.map((name) => `\`${name}\``).join(', ')}, comma separated` })
    .describe('Parts of the service that this process runs.');
}

const MAX_WORKERS = 64;

/** Returns the schema of the setting WORKERS: a number of processes, or as many as the machine has room for. */
export function workersSetting() {
  return z
    .string()
    .regex(/^(auto|\d{1,2})$/, 'not auto or a whole number')
    .transform((text): number | 'auto' => (text === 'auto' ? text : Number(text)))
    .refine(
      (value) => value === 'auto' || (value >= 1 && value <= MAX_WORKERS),
      `not between 1 and ${MAX_WORKERS}`,
    )
    .default(1)
    .meta({ values: `1 to ${MAX_WORKERS}, \`auto\`` });
}

/** Requires all of these settings or none; for `z.object(...).check(...)`. */
export function together(names: readonly string[]) {
  return ({ value, issues }: z.core.ParsePayload<Record<string, unknown>>) => {
    const missing = names.filter((name) => value[name] === undefined);
    if (missing.length === 0 || missing.length === names.length) return;
    const message = `required, since ${names.find((name) => !missing.includes(name))} is set`;
    for (const name of missing) issues.push({ code: 'custom', input: value, path: [name], message });
  };
}
