import { z } from '@hono/zod-openapi';
import { liveArchived, liveEvents, liveReady, streamEvents } from '../analytics/live-events.ts';
import { getMessengerConfig } from '../messenger/configuration.ts';
import { listMessages } from '../messenger/inbox.ts';
import {
  liveConversations,
  liveConversationsReady,
  streamConversations,
} from '../messenger/live-conversations.ts';
import { streamFlagChanges } from '../ofrep.ts';
import type { ServiceName } from '../operation/operation.ts';
import {
  beat,
  configChanged,
  flagsChanged,
  flagsReady,
  inboxChanged,
  read,
  refetchEvaluation,
  refused,
  statusChanged,
  subscribe,
  subscribed,
  turnAppended,
  typing,
  visitorRead,
  visitorTyping,
} from './messages.ts';

export interface Message {
  name: string;
  schema: z.ZodType;
  example: Record<string, unknown>;
}

/** A WebSocket or a stream of server-sent events, at a path of `{base_url}`. */
export interface Channel {
  name: string;
  title: string;
  description: string;
  address: string;
  service: ServiceName;
  kind: 'socket' | 'stream';
  query: z.ZodObject;
  /** The messages that Switchboard sends. */
  sends: readonly Message[];
  /** The messages that Switchboard receives. */
  receives: readonly Message[];
}

const apiKey = z.string().openapi({ description: 'The project key, pk_...' });
const CONVERSATION_ID = 'cnv_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f';
const GENERATED_AT = '2026-03-01T09:30:00.000Z';

const BEAT = { name: 'Beat', schema: beat, example: { type: 'beat' } };

const CLOSE_CODES = [
  'Close codes: 4401 (key missing, invalid or revoked, or a conversation token expired), 4403 (key of another region),',
  '1001 and 1012 (reconnect), 1011 and 1013 (try again shortly), 1008 and 1009 (too many or too large messages).',
  'Upgrades over the limit of an IP address get 429, and over the limit of the deployment 503. The server pings every 30 s. Ignore messages of other types.',
].join(' ');

export const channels: readonly Channel[] = [
  {
    name: 'flagsSocket',
    title: 'Live flags',
    description: `Notifies you when flags change. Read the values with GET /v1/flags or GET /v1/flags/snapshot. Messages that you send are ignored. ${CLOSE_CODES}`,
    address: '/v1/flags/socket',
    service: 'flags',
    kind: 'socket',
    query: z.object({ api_key: apiKey }),
    sends: [
      { name: 'FlagsReady', schema: flagsReady, example: { type: 'ready', generatedAt: GENERATED_AT } },
      {
        name: 'FlagsChanged',
        schema: flagsChanged,
        example: { type: 'flags_changed', generatedAt: GENERATED_AT },
      },
      BEAT,
    ],
    receives: [],
  },
  {
    name: 'messengerSocket',
    title: 'Live conversations',
    description: `Sends new turns, statuses, typing and read positions of the conversations that you subscribe to, and changes of the configuration and the inbox. After every connect, subscribe first, then read the conversation, and deduplicate turns by id. ${CLOSE_CODES}`,
    address: '/v1/messenger/socket',
    service: 'messenger',
    kind: 'socket',
    query: z.object({
      api_key: apiKey,
      locale: getMessengerConfig.request.query.shape.locale,
      distinct_id: listMessages.request.query.shape.distinct_id.optional(),
    }),
    sends: [
      {
        name: 'Subscribed',
        schema: subscribed,
        example: { type: 'subscribed', conversationId: CONVERSATION_ID },
      },
      { name: 'Refused', schema: refused, example: { type: 'refused', conversationId: CONVERSATION_ID } },
      {
        name: 'TurnAppended',
        schema: turnAppended,
        example: {
          type: 'turn',
          conversationId: CONVERSATION_ID,
          turn: {
            id: 'trn_018f4c1e7a2b7c3d8e4f5a6b7c8d9e10',
            authorKind: 'teammate',
            authorName: 'Tomáš',
            authorAvatarUrl: null,
            body: 'Hello!',
            createdAt: GENERATED_AT,
            attachments: [],
          },
        },
      },
      {
        name: 'StatusChanged',
        schema: statusChanged,
        example: { type: 'status', conversationId: CONVERSATION_ID, status: 'pending' },
      },
      {
        name: 'ConfigChanged',
        schema: configChanged,
        example: { type: 'config_changed', version: '5a6b7c8d9e0f' },
      },
      { name: 'InboxChanged', schema: inboxChanged, example: { type: 'inbox_changed' } },
      {
        name: 'TeammateTypes',
        schema: typing,
        example: {
          type: 'typing',
          conversationId: CONVERSATION_ID,
          authorName: 'Tomáš',
          authorAvatarUrl: null,
        },
      },
      {
        name: 'ConversationRead',
        schema: read,
        example: { type: 'read', conversationId: CONVERSATION_ID, by: 'teammate', at: GENERATED_AT },
      },
      BEAT,
    ],
    receives: [
      {
        name: 'VisitorTypes',
        schema: visitorTyping,
        example: { type: 'typing', conversationId: CONVERSATION_ID },
      },
      {
        name: 'VisitorRead',
        schema: visitorRead,
        example: { type: 'read', conversationId: CONVERSATION_ID, at: GENERATED_AT },
      },
      {
        name: 'Subscribe',
        schema: subscribe,
        example: { type: 'subscribe', conversationId: CONVERSATION_ID, token: 'cvt_0123456789abcdef' },
      },
    ],
  },
  {
    name: 'flagChanges',
    title: 'Flag changes for OpenFeature',
    description: streamFlagChanges.description,
    address: streamFlagChanges.path,
    service: 'flags',
    kind: 'stream',
    query: z.object({ api_key: apiKey }),
    sends: [
      {
        name: 'RefetchEvaluation',
        schema: refetchEvaluation,
        example: { type: 'refetchEvaluation', etag: GENERATED_AT, lastModified: 1_772_357_400 },
      },
    ],
    receives: [],
  },
  {
    name: 'liveEvents',
    title: 'Live events',
    description: streamEvents.description,
    address: streamEvents.path,
    service: 'analytics',
    kind: 'stream',
    query: streamEvents.request.query,
    sends: [
      { name: 'LiveEventsReady', schema: liveReady, example: { type: 'ready' } },
      {
        name: 'LiveEvents',
        schema: liveEvents,
        example: {
          type: 'events',
          events: [
            {
              eventId: 'event-1',
              name: 'order placed',
              distinctId: 'user-1',
              sessionId: null,
              occurredAt: GENERATED_AT,
              receivedAt: GENERATED_AT,
              properties: { total: 12.5 },
              context: null,
              omitted: false,
            },
          ],
          skipped: 0,
        },
      },
      {
        name: 'LiveEventsArchived',
        schema: liveArchived,
        example: { type: 'archived', eventIds: ['event-1'] },
      },
    ],
    receives: [],
  },
  {
    name: 'liveConversations',
    title: 'Live conversations of agents',
    description: streamConversations.description,
    address: streamConversations.path,
    service: 'messenger',
    kind: 'stream',
    query: z.object({}),
    sends: [
      { name: 'LiveConversationsReady', schema: liveConversationsReady, example: { type: 'ready' } },
      {
        name: 'LiveConversations',
        schema: liveConversations,
        example: { type: 'changes', changes: [{ kind: 'changed', conversationId: CONVERSATION_ID }] },
      },
    ],
    receives: [],
  },
];
