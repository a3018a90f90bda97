import type { OpenedService } from '@switchboard/http';
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
      .describe('Retention of events in ClickHouse. Same value as in archive.'),
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
    }).describe("Maximum bytes of copies of the archive's files; a query that needs more gets 400."),
    QUERY_SPILL_BYTES: integerSetting({ min: 0, max: 100_000_000_000_000, fallback: 5_000_000_000 }).describe(
      'Maximum bytes of intermediate results on disk.',
    ),
    QUERY_MEMORY_BYTES: integerSetting({
      min: 100_000_000,
      max: 1_000_000_000_000,
      fallback: 500_000_000,
    }).describe('Memory of all queries together; the process uses up to 600 MB more.'),
    QUERY_THREADS: integerSetting({ min: 1, max: 256, fallback: 2 }).describe(
      'Threads of all queries together.',
    ),
    QUERIES_MAX: integerSetting({ min: 1, max: 3, fallback: 2 }).describe(
      'Queries that run at a time. One project gets one less if this is more than one; other queries wait and are served project by project.',
    ),
    QUERIES_WAITING_MAX: integerSetting({ min: 1, max: 10_000, fallback: 50 }).describe(
      'Maximum number of waiting queries; further ones get 503.',
    ),
    QUESTIONS_PER_MINUTE: integerSetting({ min: 1, max: 100_000, fallback: 120 }).describe(
      'Queries per minute that are computed for one person in a project; further ones get 429. A project gets five times as many. Cached results do not count.',
    ),
    QUERY_TIMEOUT_MS: integerSetting({ min: 100, max: 40_000, fallback: 30_000 }).describe(
      'Milliseconds, waiting included, after which a query gets 503.',
    ),
    CLICKHOUSE_URL: clickHouseUrl
      .optional()
      .describe(
        'ClickHouse for events and people, and for queries about them. Same value in every process of the service; unset: none.',
      ),
    CLICKHOUSE_INSERT_BYTES: integerSetting({ min: 1, max: 1_000_000_000, fallback: 8_388_608 }).describe(
      'Bytes of JSON per partition that are inserted into ClickHouse at once.',
    ),
    CLICKHOUSE_INSERT_MS: integerSetting({ min: 10, max: 600_000, fallback: 2000 }).describe(
      'Milliseconds that an event waits to be inserted into ClickHouse together with others.',
    ),
    CLICKHOUSE_BUFFER_BYTES: integerSetting({ min: 1, max: 64_000_000_000, fallback: 33_554_432 }).describe(
      'Bytes of JSON per process above which events are inserted into ClickHouse early.',
    ),
  })
  .check(completeS3)
  .check(requireObjectStore);

/** The service as its features see it. */
export type Analytics = OpenedService<z.output<typeof analyticsSettings>>;
