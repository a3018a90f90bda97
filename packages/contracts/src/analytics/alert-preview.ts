import { z } from '@hono/zod-openapi';
import { timestamp } from '../fields/fields.ts';
import { projectId } from '../fields/ids.ts';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { alertBucket, alertDefinition, alertExample, alertExpected, alertValue } from './alerts.ts';

export const alertPreview = z
  .object({
    points: z
      .array(
        z.object({ bucket: alertBucket, value: alertValue, expected: alertExpected, isFiring: z.boolean() }),
      )
      .openapi({ description: 'The complete buckets, oldest first.' }),
    incidents: z.array(z.object({ startedBucket: alertBucket, endedBucket: alertBucket.nullable() })),
  })
  .openapi('AlertPreview');
export type AlertPreview = z.infer<typeof alertPreview>;

export const previewAlert = operation({
  service: 'analytics',
  host: 'api',
  credential: 'access-token',
  errorShape: 'B',
  tag: 'Insights',
  operationId: 'previewAlert',
  permission: 'insights.read',
  method: 'post',
  path: '/v1/projects/{projectId}/alert-preview',
  summary: 'Find when an alert would have fired in the last 90 days',
  description: 'An alert by month is previewed over the last year.',
  request: { params: z.object({ projectId }), body: jsonBody(alertDefinition, alertExample) },
  responses: {
    200: jsonResponse('The preview.', alertPreview.extend({ asOf: timestamp }), {
      asOf: '2026-03-01T10:00:02.000Z',
      points: [
        { bucket: '2026-03-01T08:00', value: 67, expected: 69, isFiring: false },
        { bucket: '2026-03-01T09:00', value: 12, expected: 67, isFiring: true },
      ],
      incidents: [{ startedBucket: '2026-03-01T09:00', endedBucket: null }],
    }),
  },
  errors: { 503: 'Busy, or the query takes too long. Retry after the time in Retry-After.' },
});
