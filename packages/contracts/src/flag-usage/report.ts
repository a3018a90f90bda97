import { z } from '@hono/zod-openapi';
import { id, text } from '../fields/fields.ts';
import { apiKey } from '../ingestion/api-key.ts';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';

/** The maximum number of entries of a report. */
export const USAGE_REPORT_MAX_ENTRIES = 1_000;
const MAX_COUNT = 100_000_000;

export const flagUsageReport = z
  .object({
    api_key: apiKey,
    usage: z
      .array(
        z.object({
          flag: text({ min: 1, max: 200 }).openapi({ description: 'The key of the flag.' }),
          variation: id.openapi({
            description: 'The key of the variation that the flag served, on if it has no variations, or off.',
          }),
          count: z.int().min(1).max(MAX_COUNT),
        }),
      )
      .min(1)
      .max(USAGE_REPORT_MAX_ENTRIES),
  })
  .openapi('FlagUsageReport');
export type FlagUsageReport = z.infer<typeof flagUsageReport>;

export const reportFlagUsage = operation({
  service: 'flags',
  host: 'api',
  credential: 'ingestion',
  errorShape: 'A',
  tag: 'Flags',
  operationId: 'reportFlagUsage',
  method: 'post',
  path: '/v1/flags/usage',
  summary: 'Report how often flags were used',
  description:
    'For clients that evaluate flags themselves or keep the answers of GET /v1/flags: send what was used since the last report, at most once a minute. Entries of flags or variations that the project does not have are dropped. Counts have no person. Without a key in the header, a body is limited to 64 KiB.',
  request: {
    body: jsonBody(flagUsageReport, {
      usage: [
        { flag: 'new-checkout', variation: 'on', count: 12 },
        { flag: 'button-colour', variation: 'green', count: 5 },
      ],
    }),
  },
  responses: {
    202: jsonResponse(
      'The entries that were counted, and those that were dropped.',
      z.object({ accepted: z.int(), unknown: z.int() }),
      { accepted: 2, unknown: 0 },
    ),
  },
  errors: {
    429: {
      description: 'Your address or project sends too many reports.',
      message: 'Quota of the address used up (flag usage). Retry after the time in Retry-After.',
    },
  },
});
