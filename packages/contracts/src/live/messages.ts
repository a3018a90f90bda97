import { z } from '@hono/zod-openapi';
import { id, timestamp } from '../fields/fields.ts';
import { conversationStatus, turn } from '../messenger/conversations.ts';

export const beat = z.object({ type: z.literal('beat') }).openapi({
  description: 'Every 30 s. If none comes for 75 s, the connection is dead: connect again.',
});

const generatedAt = timestamp.openapi({ description: 'When a flag or cohort changed last.' });

export const flagsReady = z
  .object({ type: z.literal('ready'), generatedAt })
  .openapi({ description: 'Sent once, when the socket opens.' });

export const flagsChanged = z.object({ type: z.literal('flags_changed'), generatedAt }).openapi({
  description: 'A flag or cohort changed. At most ten a second.',
});

export const flagsMessage = z.discriminatedUnion('type', [flagsReady, flagsChanged, beat]);
export type FlagsMessage = z.infer<typeof flagsMessage>;

/** The messages that a visitor sends. A token of any other type is rejected like a wrong one. */
export const subscribe = z
  .object({
    type: z.literal('subscribe'),
    conversationId: z.string().max(200),
    token: z.unknown().optional().openapi({
      type: 'string',
      description: 'The conversation token, cvt_..., of this conversation.',
    }),
  })
  .openapi({ description: 'Asks for the turns and statuses of a conversation, up to 18 on a socket.' });

export const subscribed = z
  .object({ type: z.literal('subscribed'), conversationId: id })
  .openapi({ description: 'Read the conversation now: what came before this message is not sent.' });

export const refused = z.object({ type: z.literal('refused'), conversationId: z.string() }).openapi({
  description: 'The token is not of this conversation, or there are too many. The socket stays open.',
});

export const turnAppended = z
  .object({ type: z.literal('turn'), conversationId: id, turn })
  .openapi({ description: "A new turn, also the visitor's own." });

export const statusChanged = z.object({
  type: z.literal('status'),
  conversationId: id,
  status: conversationStatus,
});

export const configChanged = z
  .object({
    type: z.literal('config_changed'),
    version: z
      .string()
      .openapi({ description: 'As in the configuration; off while the messenger is disabled.' }),
  })
  .openapi({ description: 'The configuration has another version in the locale of the socket.' });

export const inboxChanged = z.object({ type: z.literal('inbox_changed') }).openapi({
  description: 'There is a new in-app message for the person of the socket. Read the inbox.',
});

export const messengerMessage = z.discriminatedUnion('type', [
  subscribed,
  refused,
  turnAppended,
  statusChanged,
  configChanged,
  inboxChanged,
  beat,
]);
export type MessengerMessage = z.infer<typeof messengerMessage>;

export const refetchEvaluation = z
  .object({
    type: z.literal('refetchEvaluation'),
    etag: timestamp.openapi({ description: 'Send it as flagConfigEtag with the next evaluation.' }),
    lastModified: z.int().openapi({ description: 'The same time in seconds since 1970.' }),
  })
  .openapi({ description: 'The data of an event. The id of the event is the etag. Evaluate again.' });
export type RefetchEvaluation = z.infer<typeof refetchEvaluation>;
