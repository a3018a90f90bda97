import type { OpenedService } from '@switchboard/http';
import {
  commonSettings,
  completeS3,
  eventLogSettings,
  integerSetting,
  objectStoreSettings,
  requireObjectStore,
  retentionDays,
  rolesSetting,
} from '@switchboard/runtime';
import { z } from 'zod';

export const archiveSettings = z
  .object({
    ...commonSettings,
    ...eventLogSettings,
    ROLES: rolesSetting(['http', 'events', 'replays']),
    ...objectStoreSettings,
    EVENTS_RETENTION_HOURS: integerSetting({ min: 1, max: 87_600, fallback: 168 }).describe(
      'Same value as in ingestion.',
    ),
    ARCHIVE_FILE_SECONDS: integerSetting({ min: 1, max: 86_400, fallback: 30 }).describe(
      'Seconds after which an event is written to a file.',
    ),
    ARCHIVE_RETENTION_DAYS: retentionDays(2)
      .optional()
      .describe('Days after which archived events are removed, one UTC day at a time. Default: never.'),
    RECORDINGS_RETENTION_DAYS: retentionDays()
      .optional()
      .describe('Days after which a session recording is removed. Default: never.'),
    ARCHIVE_SEEN_BYTES: integerSetting({
      min: 100_000_000,
      max: 100_000_000_000_000,
      fallback: 107_374_182_400,
    }).describe(
      'Bytes in PostgreSQL for recognising events sent again within seven days; above it the earliest day is dropped.',
    ),
  })
  .check(completeS3)
  .check(requireObjectStore);

/** The service as its features see it. */
export type Archive = OpenedService<z.output<typeof archiveSettings>>;
