import {
  backfillRate,
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

/** The URL of ClickHouse's HTTP interface, with user, password and database. */
const clickHouseUrl = z
  .url({ protocol: /^https?$/, error: 'not an http or https address' })
  .meta({ values: 'http:// or https:// address', secret: true });

export const analyticsSettings = z
  .object({
    ...commonSettings,
    ...eventLogSettings,
    ROLES: rolesSetting(['http', 'files', 'people', 'clickhouse']),
    ...objectStoreSettings,
    PEOPLE_RETENTION_DAYS: retentionDays().optional().describe('Same value as in flags.'),
    ARCHIVE_RETENTION_DAYS: retentionDays(2)
      .optional()
      .describe('Of events in ClickHouse. Same value as in archive.'),
    BACKFILL_ROWS_PER_SECOND: backfillRate,
    QUERY_FOLDER: z
      .string()
      .min(1)
      .default('/tmp/switchboard-analytics')
      .meta({ values: 'path' })
      .describe('Folder for copies of files and for intermediate results; emptied at start.'),
    QUERY_CACHE_BYTES: integerSetting({
      min: 10_000_000,
      max: 100_000_000_000_000,
      fallback: 10_000_000_000,
    }).describe("Bytes of copies of the archive's files; a question about more gets 400."),
    QUERY_SPILL_BYTES: integerSetting({ min: 0, max: 100_000_000_000_000, fallback: 5_000_000_000 }).describe(
      'Bytes of intermediate results on disk.',
    ),
    QUERY_MEMORY_BYTES: integerSetting({
      min: 100_000_000,
      max: 1_000_000_000_000,
      fallback: 500_000_000,
    }).describe('Memory of all questions together; the process takes up to 600 MB beside it.'),
    QUERY_THREADS: integerSetting({ min: 1, max: 256, fallback: 2 }).describe(
      'Threads of all questions together.',
    ),
    QUERIES_MAX: integerSetting({ min: 1, max: 3, fallback: 2 }).describe(
      'Questions answered at a time, of a project one less if more than one; others wait, project by project.',
    ),
    QUERIES_WAITING_MAX: integerSetting({ min: 1, max: 10_000, fallback: 50 }).describe(
      'Questions that wait; past it 503.',
    ),
    QUESTIONS_PER_MINUTE: integerSetting({ min: 1, max: 100_000, fallback: 120 }).describe(
      'Questions of a person about a project that are computed in a minute; past it 429. Five times as many of a project. Answers in memory do not count.',
    ),
    QUERY_TIMEOUT_MS: integerSetting({ min: 100, max: 40_000, fallback: 30_000 }).describe(
      'Milliseconds until a question, with its wait, gets 503.',
    ),
    CLICKHOUSE_URL: clickHouseUrl
      .optional()
      .describe(
        'ClickHouse for events and people, and for questions about them. Same value in every process of the service; unset: none.',
      ),
    CLICKHOUSE_INSERT_BYTES: integerSetting({ min: 1, max: 1_000_000_000, fallback: 8_388_608 }).describe(
      'Bytes of JSON per partition that are inserted into ClickHouse at once.',
    ),
    CLICKHOUSE_INSERT_MS: integerSetting({ min: 10, max: 600_000, fallback: 2000 }).describe(
      'Milliseconds that an event waits for others before it is inserted into ClickHouse.',
    ),
    CLICKHOUSE_BUFFER_BYTES: integerSetting({ min: 1, max: 64_000_000_000, fallback: 33_554_432 }).describe(
      'Bytes of JSON per process past which events are inserted into ClickHouse early.',
    ),
  })
  .check(completeS3)
  .check(requireObjectStore);
