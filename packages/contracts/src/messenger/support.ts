import { z } from '@hono/zod-openapi';
import { id, name, nonBlankText, text, timestamp } from '../fields/fields.ts';
import { attachmentId, conversationId, sub } from '../fields/ids.ts';
import { managementOf, projectParams } from '../management/common.ts';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { idempotencyHeaders } from '../operation/headers.ts';
import { operation } from '../operation/operation.ts';
import { ATTACHMENT_MAX_BYTES, readAttachment, uploadAttachment } from './attachments.ts';
import { conversation, conversationStatus, pageContext, turn } from './conversations.ts';

/** The limits of the tools for conversations. */
export const SUPPORT_LIMITS = {
  teams: 50,
  labels: 100,
  savedReplies: 200,
  views: 50,
  labelsOfConversation: 20,
  notes: 200,
  noteCharacters: 5_000,
  mentions: 20,
  changedAtOnce: 100,
  found: 50,
} as const;

/** The default of mailAfterMinutes. */
export const MAIL_AFTER_MINUTES = 10;

/** The products that conversations are imported from. */
export const importedFrom = z.enum(['chatwoot', 'intercom']).openapi('ImportedFrom');
export type ImportedFrom = z.infer<typeof importedFrom>;

export const conversationPriority = z
  .enum(['urgent', 'high', 'normal', 'low'])
  .openapi('ConversationPriority');
export type ConversationPriority = z.infer<typeof conversationPriority>;

export const labelColor = z
  .enum(['grey', 'blue', 'green', 'yellow', 'orange', 'red', 'purple', 'pink'])
  .openapi('LabelColor');
export type LabelColor = z.infer<typeof labelColor>;

const entryId = nonBlankText(64).optional().openapi({
  description:
    'The id that an earlier response contained, or one that you choose. An entry without one gets an id.',
});
const assigned = z.enum(['me', 'none']);

/** The conversations that a list or a view selects. */
const filterShape = {
  status: conversationStatus.optional(),
  snoozed: z.boolean().optional(),
  assigned: assigned
    .optional()
    .openapi({ description: 'me: the conversations of the caller. none: of no one.' }),
  assigneeId: id.optional(),
  teamId: id.optional(),
  labelId: id.optional(),
  priority: conversationPriority.optional(),
  satisfaction: z
    .enum(['good', 'neutral', 'bad'])
    .optional()
    .openapi({ description: 'The latest rating: good is 4 or 5, neutral is 3, bad is 1 or 2.' }),
};

/** A filter has one condition for each property. All of them must match. */
export const conversationFilter = z.object(filterShape).openapi('ConversationFilter');
export type ConversationFilter = z.infer<typeof conversationFilter>;

/** The same filter in a query. */
export const conversationFilterQuery = {
  ...filterShape,
  snoozed: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional(),
  mentioned: z.literal('me').optional().openapi({
    description: 'Only conversations with a note that mentions the caller.',
  }),
};

export const supportSettingsDefinition = z
  .object({
    version: z.int().min(0).max(2_147_483_647).openapi({
      description: 'The version that you read. The request fails if another one is stored.',
    }),
    teams: z.array(z.object({ id: entryId, name: name(50) })).max(SUPPORT_LIMITS.teams),
    labels: z.array(z.object({ id: entryId, name: name(50), color: labelColor })).max(SUPPORT_LIMITS.labels),
    savedReplies: z
      .array(z.object({ id: entryId, name: name(100), body: nonBlankText(5_000) }))
      .max(SUPPORT_LIMITS.savedReplies)
      .openapi({
        description:
          'The variables {{visitor.id}}, {{conversation.subject}}, {{agent.name}} and {{project.name}} are filled in when a reply is inserted.',
      }),
    views: z
      .array(z.object({ id: entryId, name: name(100), filter: conversationFilter }))
      .max(SUPPORT_LIMITS.views),
    keepAssigneeDays: z.int().min(0).max(365).nullable().openapi({
      description:
        'A visitor who writes in a resolved conversation reopens it. It keeps its assignee for this many days after it was resolved; null keeps the assignee always.',
    }),
    mailAfterMinutes: z.int().min(1).max(1_440).nullable().default(MAIL_AFTER_MINUTES).openapi({
      description:
        'Minutes after which replies that a visitor has not read are mailed to them; null mails none.',
    }),
    mailOpensConversations: z
      .boolean()
      .default(false)
      .openapi({ description: 'Whether mail to mailAddress opens a conversation.' }),
    asksSatisfaction: z
      .boolean()
      .default(false)
      .openapi({ description: 'Whether visitors are asked to rate resolved conversations.' }),
    mailAddress: z
      .string()
      .max(254)
      .nullable()
      .optional()
      .openapi({ description: 'Ignored, so that you can write back what you read.' }),
  })
  .openapi('SupportSettingsDefinition');
export type SupportSettingsDefinition = z.infer<typeof supportSettingsDefinition>;

const stored = { id };

export const supportSettings = z
  .object({
    version: z.int(),
    teams: z.array(z.object({ ...stored, name: z.string() })),
    labels: z.array(z.object({ ...stored, name: z.string(), color: labelColor })),
    savedReplies: z.array(z.object({ ...stored, name: z.string(), body: z.string() })),
    views: z.array(z.object({ ...stored, name: z.string(), filter: conversationFilter })),
    keepAssigneeDays: z.int().nullable(),
    mailAfterMinutes: z.int().nullable(),
    mailOpensConversations: z.boolean(),
    asksSatisfaction: z.boolean(),
    mailAddress: z.string().nullable().openapi({
      description:
        'The address to forward your support address to. null without mailOpensConversations, or if the deployment receives no mail.',
    }),
  })
  .openapi('SupportSettings');
export type SupportSettings = z.infer<typeof supportSettings>;

/** The fields of a conversation that only staff see. */
const tools = {
  userId: z.string().nullable(),
  userVerified: z.boolean(),
  assigneeId: z.string().nullable(),
  teamId: z.string().nullable(),
  priority: conversationPriority,
  labelIds: z.array(z.string()),
  snoozed: z.boolean(),
  snoozedUntil: timestamp.nullable().openapi({
    description: 'null for a conversation that is snoozed until the visitor writes.',
  }),
  firstReplyAt: timestamp.nullable(),
  resolvedAt: timestamp.nullable(),
  waitingSince: timestamp.nullable().openapi({
    description: 'When the visitor wrote the first turn without an answer. null if none waits.',
  }),
  satisfactionScore: z.int().nullable().openapi({ description: "The visitor's latest rating, from 1 to 5." }),
};

export const conversationSummary = conversation
  .omit({ turns: true })
  .extend({
    ...tools,
    lastTurn: z
      .object({ authorKind: turn.shape.authorKind, body: z.string() })
      .nullable()
      .openapi({ description: 'The last turn. Its body is cut after 200 characters.' }),
    unread: z.boolean().openapi({ description: 'Whether the caller has not read the last turn.' }),
  })
  .openapi('ConversationSummary');
export type ConversationSummary = z.infer<typeof conversationSummary>;

export const conversationNote = z
  .object({
    id,
    authorId: z
      .string()
      .nullable()
      .openapi({ description: 'null if the author was erased, or for an imported note.' }),
    authorName: z
      .string()
      .nullable()
      .openapi({ description: 'The name in the other product; null if the note is not imported.' }),
    body: z.string(),
    mentions: z.array(z.string()),
    createdAt: timestamp,
  })
  .openapi('ConversationNote');
export type ConversationNote = z.infer<typeof conversationNote>;

const changedValues = {
  status: conversationStatus.optional(),
  assigneeId: id.nullable().optional(),
  teamId: id.nullable().optional(),
  priority: conversationPriority.optional(),
  addLabelIds: z.array(id).min(1).max(SUPPORT_LIMITS.labelsOfConversation).optional(),
  removeLabelIds: z.array(id).min(1).max(SUPPORT_LIMITS.labelsOfConversation).optional(),
  snooze: z
    .object({
      until: timestamp.nullable().openapi({ description: 'null: until the visitor writes.' }),
    })
    .nullable()
    .optional()
    .openapi({ description: 'null ends a snooze.' }),
};

/** The properties that a change sets. The others are kept. */
export const conversationChange = z
  .object(changedValues)
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: 'empty; name the properties to change',
  })
  .openapi('ConversationChange');
export type ConversationChange = z.infer<typeof conversationChange>;

export const conversationHistoryEntry = z
  .object({
    id,
    at: timestamp,
    authorId: z.string().nullable().openapi({
      description: 'null for a change by a visitor or a timer, or if the author was erased.',
    }),
    change: z.object(changedValues),
  })
  .openapi('ConversationHistoryEntry');
export type ConversationHistoryEntry = z.infer<typeof conversationHistoryEntry>;

/** How a turn came by mail. */
const turnMail = z
  .object({
    name: z.string().nullable(),
    address: z.string().openapi({ description: 'The sender as the mail states it. It is not verified.' }),
    isContact: z
      .boolean()
      .openapi({ description: 'Whether the sender has the address of the conversation.' }),
    folded: z.string().nullable().openapi({ description: 'The quoted text and the signature.' }),
    leftOut: z.array(z.string()).openapi({
      description: 'Names of attached files that were not stored, because of their type, size or number.',
    }),
  })
  .openapi('TurnMail');
export type TurnMail = z.infer<typeof turnMail>;

export const conversationContact = z
  .object({
    email: z.string(),
    name: z.string().nullable(),
    source: z.enum(['opening', 'mail']).openapi({
      description: 'opening: the visitor gave the address. mail: the conversation began with a mail.',
    }),
    mailedAt: timestamp.nullable().openapi({ description: 'When the last mail was sent.' }),
    unsubscribedAt: timestamp.nullable(),
    bouncedAt: timestamp.nullable().openapi({
      description: 'When mail to the address failed. No more is sent.',
    }),
    bounce: z.string().nullable().openapi({ description: 'The reason for the failure.', example: '5.1.1' }),
  })
  .openapi('ConversationContact');
export type ConversationContact = z.infer<typeof conversationContact>;

/** A visitor's rating of a resolution. */
export const conversationRating = z
  .object({
    score: z.int(),
    comment: z.string().nullable(),
    ratedAt: timestamp,
    resolvedAt: timestamp,
  })
  .openapi('ConversationRating');
export type ConversationRating = z.infer<typeof conversationRating>;

/** A conversation as staff see it. */
export const operatorConversation = conversation
  .extend({
    ...tools,
    importedFrom: importedFrom.nullable(),
    turns: z.array(
      turn.extend({
        pageContext: pageContext.nullable(),
        via: z.enum(['messenger', 'mail']),
        mail: turnMail.nullable(),
      }),
    ),
    contact: conversationContact.nullable().openapi({
      description: 'The mail address of the visitor. It is never verified.',
    }),
    notes: z.array(conversationNote),
    history: z.array(conversationHistoryEntry).openapi({
      description: 'The last 200 changes, oldest first.',
    }),
    ratings: z.array(conversationRating).openapi({
      description: 'The ratings of the last 50 resolutions, oldest first.',
    }),
  })
  .openapi('OperatorConversation');
export type OperatorConversation = z.infer<typeof operatorConversation>;

export const conversationPresence = z
  .object({ state: z.enum(['viewing', 'typing', 'gone']) })
  .openapi('ConversationPresence');
export type ConversationPresence = z.infer<typeof conversationPresence>;

const common = managementOf('messenger');
const params = z.object(projectParams);
const conversationParams = z.object({ ...projectParams, id: conversationId });
const noProject = { 404: 'Project not found.' };
const noConversation = {
  404: { description: 'Project or conversation not found.', message: 'Conversation not found.' },
};
const SETTINGS_PATH = '/management/v1/projects/{projectId}/support-settings';

export const getSupportSettings = operation({
  ...common,
  operationId: 'getSupportSettings',
  permission: 'support.read',
  method: 'get',
  path: SETTINGS_PATH,
  summary: 'Get the teams, labels, saved replies and views of a project',
  request: { params },
  responses: { 200: jsonResponse('The settings. Version 0 was never changed.', supportSettings) },
  errors: noProject,
});

export const putSupportSettings = operation({
  ...common,
  operationId: 'putSupportSettings',
  permission: 'conversations.reply',
  method: 'put',
  path: SETTINGS_PATH,
  summary: 'Replace the teams, labels, saved replies and views of a project',
  description:
    'Entries that are left out are deleted. Conversations may still name a deleted label or team: ignore its id. Up to 50 teams, 100 labels, 200 saved replies and 50 views.',
  maxBodyBytes: 8_000_000,
  request: {
    params,
    body: jsonBody(supportSettingsDefinition, {
      version: 0,
      teams: [{ name: 'Billing' }],
      labels: [{ name: 'Refund', color: 'orange' }],
      savedReplies: [{ name: 'Hello', body: 'Hello {{visitor.id}}, I am {{agent.name}}.' }],
      views: [{ name: 'Urgent', filter: { status: 'open', priority: 'urgent' } }],
      keepAssigneeDays: 14,
      mailAfterMinutes: 10,
      mailOpensConversations: true,
      asksSatisfaction: true,
    }),
  },
  responses: { 200: jsonResponse('The stored settings.', supportSettings) },
  errors: {
    ...noProject,
    409: {
      description: 'Another version is stored.',
      message: 'version: 4 is stored. Read the settings again.',
    },
  },
});

export const countConversations = operation({
  ...common,
  operationId: 'countConversations',
  permission: 'support.read',
  method: 'get',
  path: '/management/v1/projects/{projectId}/conversation-counts',
  summary: 'Count the conversations that are not resolved',
  request: { params },
  responses: {
    200: jsonResponse(
      'The counts. A view of resolved or rated conversations has none.',
      z.object({
        open: z.int(),
        pending: z.int(),
        snoozed: z.int(),
        mine: z.int().openapi({ description: 'Open and assigned to the caller.' }),
        unassigned: z.int().openapi({ description: 'Open and assigned to no one.' }),
        mentioned: z.int().openapi({ description: 'With a note that mentions the caller; at most 1,000.' }),
        views: z.array(z.object({ id, count: z.int().nullable() })),
      }),
    ),
  },
  errors: noProject,
});

export const changeConversations = operation({
  ...common,
  operationId: 'changeConversations',
  permission: 'conversations.reply',
  method: 'post',
  path: '/management/v1/projects/{projectId}/conversation-changes',
  summary: 'Change one or many conversations',
  description:
    'Assigns, labels, snoozes, resolves or reopens up to 100 conversations at once. Unknown conversations are left out of the response.',
  request: {
    params,
    body: jsonBody(
      z.object({
        conversationIds: z.array(conversationId).min(1).max(SUPPORT_LIMITS.changedAtOnce),
        change: conversationChange,
      }),
      {
        conversationIds: ['cnv_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f'],
        change: { priority: 'high', status: 'resolved' },
      },
    ),
  },
  responses: {
    200: jsonResponse(
      'The conversations after the change.',
      z.object({ conversations: z.array(conversationSummary) }),
    ),
  },
  errors: {
    ...noProject,
    409: {
      description: 'A conversation would have too many labels.',
      message: 'addLabelIds: a conversation has at most 20 labels.',
    },
  },
});

export const addConversationNote = operation({
  ...common,
  operationId: 'addConversationNote',
  permission: 'conversations.reply',
  method: 'post',
  path: '/management/v1/projects/{projectId}/conversations/{id}/notes',
  summary: 'Add a private note to a conversation',
  description:
    'Visitors never see notes. Repeating an Idempotency-Key in a conversation returns the first note again.',
  request: {
    params: conversationParams,
    headers: idempotencyHeaders,
    body: jsonBody(
      z.object({
        body: nonBlankText(SUPPORT_LIMITS.noteCharacters),
        mentions: z
          .array(sub)
          .max(SUPPORT_LIMITS.mentions)
          .default([])
          .openapi({ description: 'Members of the company.' }),
      }),
      { body: 'Is this the same bug as yesterday?' },
    ),
  },
  responses: { 201: jsonResponse('The note.', z.object({ note: conversationNote })) },
  errors: {
    ...noConversation,
    409: {
      description: 'The conversation has too many notes.',
      message: 'The conversation has 200 notes, which is the limit.',
    },
  },
});

export const putConversationPresence = operation({
  ...common,
  operationId: 'putConversationPresence',
  permission: 'support.read',
  method: 'post',
  path: '/management/v1/projects/{projectId}/conversations/{id}/presence',
  summary: 'Tell others that you view a conversation or type a reply',
  description:
    'Other members see it in the stream of conversations. The visitor sees typing alone, with the name in the team of the messenger: send viewing while a private note is typed. Nothing is stored. Repeat viewing every 10 s, typing every 3 s.',
  request: {
    params: conversationParams,
    body: jsonBody(conversationPresence, { state: 'typing' }),
  },
  responses: { 200: jsonResponse('The state that was sent.', conversationPresence) },
  errors: {
    ...noConversation,
    429: {
      description: 'Too many requests. Retry after the time in Retry-After.',
      message: 'Too many requests (presence). Retry after the time in Retry-After.',
    },
  },
});

export const searchTurns = operation({
  ...common,
  operationId: 'searchTurns',
  permission: 'conversations.read',
  method: 'get',
  path: '/management/v1/projects/{projectId}/conversation-search',
  summary: 'Search the turns of conversations',
  description:
    'Finds the newest 50 turns that contain all words, in the forms of the default language of the project. Use quotes for a phrase, `or`, and a minus to exclude a word.',
  request: {
    params,
    query: z.object({ text: nonBlankText(200).openapi({ example: 'refund "last invoice"' }) }),
  },
  responses: {
    200: jsonResponse(
      'The turns, newest first.',
      z.object({
        matches: z.array(
          z.object({
            conversation: conversationSummary,
            turnId: id,
            authorKind: turn.shape.authorKind,
            createdAt: timestamp,
            excerpt: z.string().openapi({ description: 'Up to 200 characters around the first match.' }),
          }),
        ),
      }),
    ),
  },
  errors: {
    ...noProject,
    429: {
      description: 'Too many searches. Retry after the time in Retry-After.',
      message: 'Too many requests (searches). Retry after the time in Retry-After.',
    },
  },
});

const ATTACHMENTS_PATH = '/management/v1/projects/{projectId}/conversations/{id}/attachments';

export const uploadTeammateAttachment = operation({
  ...common,
  operationId: 'uploadTeammateAttachment',
  permission: 'conversations.reply',
  method: 'post',
  path: ATTACHMENTS_PATH,
  summary: 'Upload a file for the next turn of a teammate',
  description:
    'The same files as for visitors: PNG, JPEG, WebP, GIF or PDF of up to 500,000 bytes. A file that is not sent within 24 hours is deleted.',
  maxBodyBytes: ATTACHMENT_MAX_BYTES,
  request: {
    params: conversationParams,
    query: z.object({ name: text({ max: 200 }).default('file').openapi({ example: 'invoice.pdf' }) }),
    body: uploadAttachment.request.body,
  },
  responses: { 201: uploadAttachment.responses[201] },
  errors: {
    ...noConversation,
    429: {
      description: 'Too many uploads. Retry after the time in Retry-After.',
      message: 'Too many requests (uploads-minute). Retry after the time in Retry-After.',
    },
    502: 'ATTACHMENT_STORAGE: The object store failed to store the attachment. Retry later.',
  },
});

export const readTeammateAttachment = operation({
  ...common,
  operationId: 'readTeammateAttachment',
  permission: 'conversations.read',
  method: 'get',
  path: `${ATTACHMENTS_PATH}/{attachmentId}`,
  summary: 'Download a file of a conversation as an operator',
  request: { params: conversationParams.extend({ attachmentId }) },
  responses: { 200: readAttachment.responses[200] },
  errors: {
    404: {
      description: 'ATTACHMENT_NOT_FOUND: Attachment not found.',
      message: { ATTACHMENT_NOT_FOUND: 'Attachment not found.' },
    },
    502: 'ATTACHMENT_STORAGE: The object store failed to read the attachment. Retry later.',
  },
});
