import {
  commonSettings,
  eventLogSettings,
  httpUrl,
  integerSetting,
  rolesSetting,
} from '@switchboard/service-kit';
import { z } from 'zod';

export const flagsSettings = z.object({
  ...commonSettings,
  ...eventLogSettings,
  ROLES: rolesSetting(['http', 'user-state']),
  PUBLIC_API_URL: httpUrl.describe(
    'Public base URL of this API. The `socketUrl` of the flag snapshot starts with it.',
  ),
  STATE_TIMEOUT_MS: integerSetting({ min: 10, max: 60_000, fallback: 1000 }).describe(
    'How long an evaluation waits for user state, in milliseconds, before it answers without it.',
  ),
  RULESET_CACHE_BYTES: integerSetting({ min: 1_000_000, max: 64_000_000_000 })
    .optional()
    .meta({ values: 'whole number, 1,000,000 to 64,000,000,000' })
    .describe(
      'Maximum memory of the ruleset cache, in bytes. Default: 40% of the heap beyond 96 MiB, up to 512 MiB.',
    ),
  SOCKETS_PER_ADDRESS: integerSetting({ min: 1, max: 1_000_000, fallback: 1000 }).describe(
    'Maximum open sockets per client address and instance.',
  ),
  SOCKETS_MAX: integerSetting({ min: 1, max: 1_000_000, fallback: 20_000 }).describe(
    'Maximum open sockets per instance. Further connections are refused.',
  ),
});
export type FlagsConfig = z.output<typeof flagsSettings>;
