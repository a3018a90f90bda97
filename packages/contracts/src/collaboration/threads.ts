import { z } from '@hono/zod-openapi';
import { commentId, threadId } from '../fields/ids.ts';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import {
  commentRequest,
  type ReactionEmoji,
  reactionEmoji,
  reactionEmojis,
  thread,
  threadExample,
  threadRequest,
} from './comments.ts';
import { consoleCommon, projectParams, reportParams } from './common.ts';

const common = { ...consoleCommon, tag: 'Comment threads' } as const;
const THREADS_PATH = '/v1/projects/{projectId}/reports/{reportId}/comment-threads';
const COMMENT_PATH = '/v1/projects/{projectId}/comments/{commentId}';
const RESOLUTION_PATH = '/v1/projects/{projectId}/comment-threads/{threadId}/resolution';
const REACTION_PATH = '/v1/projects/{projectId}/comments/{commentId}/reactions/{emoji}';
const threadParams = z.object({ ...projectParams, threadId });
const commentParams = z.object({ ...projectParams, commentId });

const VARIATION_SELECTOR = '\uFE0F';
const withoutSelector = (emoji: string) => emoji.replaceAll(VARIATION_SELECTOR, '');
const byBaseForm = new Map<string, ReactionEmoji>(
  reactionEmojis.map((emoji) => [withoutSelector(emoji), emoji]),
);

/** One of the six emoji, with or without U+FE0F, normalized to the form in which it is returned. */
export const reactionEmojiParam = z
  .string()
  .transform((value) => byBaseForm.get(withoutSelector(value)) ?? value)
  .pipe(reactionEmoji)
  .openapi({ type: 'string', enum: [...reactionEmojis], description: 'Percent-encoded.', example: '🎉' });

const reactionParams = z.object({ ...projectParams, commentId, emoji: reactionEmojiParam });

const tooManyMentions = {
  429: 'Too many comments that mention people. Retry after the time in Retry-After.',
};

const threadResponse = jsonResponse('The thread.', thread);

export const listThreads = operation({
  ...common,
  operationId: 'listThreads',
  permission: 'comments.read',
  method: 'get',
  path: THREADS_PATH,
  summary: 'List the comment threads of a report',
  description:
    'Threads are sorted by createdAt and id, comments by creation. A deleted comment keeps its position.',
  request: { params: z.object(reportParams) },
  responses: {
    200: jsonResponse('The threads, earliest first.', z.object({ threads: z.array(thread) }), {
      threads: [threadExample],
    }),
  },
});

export const startThread = operation({
  ...common,
  operationId: 'startThread',
  permission: 'comments.write',
  method: 'post',
  path: THREADS_PATH,
  summary: 'Start a comment thread on a report',
  description:
    'Without anchor, the thread is about the whole report. Mentioning someone who is not a member of the company gets 400. People mentioned get an e-mail and pushes a minute later, in a language of Accept-Language, unless they have listed the threads by then. Limits: 60 comments with mentions per hour and person, 300 per hour and company.',
  request: {
    params: z.object(reportParams),
    body: jsonBody(threadRequest, {
      body: 'What happened here?',
      anchor: { metric: 'sign-ups', bucket: '2026-03-01' },
      mentions: ['sub-grace'],
    }),
  },
  responses: { 201: jsonResponse('The new thread.', thread) },
  errors: tooManyMentions,
});

export const replyToThread = operation({
  ...common,
  operationId: 'replyToThread',
  permission: 'comments.write',
  method: 'post',
  path: '/v1/projects/{projectId}/comment-threads/{threadId}/comments',
  summary: 'Reply to a comment thread',
  description: 'A resolved thread stays resolved. Mentions work as in a new thread.',
  request: { params: threadParams, body: jsonBody(commentRequest, { body: 'The campaign began.' }) },
  responses: { 201: jsonResponse('The thread with the reply.', thread) },
  errors: {
    ...tooManyMentions,
    409: 'The first comment of this thread was deleted, so it takes no replies, or the thread is full: it holds at most 1,000 comments and 1 MB of text. Start a new thread.',
  },
});

export const changeComment = operation({
  ...common,
  operationId: 'changeComment',
  permission: 'comments.write',
  method: 'patch',
  path: COMMENT_PATH,
  summary: 'Update the text and mentions of a comment',
  description:
    'Replaces both: without mentions the comment has none. Sets editedAt. People mentioned for the first time get messages. Open to the author only.',
  request: {
    params: commentParams,
    body: jsonBody(commentRequest, { body: 'The campaign began on Sunday.' }),
  },
  responses: { 200: threadResponse },
  errors: {
    ...tooManyMentions,
    409: 'The comment was deleted, or its thread is full: it holds at most 1,000 comments and 1 MB of text.',
  },
});

export const deleteComment = operation({
  ...common,
  operationId: 'deleteComment',
  permission: 'comments.write',
  method: 'delete',
  path: COMMENT_PATH,
  summary: 'Delete a comment and keep its position',
  description:
    'Sets body to null and empties mentions and reactions. Deleting a deleted comment has no effect. Open to the author only.',
  request: { params: commentParams },
  responses: { 200: threadResponse },
});

export const resolveThread = operation({
  ...common,
  operationId: 'resolveThread',
  permission: 'comments.write',
  method: 'put',
  path: RESOLUTION_PATH,
  summary: 'Resolve a comment thread',
  description: 'Sets resolvedAt and resolvedBySub. Resolving a resolved thread changes neither.',
  request: { params: threadParams },
  responses: { 200: threadResponse },
});

export const reopenThread = operation({
  ...common,
  operationId: 'reopenThread',
  permission: 'comments.write',
  method: 'delete',
  path: RESOLUTION_PATH,
  summary: 'Reopen a comment thread',
  description: 'Clears resolvedAt and resolvedBySub.',
  request: { params: threadParams },
  responses: { 200: threadResponse },
});

export const addReaction = operation({
  ...common,
  operationId: 'addReaction',
  permission: 'comments.write',
  method: 'put',
  path: REACTION_PATH,
  summary: 'Add a reaction to a comment',
  description: 'A person reacts with each emoji at most once. Emoji are accepted with or without U+FE0F.',
  request: { params: reactionParams },
  responses: { 200: threadResponse },
  errors: { 409: 'The comment was deleted.' },
});

export const removeReaction = operation({
  ...common,
  operationId: 'removeReaction',
  permission: 'comments.write',
  method: 'delete',
  path: REACTION_PATH,
  summary: 'Remove a reaction from a comment',
  description: 'Removes the reaction of the caller. Has no effect if there is none.',
  request: { params: reactionParams },
  responses: { 200: threadResponse },
});
