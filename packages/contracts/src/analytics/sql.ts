import { z } from '@hono/zod-openapi';
import { anyJson, text, timestamp } from '../fields/fields.ts';
import { projectId } from '../fields/ids.ts';
import { jsonBody, jsonResponse, notModified } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { insightRange } from './query.ts';

const MAX_QUERY = 10_000;
const MAX_PARAMETERS = 50;
const PARAMETER_NAME = /^[a-z_][a-z0-9_]{0,63}$/;

const parameters = z
  .record(
    z.string().regex(PARAMETER_NAME, 'not a name; use a-z, 0-9 and _'),
    z.union([text({ max: 10_000 }), z.number(), z.boolean()]),
  )
  .refine((given) => Object.keys(given).length <= MAX_PARAMETERS, `more than ${MAX_PARAMETERS} parameters`);

const sqlResult = z
  .object({
    asOf: timestamp,
    dialect: z.enum(['duckdb', 'clickhouse']).openapi({ description: 'The SQL dialect of the query.' }),
    columns: z.array(z.object({ name: z.string(), type: z.string() })),
    rows: z.array(z.array(anyJson)).openapi({ description: 'Up to 10,000 rows and 4 MB.' }),
    truncated: z
      .boolean()
      .openapi({ description: 'Whether there are more rows. Select fewer, or aggregate.' }),
  })
  .openapi('SqlResult');
export type SqlResult = z.infer<typeof sqlResult>;

export const runSql = operation({
  service: 'analytics',
  host: 'api',
  credential: 'access-token',
  errorShape: 'B',
  tag: 'Insights',
  operationId: 'runSql',
  permission: 'people.read',
  method: 'post',
  path: '/v1/projects/{projectId}/insights/sql',
  summary: 'Query a project with SQL',
  description:
    'Runs one SELECT in the SQL of the database that has the events: DuckDB, or ClickHouse with CLICKHOUSE_URL. The views are events (event_id, name, distinct_id, person_id, session_id, occurred_at, received_at, properties, context, bot), people (person_id, traits, groups, first_seen_at, last_seen_at), groups (type, id, traits, members, first_seen_at, last_seen_at) and sessions (session_id, person_id, started_at, ended_at, events). Times are UTC. properties, context, traits and groups are JSON, as text in ClickHouse. Nothing else can be read: functions that read files, tables or settings, and those that make long values, are refused.',
  request: {
    params: z.object({ projectId }),
    headers: z.object({
      'If-None-Match': text({ max: 1000 }).optional().openapi({ example: '"q1w2e3r4t5y6u7i8o9p0a1s2d3f"' }),
    }),
    body: jsonBody(
      z.strictObject({
        query: text({ min: 1, max: MAX_QUERY }),
        params: parameters
          .default({})
          .openapi({ description: 'The values of $name in the query, or of {name:Type} in ClickHouse.' }),
        range: insightRange.default({ last: 30, unit: 'day' }).openapi({
          description: 'When the events of the views occurred, in UTC.',
        }),
      }),
      {
        query:
          "select name, count(*) as n from events where properties->>'plan' = $plan group by all order by n desc",
        params: { plan: 'pro' },
      },
    ),
  },
  responses: {
    200: {
      ...jsonResponse('The rows.', sqlResult, {
        asOf: '2026-03-03T09:30:00.000Z',
        dialect: 'duckdb',
        columns: [
          { name: 'name', type: 'VARCHAR' },
          { name: 'n', type: 'BIGINT' },
        ],
        rows: [['order placed', 12]],
        truncated: false,
      }),
      headers: z.object({ ETag: z.string() }),
    },
    304: notModified,
  },
  errors: {
    503: 'Busy, or the query takes too long. Retry after the time in Retry-After, or use a smaller query.',
  },
});
