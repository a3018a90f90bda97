import { z } from '@hono/zod-openapi';
import { id, timestamp } from '../fields/fields.ts';
import { jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { anchor, threadExample } from './comments.ts';
import { consoleCommon, projectParams } from './common.ts';

const example = {
  id: threadExample.id,
  reportId: threadExample.reportId,
  reportName: 'Weekly sign-ups',
  anchor: threadExample.anchor,
  concern: 'mention' as const,
  unread: true,
  resolved: false,
  comments: 1,
  last: {
    id: 'cmt_018f4c1e7a2c7c3d8e4f5a6b7c8d9e0f',
    authorSub: 'sub-ada',
    authorName: 'Ada Lovelace',
    text: 'What happened here?',
    createdAt: '2026-03-02T09:30:00.000Z',
  },
};

/** A thread that concerns the caller, with its last comment by another person. */
export const threadSummary = z
  .object({
    id,
    reportId: id,
    reportName: z.string(),
    anchor: anchor.nullable(),
    concern: z.enum(['mention', 'reply']).openapi({
      description: 'mention: a comment mentions the caller. reply: the caller has written in the thread.',
    }),
    unread: z.boolean().openapi({
      description:
        'Whether others have written since the caller last listed the threads of the report. false if resolved.',
    }),
    resolved: z.boolean(),
    comments: z.int().min(1).openapi({ description: 'The number of comments.' }),
    last: z
      .object({
        id,
        authorSub: z.string(),
        authorName: z.string().nullable(),
        text: z.string().openapi({ description: 'The first 300 characters.' }),
        createdAt: timestamp,
      })
      .openapi({ description: 'The last comment by another person that is not deleted.' }),
  })
  .openapi('ThreadSummary', { example });
export type ThreadSummary = z.infer<typeof threadSummary>;

export const listThreadInbox = operation({
  ...consoleCommon,
  tag: 'Comment threads',
  operationId: 'listThreadInbox',
  permission: 'comments.read',
  method: 'get',
  path: '/v1/projects/{projectId}/comment-threads',
  summary: 'List the comment threads that concern you',
  description:
    'Threads that mention you or that you have written in, and in which others wrote within the last 90 days: at most 100, unread ones first, then the latest. Listing the threads of a report marks them as read.',
  request: { params: z.object(projectParams) },
  responses: {
    200: jsonResponse('The threads.', z.object({ unread: z.int().min(0), threads: z.array(threadSummary) }), {
      unread: 1,
      threads: [example],
    }),
  },
});
