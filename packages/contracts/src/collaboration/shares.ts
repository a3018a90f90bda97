import { z } from '@hono/zod-openapi';
import { id, languageTag, text } from '../fields/fields.ts';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { idempotencyHeaders } from '../operation/headers.ts';
import { operation } from '../operation/operation.ts';
import { consoleCommon, reportParams } from './common.ts';

export const shareRequest = z
  .strictObject({
    recipients: z.array(id).min(1).max(20).openapi({
      description: 'Members of the company, by the sub of their access tokens. Duplicates are removed.',
    }),
    note: text({ max: 1000 }).nullable().optional().openapi({ description: 'Plain text.' }),
    link: text({ max: 2048 }).openapi({
      description: 'The console URL of this report, which the message links to.',
    }),
    language: languageTag.openapi({
      description: 'Language of the message: the console language of the sender (BCP 47).',
    }),
  })
  .openapi('ShareRequest');
export type ShareRequest = z.infer<typeof shareRequest>;

export const shareReport = operation({
  ...consoleCommon,
  tag: 'Shares',
  operationId: 'shareReport',
  permission: 'reports.share',
  method: 'post',
  path: '/v1/projects/{projectId}/reports/{reportId}/shares',
  summary: 'Send a report to teammates by email and push',
  description:
    'link is the console URL of this report, with an optional query and fragment. Messages are available in en, de, fr, es, pt, it, nl, pl and ja: language is matched exactly, then by its primary subtag, then falls back to en. A recipient who is not a member of the company gets 400. E-mails are retried for about a day, pushes for an hour. sent is the number of recipients. Repeating an Idempotency-Key of a person and report returns the first response and sends nothing. Limits: 60 shares per hour and person, 300 per hour and company.',
  request: {
    params: z.object(reportParams),
    headers: idempotencyHeaders,
    body: jsonBody(shareRequest, {
      recipients: ['sub-grace'],
      note: 'Look at Tuesday.',
      link: 'https://console.example.com/projects/web-shop/reports/weekly-sign-ups',
      language: 'en',
    }),
  },
  responses: {
    201: jsonResponse(
      'The messages are queued.',
      z.object({ sent: z.int().min(0).openapi({ format: 'uint64' }) }),
      { sent: 1 },
    ),
  },
  errors: { 429: 'Too many shares. Retry after the time in Retry-After.' },
});
