import type { OpenedService } from '@switchboard/http';
import {
  commonSettings,
  encryptionSecrets,
  eventLogSettings,
  httpUrl,
  integerSetting,
  retentionDays,
  rolesSetting,
  socketsMax,
} from '@switchboard/runtime';
import { z } from 'zod';

export const flagsSettings = z.object({
  ...commonSettings,
  ...eventLogSettings,
  ROLES: rolesSetting(['http', 'user-state']),
  PUBLIC_API_URL: httpUrl.describe('Public address of this API, for `socketUrl` and hooks of flags.'),
  STATE_TIMEOUT_MS: integerSetting({ min: 10, max: 60_000, fallback: 1000 }).describe(
    'Milliseconds that an evaluation waits for user state; after that it ignores user state.',
  ),
  PEOPLE_RETENTION_DAYS: retentionDays()
    .optional()
    .describe(
      'Days without an identify or group call after which a person or group is removed. Default: never.',
    ),
  WEBHOOK_SECRET: encryptionSecrets.describe(
    'Secrets for the secrets of hooks at rest: the first one encrypts, all of them decrypt.',
  ),
  SOCKETS_MAX: socketsMax,
});
export type FlagsConfig = z.output<typeof flagsSettings>;
/** The service as its features see it. */
export type FlagsService = OpenedService<FlagsConfig>;
