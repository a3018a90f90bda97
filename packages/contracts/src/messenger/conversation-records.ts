import { z } from '@hono/zod-openapi';
import { text } from '../fields/fields.ts';
import { authorKind, conversationStatus } from './conversations.ts';

/** The topic of what happens in conversations, with the id of the conversation as the key of each record. */
export const CONVERSATIONS_TOPIC = 'conversations';

const conversation = {
  /** To the millisecond. */
  at: z.iso.datetime({ precision: 3 }),
  projectId: text({ min: 1, max: 200 }),
  conversationId: text({ min: 1, max: 200 }),
  distinctId: z.string(),
  userId: z.string().nullable(),
  /** Whether a hash proved `userId` when the conversation was opened. */
  userVerified: z.boolean(),
  subject: z.string().nullable(),
  /** The status after the change. */
  status: conversationStatus,
};

/**
 * The JSON value of a record on `conversations`. Only what visitors see: no notes, labels, teams or assignees. A record
 * that is published twice is the same.
 */
export const conversationRecord = z.discriminatedUnion('type', [
  z.object({ type: z.literal('conversation.opened'), ...conversation }),
  z.object({
    type: z.literal('conversation.turn'),
    ...conversation,
    turnId: text({ min: 1, max: 200 }),
    authorKind,
    text: z.string(),
  }),
  z.object({ type: z.literal('conversation.resolved'), ...conversation }),
]);
export type ConversationRecord = z.infer<typeof conversationRecord>;
