import { z } from '@hono/zod-openapi';
import { id, timestamp } from '../fields/fields.ts';
import { conversationStatus, turn, VISITOR_CONVERSATIONS } from '../messenger/conversations.ts';

export const beat = z.object({ type: z.literal('beat') }).openapi({
  description: 'Sent every 30 s. If none arrives for 75 s, the connection is dead: reconnect.',
});

const generatedAt = timestamp.openapi({ description: 'The time of the last change of a flag or cohort.' });

export const flagsReady = z
  .object({ type: z.literal('ready'), generatedAt })
  .openapi({ description: 'Sent once, when the socket opens.' });

export const flagsChanged = z.object({ type: z.literal('flags_changed'), generatedAt }).openapi({
  description: 'A flag or cohort changed. Sent at most ten times a second.',
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
  .openapi({
    description: `Subscribes to the turns and statuses of a conversation. A socket can have up to ${VISITOR_CONVERSATIONS} subscriptions.`,
  });

export const subscribed = z
  .object({ type: z.literal('subscribed'), conversationId: id })
  .openapi({ description: 'Read the conversation now: earlier turns are not sent.' });

export const refused = z.object({ type: z.literal('refused'), conversationId: z.string() }).openapi({
  description:
    'The token does not belong to this conversation, or the socket has too many subscriptions. The socket stays open.',
});

export const turnAppended = z
  .object({ type: z.literal('turn'), conversationId: id, turn })
  .openapi({ description: 'A new turn; turns of the visitor are included.' });

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
  .openapi({ description: 'The configuration has a new version in the locale of the socket.' });

export const inboxChanged = z.object({ type: z.literal('inbox_changed') }).openapi({
  description: 'There is a new in-app message for the person of the socket. Read the inbox.',
});

export const typing = z
  .object({
    type: z.literal('typing'),
    conversationId: id,
    authorName: turn.shape.authorName.openapi({
      description: "The teammate's name in the team of the messenger; null without an entry.",
    }),
    authorAvatarUrl: turn.shape.authorAvatarUrl,
  })
  .openapi({
    description:
      'A teammate types a reply. Repeated every few seconds; show it for 6 s, or until the next turn of a teammate.',
  });

export const read = z
  .object({
    type: z.literal('read'),
    conversationId: id,
    by: z.enum(['visitor', 'teammate']),
    at: timestamp.openapi({ description: 'The time of the last turn that they have read.' }),
  })
  .openapi({
    description: 'The visitor, also on another device, or a teammate has read the turns up to this time.',
  });

export const visitorTyping = z.object({ type: z.literal('typing'), conversationId: id }).openapi({
  description:
    'The visitor types in a conversation that the socket is subscribed to. Send it every 3 s; more than one in a second are ignored. Nothing is stored.',
});

export const visitorRead = z
  .object({
    type: z.literal('read'),
    conversationId: id,
    at: timestamp.optional().openapi({
      description: 'The time of the last turn that the visitor has seen. Default: the last turn of all.',
    }),
  })
  .openapi({
    description:
      'The visitor has seen the turns of a conversation that the socket is subscribed to. Send it once a second at most; more are ignored.',
  });

/** The messages that a visitor sends about a conversation that the socket is subscribed to. */
export const visitorSignal = z.discriminatedUnion('type', [visitorTyping, visitorRead]);
export type VisitorSignal = z.infer<typeof visitorSignal>;

export const messengerMessage = z.discriminatedUnion('type', [
  subscribed,
  refused,
  turnAppended,
  statusChanged,
  configChanged,
  inboxChanged,
  typing,
  read,
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
