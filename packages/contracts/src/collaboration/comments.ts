import { z } from '@hono/zod-openapi';
import { id, int64, nonBlankText, text, timestamp, uint32 } from '../fields/fields.ts';

/** The six reaction emoji, in the order and form in which they are returned. */
export const reactionEmojis = ['👍', '❤️', '🎯', '🎉', '🤔', '👀'] as const;
export const reactionEmoji = z.enum(reactionEmojis).openapi('ReactionEmoji');
export type ReactionEmoji = z.infer<typeof reactionEmoji>;

const anchorText = text({ max: 200 }).nullable().optional();
const anchorCount = uint32.nullable().optional();

const anchorFields = {
  metric: anchorText,
  bucket: anchorText,
  breakdown: z
    .array(text({ max: 200 }))
    .max(20)
    .nullable()
    .optional(),
  step: anchorCount,
  event: anchorText,
  cohortBucket: anchorText,
  period: anchorCount,
  daysActive: anchorCount,
  state: anchorText,
};

/** The point of a report that a thread is about. */
export const anchor = z.object(anchorFields).openapi('Anchor');
export type Anchor = z.infer<typeof anchor>;

export const anchorRequest = z.strictObject(anchorFields).openapi('AnchorRequest');
export type AnchorRequest = z.infer<typeof anchorRequest>;

export const reaction = z
  .object({ emoji: reactionEmoji, count: int64, reactedByMe: z.boolean() })
  .openapi('Reaction');
export type Reaction = z.infer<typeof reaction>;

export const comment = z
  .object({
    id,
    threadId: id,
    body: z.string().nullable().optional().openapi({ description: 'null if deleted.' }),
    mentions: z.array(z.string()).openapi({ description: 'Empty if deleted.' }),
    authorSub: z.string(),
    authorName: z.string().nullable().optional(),
    createdAt: timestamp,
    editedAt: timestamp.nullable().optional(),
    deleted: z.boolean(),
    canChange: z.boolean(),
    reactions: z.array(reaction).openapi({ description: 'Empty if deleted.' }),
  })
  .openapi('Comment');
export type Comment = z.infer<typeof comment>;

/** An example for the API reference. */
export const threadExample = {
  id: 'thr_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
  reportId: 'weekly-sign-ups',
  anchor: { metric: 'sign-ups', bucket: '2026-03-01' },
  resolved: false,
  resolvedAt: null,
  resolvedBySub: null,
  createdBySub: 'sub-ada',
  createdAt: '2026-03-02T09:30:00.000Z',
  comments: [
    {
      id: 'cmt_018f4c1e7a2c7c3d8e4f5a6b7c8d9e0f',
      threadId: 'thr_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
      body: 'What happened here?',
      mentions: ['sub-grace'],
      authorSub: 'sub-ada',
      authorName: 'Ada Lovelace',
      createdAt: '2026-03-02T09:30:00.000Z',
      editedAt: null,
      deleted: false,
      canChange: true,
      reactions: [{ emoji: '👀' as const, count: 1, reactedByMe: false }],
    },
  ],
};

export const thread = z
  .object({
    id,
    reportId: id,
    anchor: anchor.nullable().optional(),
    resolved: z.boolean(),
    resolvedAt: timestamp.nullable().optional(),
    resolvedBySub: z.string().nullable().optional(),
    createdBySub: z.string(),
    createdAt: timestamp,
    comments: z.array(comment),
  })
  .openapi('Thread', { example: threadExample });
export type Thread = z.infer<typeof thread>;

const commentFields = {
  body: nonBlankText(10_000),
  mentions: z.array(id).max(20).nullable().optional().openapi({
    description: 'Members of the company, by the sub of their access tokens.',
  }),
};

/** A reply, or the new text of a comment. */
export const commentRequest = z.strictObject(commentFields).openapi('CommentRequest');
export type CommentRequest = z.infer<typeof commentRequest>;

export const threadRequest = z
  .strictObject({
    ...commentFields,
    anchor: anchorRequest.nullable().optional(),
  })
  .openapi('ThreadRequest');
export type ThreadRequest = z.infer<typeof threadRequest>;
