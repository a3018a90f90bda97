import { z } from '@hono/zod-openapi';
import { id, isLanguageTag, name, nonBlankText, text, timestamp } from '../fields/fields.ts';
import { conversationId, userId } from '../fields/ids.ts';
import { appearanceSettings, tone } from '../messenger/appearance.ts';
import {
  AVATAR_MAX_BYTES,
  appearanceExample,
  starterPrompt,
  teamExample,
  teamMember,
} from '../messenger/configuration.ts';
import { afterTurn, conversationStatus, turn } from '../messenger/conversations.ts';
import { articleSearch } from '../messenger/settings.ts';
import { conversationFilterQuery, conversationSummary, operatorConversation } from '../messenger/support.ts';
import { deleted, jsonBody, jsonResponse } from '../operation/bodies.ts';
import { idempotencyHeaders } from '../operation/headers.ts';
import { operation } from '../operation/operation.ts';
import { paging } from '../operation/paging.ts';
import { managementOf, projectParams } from './common.ts';

export const messengerTexts = z
  .object({
    greeting: text({ max: 1000 }).optional(),
    awayMessage: text({ max: 1000 }).optional(),
    starterPrompts: z.array(starterPrompt).max(20).optional(),
  })
  .openapi('MessengerTexts');
export type MessengerTexts = z.infer<typeof messengerTexts>;

/** Messenger texts by language tag. */
export const messengerTextsByLanguage = z
  .record(z.string().max(100).refine(isLanguageTag, 'not a BCP 47 language tag'), messengerTexts)
  .refine((texts) => Object.keys(texts).length <= 100, 'more than 100 languages');

/** The stored configuration: appearance, team and texts by language. */
export const messengerSettings = appearanceSettings
  .extend({
    team: z.array(teamMember).max(50).default([]),
    texts: messengerTextsByLanguage.default({}),
  })
  .openapi('MessengerSettings');
export type MessengerSettings = z.infer<typeof messengerSettings>;

/** A person who replies to visitors. */
export const teammateDefinition = z
  .object({
    name: name(200),
    initials: text({ max: 10 }).optional(),
    tone: tone.optional(),
  })
  .openapi('TeammateDefinition');
export type TeammateDefinition = z.infer<typeof teammateDefinition>;

export const teammate = teammateDefinition
  .extend({ id, tone: z.string().optional(), avatarUrl: z.string().nullable() })
  .openapi('Teammate');
export type Teammate = z.infer<typeof teammate>;

export const messageDefinition = z
  .object({
    title: nonBlankText(200),
    body: nonBlankText(10_000),
    distinctIds: z
      .array(id)
      .min(1)
      .max(10_000)
      .optional()
      .openapi({ description: 'The recipients. Default: everyone.' }),
    sendAt: timestamp.optional().openapi({
      description: 'When to send it, within a year. Default, and for a time that is past: at once.',
    }),
  })
  .openapi('MessageDefinition');
export type MessageDefinition = z.infer<typeof messageDefinition>;

/** A sent message, as its senders see it. */
export const sentMessage = z
  .object({
    id,
    title: z.string(),
    body: z.string(),
    toEveryone: z.boolean().openapi({ description: 'False if the message was sent to selected people.' }),
    createdAt: z.iso.datetime().openapi({ description: 'When it was or will be sent.' }),
    isScheduled: z.boolean().openapi({ description: 'Whether it is not sent yet.' }),
    recipients: z
      .int()
      .nullable()
      .openapi({ description: 'The number of distinct ids that it is for. null: everyone.' }),
    reads: z.int().openapi({ description: 'The number of distinct ids that read it, up to 10,000.' }),
  })
  .openapi('SentMessage');
export type SentMessage = z.infer<typeof sentMessage>;

export const teammateTurn = z
  .object({
    authorId: id.optional().openapi({
      description: 'Default: the caller. Another author needs the permission conversations.reply-as.',
    }),
    body: text({ max: 10_000 }),
    attachmentIds: z.array(id).max(3).optional(),
  })
  .refine(({ body, attachmentIds }) => body.trim() !== '' || (attachmentIds ?? []).length > 0, {
    path: ['body'],
    message: 'empty without an attachment',
  })
  .openapi('TeammateTurn');
export type TeammateTurn = z.infer<typeof teammateTurn>;

const common = managementOf('messenger');
const page = paging(50);
const CONFIG_PATH = '/management/v1/projects/{projectId}/messenger/config';
// Not below `messenger`: the console's path would be that of putArticleSearch.
const ARTICLE_SEARCH_PATH = '/management/v1/projects/{projectId}/article-search';
const TEAMMATE_PATH = '/management/v1/projects/{projectId}/team/{userId}';
const SECRETS_PATH = '/management/v1/projects/{projectId}/identity-secrets';
const CONVERSATIONS_PATH = '/management/v1/projects/{projectId}/conversations';
const MESSAGES_PATH = '/management/v1/projects/{projectId}/messages';
const params = z.object(projectParams);
const versionHeader = z.object({ ETag: z.string() });
const teammateParams = z.object({ ...projectParams, userId });
const conversationParams = z.object({ ...projectParams, id: conversationId });
const noProject = { 404: 'Project not found.' };
const noConversation = {
  404: { description: 'Project or conversation not found.', message: 'Conversation not found.' },
};

export const getMessengerSettings = operation({
  ...common,
  operationId: 'getMessengerSettings',
  permission: 'messenger.read',
  method: 'get',
  path: CONFIG_PATH,
  summary: 'Get the messenger configuration of a project',
  request: { params },
  responses: { 200: { ...jsonResponse('The configuration.', messengerSettings), headers: versionHeader } },
  errors: {
    404: {
      description: 'The project was not found, or its messenger was never configured.',
      message: 'Messenger configuration not found.',
    },
  },
});

export const putMessengerSettings = operation({
  ...common,
  operationId: 'putMessengerSettings',
  permission: 'messenger.write',
  method: 'put',
  path: CONFIG_PATH,
  summary: 'Create or replace the messenger configuration',
  description:
    'Every setting has a default, so {} is a valid configuration. The html of starter prompts may contain a, b, strong, i, em, code and br, and http(s) and mailto links; anything else is removed. With If-Match, the configuration is replaced only if it still has the ETag that you read. avatarUrl of a team member is a path returned by the avatar upload.',
  maxBodyBytes: 1024 * 1024,
  request: {
    params,
    headers: z.object({
      'If-Match': text({ min: 1, max: 50 }).optional().openapi({ example: '"Jw8FyCLNm2UQ0d5u3p9f1A"' }),
    }),
    body: jsonBody(messengerSettings, {
      ...appearanceExample,
      team: teamExample,
      texts: {
        en: {
          greeting: 'Hello! How can we help?',
          starterPrompts: [{ html: 'Where is <b>my order</b>?', text: 'Where is my order?' }],
        },
        de: { greeting: 'Hallo! Wie können wir helfen?' },
      },
    }),
  },
  responses: {
    200: { ...jsonResponse('The stored configuration.', messengerSettings), headers: versionHeader },
  },
  errors: {
    ...noProject,
    412: {
      description: 'The stored configuration does not have the ETag that If-Match names.',
      message:
        'If-Match: the messenger configuration was changed since you read it. Read it again and repeat your change.',
    },
  },
});

export const getManagedArticleSearch = operation({
  ...common,
  operationId: 'getManagedArticleSearch',
  permission: 'messenger.read',
  method: 'get',
  path: ARTICLE_SEARCH_PATH,
  summary: 'Get the article search of a project',
  description: 'It is off with placement tab until you change it.',
  request: { params },
  responses: { 200: jsonResponse('The setting.', articleSearch) },
  errors: noProject,
});

export const putManagedArticleSearch = operation({
  ...common,
  operationId: 'putManagedArticleSearch',
  permission: 'messenger.write',
  method: 'put',
  path: ARTICLE_SEARCH_PATH,
  summary: 'Turn the article search of a project on or off',
  description:
    'Like putArticleSearch: turning it on requires a plan that includes it, even if it was on before. Turning it off is always allowed.',
  request: { params, body: jsonBody(articleSearch, { on: true, placement: 'tab' }) },
  responses: { 200: jsonResponse('The stored setting.', articleSearch) },
  errors: { ...noProject, 402: 'PLAN_REQUIRED: Your plan does not include article search.' },
});

export const getTeammate = operation({
  ...common,
  operationId: 'getTeammate',
  permission: 'messenger.read',
  method: 'get',
  path: TEAMMATE_PATH,
  summary: 'Get a teammate',
  request: { params: teammateParams },
  responses: { 200: jsonResponse('The teammate.', teammate) },
  errors: { 404: { description: 'Project or teammate not found.', message: 'Teammate not found.' } },
});

export const putTeammate = operation({
  ...common,
  operationId: 'putTeammate',
  permission: 'messenger.write',
  method: 'put',
  path: TEAMMATE_PATH,
  summary: 'Create or replace a teammate',
  description: 'A teammate answers visitors. Replacing one keeps the avatar.',
  request: {
    params: teammateParams,
    body: jsonBody(teammateDefinition, { name: 'Grace Hopper', initials: 'GH' }),
  },
  responses: { 200: jsonResponse('The stored teammate.', teammate) },
  errors: noProject,
});

export const putTeammateAvatar = operation({
  ...common,
  operationId: 'putTeammateAvatar',
  permission: 'messenger.write',
  method: 'put',
  path: '/management/v1/projects/{projectId}/team/{userId}/avatar',
  summary: 'Upload the avatar of a teammate',
  description:
    'Send the raw bytes of a PNG, JPEG, WebP or SVG image of up to 1 MB, not a multipart form. The type is detected from the bytes.',
  maxBodyBytes: AVATAR_MAX_BYTES,
  request: {
    params: teammateParams,
    body: {
      required: true,
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    },
  },
  responses: {
    200: jsonResponse('The path of the avatar.', z.object({ url: z.string() }), {
      url: '/v1/messenger/avatar/grace/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.png',
    }),
  },
  errors: {
    404: { description: 'Project or teammate not found.', message: 'Teammate not found.' },
    415: 'Not a complete PNG, JPEG, WebP or SVG file, or an image of more than 50 million pixels.',
    502: 'The object store failed to store the avatar. Retry later.',
    503: {
      description: 'Object storage is not configured, or the service is temporarily unavailable.',
      message: 'Avatar storage is not configured for this deployment.',
    },
  },
});

export const createIdentitySecret = operation({
  ...common,
  operationId: 'createIdentitySecret',
  permission: 'secrets.write',
  method: 'post',
  path: SECRETS_PATH,
  summary: 'Create an identity secret',
  description:
    'Identity secrets verify the userId of visitors. The value is returned once. As soon as a project has a secret, a userId requires a userHash.',
  request: { params },
  responses: { 201: jsonResponse('The secret.', z.object({ id, secret: z.string() })) },
  errors: { ...noProject, 409: 'The project already has two identity secrets; delete one of them first.' },
});

export const deleteIdentitySecret = operation({
  ...common,
  operationId: 'deleteIdentitySecret',
  permission: 'secrets.write',
  method: 'delete',
  path: '/management/v1/projects/{projectId}/identity-secrets/{id}',
  summary: 'Delete an identity secret',
  request: { params: z.object({ ...projectParams, id }) },
  responses: { 204: deleted },
});

export const sendMessage = operation({
  ...common,
  operationId: 'sendMessage',
  permission: 'messages.send',
  method: 'post',
  path: MESSAGES_PATH,
  summary: 'Send an in-app message',
  description:
    'Repeating an Idempotency-Key in a project sends nothing and returns the id of the first message. With sendAt, inboxes list the message from that time on; its recipients are those of the request.',
  maxBodyBytes: 4 * 1024 * 1024,
  maxBodyValues: 20_000,
  request: {
    params,
    headers: idempotencyHeaders,
    body: jsonBody(messageDefinition, { title: 'New: saved views', body: 'Keep the filters you use.' }),
  },
  responses: { 201: jsonResponse('The message.', z.object({ id })) },
  errors: noProject,
});

export const listSentMessages = operation({
  ...common,
  operationId: 'listSentMessages',
  permission: 'messages.send',
  method: 'get',
  path: MESSAGES_PATH,
  summary: 'List the in-app messages of a project',
  description: `Sent and scheduled ones, by the time of sending, latest first. ${page.description}`,
  request: { params, query: z.object(page.query) },
  responses: {
    200: jsonResponse('A page of messages.', z.object({ messages: z.array(sentMessage), ...page.answer })),
  },
  errors: noProject,
});

export const cancelMessage = operation({
  ...common,
  operationId: 'cancelMessage',
  permission: 'messages.send',
  method: 'delete',
  path: '/management/v1/projects/{projectId}/messages/{id}',
  summary: 'Cancel a scheduled in-app message',
  description: 'Removes the message. A message that was sent stays in the inboxes.',
  request: { params: z.object({ ...projectParams, id }) },
  responses: { 204: deleted },
  errors: {
    404: { description: 'Project or message not found.', message: 'Message not found.' },
    409: 'The message was already sent.',
  },
});

export const listConversations = operation({
  ...common,
  operationId: 'listConversations',
  permission: 'conversations.read',
  method: 'get',
  path: CONVERSATIONS_PATH,
  summary: 'List the conversations of a project',
  description: page.description,
  request: {
    params,
    query: z.object({
      ...conversationFilterQuery,
      sort: z.enum(['latest', 'waiting']).default('latest').openapi({
        description:
          'latest: the latest turn first. waiting: only conversations that wait for an answer, longest first.',
      }),
      distinctId: id.optional().openapi({
        description: 'Any distinct id of a person: only conversations of that person, with all of its ids.',
      }),
      ...page.query,
    }),
  },
  responses: {
    200: jsonResponse(
      'A page of conversations.',
      z.object({ conversations: z.array(conversationSummary), ...page.answer }),
    ),
  },
  errors: noProject,
});

export const readConversation = operation({
  ...common,
  operationId: 'readConversation',
  permission: 'conversations.read',
  method: 'get',
  path: '/management/v1/projects/{projectId}/conversations/{id}',
  summary: 'Get a conversation as an operator',
  description: 'Marks the conversation as read by the caller, and tells the visitor.',
  request: { params: conversationParams, query: afterTurn },
  responses: { 200: jsonResponse('The conversation.', operatorConversation) },
  errors: noConversation,
});

export const appendTeammateTurn = operation({
  ...common,
  operationId: 'appendTeammateTurn',
  permission: 'conversations.reply',
  method: 'post',
  path: '/management/v1/projects/{projectId}/conversations/{id}/turns',
  summary: 'Append a turn of a teammate',
  description:
    'Sets the status to pending. Repeating an Idempotency-Key in a conversation returns the first turn again.',
  request: {
    params: conversationParams,
    headers: idempotencyHeaders,
    body: jsonBody(teammateTurn, { body: 'I am looking into it.' }),
  },
  responses: { 201: jsonResponse('The turn.', z.object({ turn })) },
  errors: {
    ...noConversation,
    409: 'An attachment belongs to another conversation or was already sent, or the conversation is full: it holds at most 2,000 turns and 4 MB of text. Open a new one.',
  },
});

export const putConversationStatus = operation({
  ...common,
  operationId: 'putConversationStatus',
  permission: 'conversations.reply',
  method: 'put',
  path: '/management/v1/projects/{projectId}/conversations/{id}/status',
  summary: 'Set the status of a conversation',
  request: {
    params: conversationParams,
    body: jsonBody(z.object({ status: conversationStatus }), { status: 'resolved' }),
  },
  responses: { 200: jsonResponse('The stored status.', z.object({ status: conversationStatus })) },
  errors: noConversation,
});

/** The conversation tokens to revoke: exactly one of the three. */
export const conversationTokenRevocation = z
  .object({
    conversationId: id.optional(),
    distinctId: id.optional().openapi({ description: 'All conversations of this person.' }),
    userId: id.optional().openapi({ description: 'All conversations of this user.' }),
  })
  .refine((named) => Object.values(named).filter((value) => value !== undefined).length === 1, {
    error: 'name exactly one of conversationId, distinctId and userId',
  })
  .openapi('ConversationTokenRevocation');
export type ConversationTokenRevocation = z.infer<typeof conversationTokenRevocation>;

export const revokeConversationTokens = operation({
  ...common,
  operationId: 'revokeConversationTokens',
  permission: 'conversations.revoke',
  method: 'post',
  path: '/management/v1/projects/{projectId}/conversation-token-revocations',
  summary: "Revoke visitors' conversation tokens",
  description:
    'Revokes the tokens of one conversation, or of all conversations of a person. The conversations stay, and the visitor can open new ones. Sockets that follow the conversations are closed within seconds.',
  request: {
    params: z.object(projectParams),
    body: jsonBody(conversationTokenRevocation, { distinctId: 'visitor-1' }),
  },
  responses: {
    200: jsonResponse('The number of tokens that were valid.', z.object({ revoked: z.int().min(0) })),
  },
  errors: { 404: 'Project not found.' },
});
