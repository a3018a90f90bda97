import { MAX_TOKEN_DAYS, region, type ServiceName } from '@switchboard/contracts';
import type { AccessDirectory, OpenedService } from '@switchboard/http';
import { commonSettings, eventLogSettings, integerSetting, rateLimitsMultiplier } from '@switchboard/runtime';
import { z } from 'zod';

/** The services that may hold personal data. Delivery and identity are optional. */
const ERASING = [
  'analytics',
  'archive',
  'collaboration',
  'delivery',
  'flags',
  'identity',
  'ingestion',
  'messenger',
] as const;

/** The path of each issuer that is the service identity. */
const IDENTITY_PATH = '/identity';

export const catalogueSettings = z.object({
  ...commonSettings,
  ...eventLogSettings,
  ERASURE_SERVICES: z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim()))
    .pipe(z.array(z.enum(ERASING, { error: `not a comma-separated list of ${ERASING.join(', ')}` })))
    .optional()
    .meta({ values: `${ERASING.map((name) => `\`${name}\``).join(', ')}, comma separated` })
    .describe(
      'Services that run in every region. An erasure is done once each of them has reported it. Default: all but `delivery`; `identity` only if the path of `AUTH_ISSUER` is `/identity`.',
    ),
  TOKEN_MAX_DAYS: integerSetting({ min: 1, max: MAX_TOKEN_DAYS, fallback: 365 }).describe(
    'Maximum days until a personal access token or service token expires.',
  ),
  ERASURE_REGIONS: z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim()))
    .pipe(z.array(region))
    .optional()
    .meta({ values: 'regions' })
    .describe('Regions in which colleagues are erased. Default: this one and those of all projects.'),
  AUDIT_RETENTION_DAYS: integerSetting({ min: 30, max: 3_650, fallback: 400 }).describe(
    'Days for which entries of the audit trail, and records of finished erasures, are kept.',
  ),
  RATE_LIMITS_MULTIPLIER: rateLimitsMultiplier,
});

export type CatalogueConfig = z.output<typeof catalogueSettings>;

/** Returns the services that an erasure waits for. */
export function erasingServices({
  ERASURE_SERVICES: chosen,
  AUTH_ISSUER: issuer,
}: Pick<CatalogueConfig, 'ERASURE_SERVICES' | 'AUTH_ISSUER'>): ReadonlySet<ServiceName> {
  const hasIdentity = new URL(issuer).pathname === IDENTITY_PATH;
  const isAssumed = (name: ServiceName) => name !== 'delivery' && (name !== 'identity' || hasIdentity);
  return new Set(chosen ?? ERASING.filter(isAssumed));
}
/** The service as its features see it. It reads its own tables instead of a replica of the directory. */
export type Catalogue = OpenedService<CatalogueConfig, AccessDirectory>;
