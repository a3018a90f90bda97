import { z } from '@hono/zod-openapi';
import { emailAddress, id, text, timestamp } from '../fields/fields.ts';
import { conversationId } from '../fields/ids.ts';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { idempotencyHeaders } from '../operation/headers.ts';
import { operation } from '../operation/operation.ts';

/** The number of conversations that a visitor follows on a socket, and that a verified user has unresolved. */
export const VISITOR_CONVERSATIONS = 20;

export const conversationStatus = z.enum(['open', 'pending', 'resolved']).openapi('ConversationStatus');
export type ConversationStatus = z.infer<typeof conversationStatus>;

export const authorKind = z.enum(['visitor', 'teammate', 'bot', 'system']).openapi('AuthorKind');
export type AuthorKind = z.infer<typeof authorKind>;

export const attachmentType = z.enum([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'application/pdf',
]);
export type AttachmentType = z.infer<typeof attachmentType>;

/** A file as returned by its upload. */
export const uploadedAttachment = z
  .object({ id, name: z.string(), contentType: attachmentType, bytes: z.int() })
  .openapi('UploadedAttachment', {
    example: {
      id: 'att_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
      name: 'screenshot.png',
      contentType: 'image/png',
      bytes: 48_213,
    },
  });
export type UploadedAttachment = z.infer<typeof uploadedAttachment>;

export const attachment = uploadedAttachment
  .extend({ url: z.string().openapi({ description: 'Path of the download endpoint.' }) })
  .openapi('Attachment');
export type Attachment = z.infer<typeof attachment>;

const turnExample = {
  id: 'trn_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
  authorKind: 'visitor' as const,
  authorId: null,
  body: 'I was charged twice.',
  createdAt: '2026-03-01T09:30:00.000Z',
  authorName: null,
  authorAvatarUrl: null,
  attachments: [],
};

const conversationExample = {
  id: 'cnv_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
  distinctId: 'user-1',
  subject: 'Invoice for March',
  status: 'open' as const,
  lastTurnAt: '2026-03-01T09:30:00.000Z',
  createdAt: '2026-03-01T09:29:00.000Z',
  visitorReadAt: null,
  teammateReadAt: '2026-03-01T09:30:00.000Z',
  turns: [turnExample],
};

export const turn = z
  .object({
    id,
    authorKind,
    authorId: z.string().nullable().optional(),
    body: z.string(),
    createdAt: timestamp,
    authorName: z.string().nullable().optional(),
    authorAvatarUrl: z
      .string()
      .nullable()
      .optional()
      .openapi({ description: 'Path of the avatar endpoint.' }),
    attachments: z.array(attachment),
  })
  .openapi('Turn', { example: turnExample });
export type Turn = z.infer<typeof turn>;

export const conversation = z
  .object({
    id,
    distinctId: z.string(),
    subject: z.string().nullable().optional(),
    status: conversationStatus,
    lastTurnAt: timestamp,
    createdAt: timestamp,
    visitorReadAt: timestamp.nullable().openapi({
      description: 'The time of the last turn that the visitor has seen, on any device.',
    }),
    teammateReadAt: timestamp.nullable().openapi({
      description: 'The time of the last turn that a teammate has read.',
    }),
    turns: z.array(turn),
  })
  .openapi('Conversation');
export type Conversation = z.infer<typeof conversation>;

/** An address that conversations send mail to. The interface of mail servers limits it to 254 characters. */
export const contactAddress = emailAddress.max(254);

export const conversationRequest = z
  .object({
    distinctId: id,
    subject: text({ max: 200 }).nullable().optional(),
    userId: id.nullable().optional(),
    userHash: text({ max: 200 }).nullable().optional().openapi({
      description: 'HMAC-SHA256 of userId with an identity secret of the project, in lowercase hex.',
    }),
    email: contactAddress.nullable().optional().openapi({
      description:
        'Where the visitor gets replies that they have not read. The address is not verified. Mails are in the language of Accept-Language.',
      example: 'ada@example.com',
    }),
  })
  .refine(({ userId = null, userHash = null }) => userHash === null || userId !== null, {
    path: ['userHash'],
    message: 'needs userId',
  })
  .openapi('ConversationRequest');
export type ConversationRequest = z.infer<typeof conversationRequest>;

export const openedConversation = z
  .object({ conversationId: id, token: z.string(), expiresInSeconds: z.int() })
  .openapi('OpenedConversation', {
    example: {
      conversationId: 'cnv_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
      token: 'cvt_q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c',
      expiresInSeconds: 2_592_000,
    },
  });
export type OpenedConversation = z.infer<typeof openedConversation>;

export const pageContext = z
  .object({ host: text({ max: 255 }), path: text({ max: 2048 }), title: text({ max: 500 }) })
  .openapi('PageContext', {
    description: 'The page from which the turn was sent. Not shown to the visitor.',
  });
export type PageContext = z.infer<typeof pageContext>;

export const turnRequest = z
  .object({
    body: text({ max: 10_000 }),
    pageContext: pageContext.optional(),
    attachmentIds: z.array(id).max(3).optional(),
  })
  .refine(({ body, attachmentIds }) => body.trim() !== '' || (attachmentIds ?? []).length > 0, {
    path: ['body'],
    message: 'empty without an attachment',
  })
  .openapi('TurnRequest');
export type TurnRequest = z.infer<typeof turnRequest>;

const common = {
  service: 'messenger',
  host: 'api',
  credential: 'conversation',
  errorShape: 'A',
  tag: 'Conversations',
} as const;

const params = z.object({ id: conversationId });

/** The query of a read that excludes the turns that a client already has. */
export const afterTurn = z.object({
  after: id.optional().openapi({
    description: 'The id of a turn: only the turns after it are returned.',
    example: 'trn_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
  }),
});

export const openConversation = operation({
  ...common,
  credential: 'project-key',
  operationId: 'openConversation',
  method: 'post',
  path: '/v1/conversations',
  summary: 'Open a support conversation',
  description: `The token is returned once and is the only credential for the conversation. It is valid for 30 days; every turn or read renews it, up to 180 days after opening. If the project has an identity secret, a userId without a valid userHash gets 403. Otherwise userId is stored as unverified. A verified user has at most ${VISITOR_CONVERSATIONS} conversations that are not resolved. Limits: 30 conversations per minute for an IP address in a project, 600 per minute for a project.`,
  request: {
    body: jsonBody(conversationRequest, { distinctId: 'user-1', subject: 'Invoice for March' }),
  },
  responses: { 201: jsonResponse('The conversation and its token.', openedConversation) },
  errors: {
    403: {
      description: 'The project key belongs to another region, or userHash does not match userId.',
      message:
        'userHash: not the lower-case hex HMAC-SHA256 of userId with an identity secret of the project',
    },
    409: {
      description: `The verified user has ${VISITOR_CONVERSATIONS} conversations that are not resolved.`,
      message: 'The user has 20 conversations that are not resolved. Write in one of them.',
    },
    429: {
      description: 'Too many conversations. Retry after the time in Retry-After.',
      message: 'Too many requests (opens-address). Retry after the time in Retry-After.',
    },
  },
});

export const appendTurn = operation({
  ...common,
  operationId: 'appendTurn',
  method: 'post',
  path: '/v1/conversations/{id}/turns',
  summary: 'Append a turn of the visitor',
  description:
    'body may be empty if attachmentIds has a file. Sets the status to open. Repeating an Idempotency-Key in a conversation returns the first turn again. Limits: 60 turns per minute and conversation, 2,000 per minute for an IP address in a project.',
  request: {
    params,
    headers: idempotencyHeaders,
    body: jsonBody(turnRequest, {
      body: 'I was charged twice.',
      pageContext: { host: 'shop.example.com', path: '/invoices', title: 'Invoices' },
    }),
  },
  responses: { 201: jsonResponse('The turn.', z.object({ turn }), { turn: turnExample }) },
  errors: {
    409: {
      description:
        'An attachment belongs to another conversation or was already sent, or the conversation is full: it holds at most 2,000 turns and 4 MB of text. Nothing is stored.',
      message: 'attachmentIds: names an attachment that is not in this conversation or was already sent',
    },
    429: {
      description: 'Too many turns. Retry after the time in Retry-After.',
      message: 'Too many requests (turns). Retry after the time in Retry-After.',
    },
  },
});

export const getConversation = operation({
  ...common,
  operationId: 'getConversation',
  method: 'get',
  path: '/v1/conversations/{id}',
  summary: 'Get a conversation with its turns',
  description:
    'Turns are sorted oldest first. status is open after a turn of the visitor, pending after a turn of a teammate, or as set by an operator. An unknown id gets 401, like an invalid token. Limits: 120 reads per minute and conversation, 3,000 per minute for an IP address in a project.',
  request: { params, query: afterTurn },
  responses: { 200: jsonResponse('The conversation.', conversation, conversationExample) },
  errors: {
    429: {
      description: 'Too many reads. Retry after the time in Retry-After.',
      message: 'Too many requests (reads). Retry after the time in Retry-After.',
    },
  },
});
