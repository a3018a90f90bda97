import { z } from '@hono/zod-openapi';
import { jsonAnswer, jsonBody } from '../bodies.ts';
import { id, isLanguageTag, text, writtenText } from '../fields.ts';
import {
  AVATAR_MAX_BYTES,
  messengerAppearance,
  starterPrompt,
  teamMember,
  theAppearance,
  theTeam,
} from '../messenger/configuration.ts';
import { conversation, conversationStatus, pageContext, turn } from '../messenger/conversations.ts';
import { operation } from '../operation.ts';
import { conversationId, userId } from '../path-ids.ts';
import { managementOf, projectParams } from './facts.ts';

export const messengerTexts = z
  .object({
    greeting: text({ max: 1000 }).optional(),
    awayMessage: text({ max: 1000 }).optional(),
    starterPrompts: z.array(starterPrompt).max(20).optional(),
  })
  .openapi('MessengerTexts');
export type MessengerTexts = z.infer<typeof messengerTexts>;

/** The messenger's texts by language tag. */
export const messengerTextsByLanguage = z
  .record(z.string().max(100).refine(isLanguageTag, 'not a language tag (BCP 47)'), messengerTexts)
  .refine((texts) => Object.keys(texts).length <= 100, 'more than 100 languages');

/** The configuration as it is written: the appearance, the team, and the texts by language. */
export const messengerSettings = messengerAppearance
  .extend({ team: z.array(teamMember).max(50), texts: messengerTextsByLanguage })
  .openapi('MessengerSettings');
export type MessengerSettings = z.infer<typeof messengerSettings>;

/** Who answers visitors, as the project knows them. */
export const teammateDefinition = z
  .object({
    name: writtenText(200),
    initials: text({ max: 10 }).optional(),
    tone: text({ max: 50 }).optional(),
  })
  .openapi('TeammateDefinition');
export type TeammateDefinition = z.infer<typeof teammateDefinition>;

export const teammate = teammateDefinition
  .extend({ id, avatarUrl: z.string().nullable() })
  .openapi('Teammate');
export type Teammate = z.infer<typeof teammate>;

export const messageDefinition = z
  .object({
    title: writtenText(200),
    body: writtenText(10_000),
    distinctIds: z.array(id).min(1).max(10_000).optional().openapi({ description: 'Everyone, when absent.' }),
  })
  .openapi('MessageDefinition');
export type MessageDefinition = z.infer<typeof messageDefinition>;

export const conversationSummary = conversation.omit({ turns: true }).openapi('ConversationSummary');
export type ConversationSummary = z.infer<typeof conversationSummary>;

/** A conversation as an operator sees it: with what is not shown to the visitor. */
export const operatorConversation = conversation
  .extend({
    userId: z.string().nullable(),
    userVerified: z.boolean(),
    turns: z.array(turn.extend({ pageContext: pageContext.nullable() })),
  })
  .openapi('OperatorConversation');
export type OperatorConversation = z.infer<typeof operatorConversation>;

export const teammateTurn = z.object({ authorId: id, body: writtenText(10_000) }).openapi('TeammateTurn');
export type TeammateTurn = z.infer<typeof teammateTurn>;

const facts = managementOf('messenger');
const configPath = '/management/v1/projects/{projectId}/messenger/config';
const teammatePath = '/management/v1/projects/{projectId}/team/{userId}';
const secretsPath = '/management/v1/projects/{projectId}/identity-secrets';
const conversationsPath = '/management/v1/projects/{projectId}/conversations';
const params = z.object(projectParams);
const teammateParams = z.object({ ...projectParams, userId });
const conversationParams = z.object({ ...projectParams, id: conversationId });
const noProject = { 404: 'No such project.' };
const noConversation = { 404: 'No such project or conversation.' };

export const getMessengerSettings = operation({
  ...facts,
  operationId: 'getMessengerSettings',
  method: 'get',
  path: configPath,
  summary: "A project's messenger configuration as written",
  request: { params },
  responses: { 200: jsonAnswer('The configuration.', messengerSettings) },
  errors: { 404: 'No such project, or it was never configured.' },
});

export const putMessengerSettings = operation({
  ...facts,
  operationId: 'putMessengerSettings',
  method: 'put',
  path: configPath,
  summary: "Write a project's messenger configuration, whole",
  description:
    'html of starter prompts keeps a, b, strong, i, em, code and br, and http(s) and mailto links; anything else is taken out. avatarUrl of a team member is a path that the avatar upload answered.',
  maxBodyBytes: 1024 * 1024,
  request: {
    params,
    body: jsonBody(messengerSettings, {
      ...theAppearance,
      team: theTeam,
      texts: {
        en: {
          greeting: 'Hello! How can we help?',
          starterPrompts: [{ html: 'Where is <b>my order</b>?', text: 'Where is my order?' }],
        },
        de: { greeting: 'Hallo! Wie können wir helfen?' },
      },
    }),
  },
  responses: { 200: jsonAnswer('The configuration as stored.', messengerSettings) },
  errors: noProject,
});

export const getTeammate = operation({
  ...facts,
  operationId: 'getTeammate',
  method: 'get',
  path: teammatePath,
  summary: 'One who answers visitors',
  request: { params: teammateParams },
  responses: { 200: jsonAnswer('The teammate.', teammate) },
  errors: { 404: 'No such project or teammate.' },
});

export const putTeammate = operation({
  ...facts,
  operationId: 'putTeammate',
  method: 'put',
  path: teammatePath,
  summary: 'Create or replace one who answers visitors',
  description: 'Keeps the avatar.',
  request: {
    params: teammateParams,
    body: jsonBody(teammateDefinition, { name: 'Grace Hopper', initials: 'GH' }),
  },
  responses: { 200: jsonAnswer('The teammate as stored.', teammate) },
  errors: noProject,
});

export const putTeammateAvatar = operation({
  ...facts,
  operationId: 'putTeammateAvatar',
  method: 'put',
  path: '/management/v1/projects/{projectId}/team/{userId}/avatar',
  summary: 'Upload the picture of a teammate',
  description: 'Raw bytes of a PNG, JPEG, WebP or SVG of up to 1 MB; the bytes decide the type.',
  maxBodyBytes: AVATAR_MAX_BYTES,
  request: {
    params: teammateParams,
    body: {
      required: true,
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    },
  },
  responses: {
    200: jsonAnswer('The path of the avatar endpoint.', z.object({ url: z.string() }), {
      url: '/v1/messenger/avatar/grace/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.png',
    }),
  },
  errors: {
    404: 'No such project or teammate.',
    415: 'Not a PNG, JPEG, WebP or SVG.',
    502: 'The object store refused the picture.',
    503: 'Picture storage is not configured, or a dependency is away.',
  },
});

export const createIdentitySecret = operation({
  ...facts,
  operationId: 'createIdentitySecret',
  method: 'post',
  path: secretsPath,
  summary: 'Make an identity secret, which proves a visitor to be a user',
  description: 'The secret is answered this once. From the first one on, a userId needs its userHash.',
  request: { params },
  responses: { 201: jsonAnswer('The secret.', z.object({ id, secret: z.string() })) },
  errors: { ...noProject, 409: 'Two secrets are live already.' },
});

export const deleteIdentitySecret = operation({
  ...facts,
  operationId: 'deleteIdentitySecret',
  method: 'delete',
  path: '/management/v1/projects/{projectId}/identity-secrets/{id}',
  summary: 'Remove an identity secret',
  request: { params: z.object({ ...projectParams, id }) },
  responses: { 204: { description: 'It is not there (any more).' } },
});

export const sendMessage = operation({
  ...facts,
  operationId: 'sendMessage',
  method: 'post',
  path: '/management/v1/projects/{projectId}/messages',
  summary: 'Put a message into in-app inboxes',
  maxBodyBytes: 4 * 1024 * 1024,
  request: {
    params,
    body: jsonBody(messageDefinition, { title: 'New: saved views', body: 'Keep the filters you use.' }),
  },
  responses: { 201: jsonAnswer('The message.', z.object({ id })) },
  errors: noProject,
});

export const listConversations = operation({
  ...facts,
  operationId: 'listConversations',
  method: 'get',
  path: conversationsPath,
  summary: 'Conversations of a project, latest turn first',
  description: '50 a page. cursor is the nextCursor of the page before; null on the last.',
  request: {
    params,
    query: z.object({ status: conversationStatus.optional(), cursor: text({ max: 500 }).optional() }),
  },
  responses: {
    200: jsonAnswer(
      'A page of conversations.',
      z.object({ conversations: z.array(conversationSummary), nextCursor: z.string().nullable() }),
    ),
  },
  errors: noProject,
});

export const readConversation = operation({
  ...facts,
  operationId: 'readConversation',
  method: 'get',
  path: '/management/v1/projects/{projectId}/conversations/{id}',
  summary: 'A conversation with its turns and where they were written',
  request: { params: conversationParams },
  responses: { 200: jsonAnswer('The conversation.', operatorConversation) },
  errors: noConversation,
});

export const appendTeammateTurn = operation({
  ...facts,
  operationId: 'appendTeammateTurn',
  method: 'post',
  path: '/management/v1/projects/{projectId}/conversations/{id}/turns',
  summary: 'Answer a visitor as a teammate',
  description: 'Sets the status to pending.',
  request: {
    params: conversationParams,
    body: jsonBody(teammateTurn, { authorId: 'grace', body: 'I am looking into it.' }),
  },
  responses: { 201: jsonAnswer('The turn.', z.object({ turn })) },
  errors: noConversation,
});

export const putConversationStatus = operation({
  ...facts,
  operationId: 'putConversationStatus',
  method: 'put',
  path: '/management/v1/projects/{projectId}/conversations/{id}/status',
  summary: 'Set the status of a conversation',
  request: {
    params: conversationParams,
    body: jsonBody(z.object({ status: conversationStatus }), { status: 'resolved' }),
  },
  responses: { 200: jsonAnswer('The status as stored.', z.object({ status: conversationStatus })) },
  errors: noConversation,
});
