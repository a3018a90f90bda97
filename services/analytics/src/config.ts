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

export const analyticsSettings = z
  .object({
    ...commonSettings,
    ...eventLogSettings,
    ROLES: rolesSetting(['http', 'files']),
    ...objectStoreSettings,
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
    }).describe('Memory of all questions together, beside that of Node.js.'),
    QUERY_THREADS: integerSetting({ min: 1, max: 256, fallback: 2 }).describe(
      'Threads of all questions together.',
    ),
    QUERIES_MAX: integerSetting({ min: 1, max: 3, fallback: 2 }).describe(
      'Questions answered at a time; others wait, project by project.',
    ),
    QUERIES_WAITING_MAX: integerSetting({ min: 1, max: 10_000, fallback: 50 }).describe(
      'Questions that wait; past it 503.',
    ),
    QUERY_TIMEOUT_MS: integerSetting({ min: 100, max: 40_000, fallback: 30_000 }).describe(
      'Milliseconds until a question, with its wait, gets 503.',
    ),
  })
  .check(together(s3Settings))
  .check(requireObjectStore);
