import { z } from '@hono/zod-openapi';
import { jsonAnswer, jsonBody } from '../bodies.ts';
import { operation } from '../operation.ts';
import { commentId, threadId } from '../path-ids.ts';
import {
  commentRequest,
  type ReactionEmoji,
  reactionEmoji,
  reactionEmojis,
  theThread,
  thread,
  threadRequest,
} from './comments.ts';
import { consoleFacts, projectParams, reportParams } from './facts.ts';

const facts = { ...consoleFacts, tag: 'Comment threads' } as const;
const ofReportPath = '/v1/projects/{projectId}/reports/{reportId}/comment-threads';
const commentPath = '/v1/projects/{projectId}/comments/{commentId}';
const resolutionPath = '/v1/projects/{projectId}/comment-threads/{threadId}/resolution';
const reactionPath = '/v1/projects/{projectId}/comments/{commentId}/reactions/{emoji}';
const threadParams = z.object({ ...projectParams, threadId });
const commentParams = z.object({ ...projectParams, commentId });

const VARIATION_SELECTOR = '\uFE0F';
const bare = (emoji: string) => emoji.replaceAll(VARIATION_SELECTOR, '');
const byBareForm = new Map<string, ReactionEmoji>(reactionEmojis.map((emoji) => [bare(emoji), emoji]));

/** One of the six, with or without U+FE0F, read into the form it is answered in. */
export const reactionEmojiParam = z
  .string()
  .transform((value) => byBareForm.get(bare(value)) ?? value)
  .pipe(reactionEmoji)
  .openapi({ type: 'string', enum: [...reactionEmojis], description: 'Percent-encoded.', example: '🎉' });

const reactionParams = z.object({ ...projectParams, commentId, emoji: reactionEmojiParam });

const answersThread = jsonAnswer('The thread.', thread);

export const listThreads = operation({
  ...facts,
  operationId: 'listThreads',
  method: 'get',
  path: ofReportPath,
  summary: 'The comment threads of a report',
  description: 'Threads by createdAt and id, comments in order. A deleted comment keeps its place.',
  request: { params: z.object(reportParams) },
  responses: {
    200: jsonAnswer('The threads, earliest first.', z.object({ threads: z.array(thread) }), {
      threads: [theThread],
    }),
  },
});

export const startThread = operation({
  ...facts,
  operationId: 'startThread',
  method: 'post',
  path: ofReportPath,
  summary: 'Start a thread on a report or on a point of it',
  description: 'A mention of someone who is no member of the company is 400 and named.',
  request: {
    params: z.object(reportParams),
    body: jsonBody(threadRequest, {
      body: 'What happened here?',
      anchor: { metric: 'sign-ups', bucket: '2026-03-01' },
      mentions: ['sub-grace'],
    }),
  },
  responses: { 201: jsonAnswer('The new thread.', thread) },
});

export const replyToThread = operation({
  ...facts,
  operationId: 'replyToThread',
  method: 'post',
  path: '/v1/projects/{projectId}/comment-threads/{threadId}/comments',
  summary: 'Reply to a thread',
  description: 'Any member of the company may. A resolved thread stays resolved.',
  request: { params: threadParams, body: jsonBody(commentRequest, { body: 'The campaign began.' }) },
  responses: { 201: jsonAnswer('The thread with the reply.', thread) },
  errors: { 409: 'The first comment is deleted: the thread takes no replies.' },
});

export const changeComment = operation({
  ...facts,
  operationId: 'changeComment',
  method: 'patch',
  path: commentPath,
  summary: 'Change the text and mentions of a comment',
  description: 'Open to its author alone. Replaces both: absent mentions are none. Sets editedAt.',
  request: {
    params: commentParams,
    body: jsonBody(commentRequest, { body: 'The campaign began on Sunday.' }),
  },
  responses: { 200: answersThread },
  errors: { 409: 'The comment is deleted.' },
});

export const deleteComment = operation({
  ...facts,
  operationId: 'deleteComment',
  method: 'delete',
  path: commentPath,
  summary: 'Delete a comment, which keeps its place in the thread',
  description:
    'Open to its author alone. Its body becomes null, its mentions and reactions empty. Again: 200.',
  request: { params: commentParams },
  responses: { 200: answersThread },
});

export const resolveThread = operation({
  ...facts,
  operationId: 'resolveThread',
  method: 'put',
  path: resolutionPath,
  summary: 'Mark a thread as resolved',
  description: 'resolvedAt and resolvedBySub keep the first who resolved it.',
  request: { params: threadParams },
  responses: { 200: answersThread },
});

export const reopenThread = operation({
  ...facts,
  operationId: 'reopenThread',
  method: 'delete',
  path: resolutionPath,
  summary: 'Reopen a thread',
  description: 'Clears resolvedAt and resolvedBySub.',
  request: { params: threadParams },
  responses: { 200: answersThread },
});

export const addReaction = operation({
  ...facts,
  operationId: 'addReaction',
  method: 'put',
  path: reactionPath,
  summary: 'React to a comment with one of the six emoji',
  description: 'Each person once with each emoji, which is taken with or without U+FE0F.',
  request: { params: reactionParams },
  responses: { 200: answersThread },
  errors: { 409: 'The comment is deleted.' },
});

export const removeReaction = operation({
  ...facts,
  operationId: 'removeReaction',
  method: 'delete',
  path: reactionPath,
  summary: 'Take a reaction back',
  description: 'Takes back what the caller reacted with; also 200 when there was nothing.',
  request: { params: reactionParams },
  responses: { 200: answersThread },
});
