import { z } from '@hono/zod-openapi';
import { jsonAnswer, jsonBody } from '../bodies.ts';
import { id, languageTag, text } from '../fields.ts';
import { operation } from '../operation.ts';
import { consoleFacts, reportParams } from './facts.ts';

export const shareRequest = z
  .strictObject({
    recipients: z.array(id).min(1).max(20).openapi({
      description: 'Subjects (sub) of members of the company; duplicates collapse.',
    }),
    note: text({ max: 1000 }).nullable().optional().openapi({ description: 'Plain text.' }),
    link: text({ min: 1, max: 2048 }).openapi({
      description: 'The console address the message opens; it must open this report.',
    }),
    language: languageTag.openapi({ description: "The sender's console language (BCP 47)." }),
  })
  .openapi('ShareRequest');
export type ShareRequest = z.infer<typeof shareRequest>;

export const shareReport = operation({
  ...consoleFacts,
  tag: 'Shares',
  operationId: 'shareReport',
  method: 'post',
  path: '/v1/projects/{projectId}/reports/{reportId}/shares',
  summary: 'Send a report to teammates by e-mail and push',
  description:
    'link is the address of this report in the console, query and fragment allowed. The message is written in language: en, de, fr, es, pt, it, nl, pl or ja, else by the primary subtag, else en. A recipient who is no member of the company is 400 and named. Deliveries are retried until they reach each recipient; sent counts recipients. Any member of the company may.',
  request: {
    params: z.object(reportParams),
    body: jsonBody(shareRequest, {
      recipients: ['sub-grace'],
      note: 'Look at Tuesday.',
      link: 'https://console.example.com/projects/web-shop/reports/weekly-sign-ups',
      language: 'en',
    }),
  },
  responses: {
    201: jsonAnswer(
      'The messages are on their way.',
      z.object({ sent: z.int().min(0).openapi({ format: 'uint64' }) }),
      { sent: 1 },
    ),
  },
});
