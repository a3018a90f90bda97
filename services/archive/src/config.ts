import {
  commonSettings,
  eventLogSettings,
  integerSetting,
  objectStoreSettings,
  requireObjectStore,
  rolesSetting,
  s3Settings,
  together,
} from '@switchboard/service-kit';
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
    ARCHIVE_FILE_BYTES: integerSetting({ min: 1, max: 1_000_000_000, fallback: 8_388_608 }).describe(
      'Bytes of JSON per partition that trigger its files; a file is several times smaller.',
    ),
    ARCHIVE_FILE_SECONDS: integerSetting({ min: 1, max: 86_400, fallback: 300 }).describe(
      'Longest wait of an event for its file.',
    ),
    ARCHIVE_REPLACED_MINUTES: integerSetting({ min: 1, max: 43_200, fallback: 60 }).describe(
      'How long files that were merged stay for those who are reading them.',
    ),
    ARCHIVE_BUFFER_BYTES: integerSetting({ min: 1, max: 64_000_000_000, fallback: 33_554_432 }).describe(
      'Bytes of JSON per process past which files are written early.',
    ),
  })
  .check(together(s3Settings))
  .check(requireObjectStore);
