import type { OpenedService } from '@switchboard/http';
import {
  commonSettings,
  completeS3,
  eventLogSettings,
  integerSetting,
  objectStoreSettings,
  rateLimitsMultiplier,
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
    RATE_LIMITS_MULTIPLIER: rateLimitsMultiplier,
    QUERY_FOLDER: z
      .string()
      .min(1)
      .default('/tmp/switchboard-analytics')
      .meta({ values: 'path' })
      .describe('Folder for copies of files and for intermediate results; emptied at start.'),
    QUERY_DISK_BYTES: integerSetting({
      min: 15_000_000,
      max: 100_000_000_000_000,
      fallback: 15_000_000_000,
    }).describe(
      "Maximum bytes in QUERY_FOLDER: half for copies of the archive's files, a sixth for what answers kept of them, a third for intermediate results. A query that needs more gets 400.",
    ),
    QUERY_MEMORY_BYTES: integerSetting({
      min: 100_000_000,
      max: 1_000_000_000_000,
      fallback: 500_000_000,
    }).describe(
      'Memory of all queries together; the process uses up to 600 MB more, and a SQL query a quarter of it and 250 MB.',
    ),
    QUERY_THREADS: integerSetting({ min: 1, max: 256, fallback: 2 }).describe(
      'Threads of all queries together.',
    ),
    CLICKHOUSE_URL: clickHouseUrl
      .optional()
      .describe(
        'ClickHouse for events and people, and for queries about them. Same value in every process of the service; unset: none.',
      ),
  })
  .check(completeS3)
  .check(requireObjectStore);

/** The service as its features see it. */
export type Analytics = OpenedService<z.output<typeof analyticsSettings>>;
