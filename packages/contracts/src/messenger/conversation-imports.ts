import { z } from '@hono/zod-openapi';
import { id, name, nonBlankText, text, timestamp } from '../fields/fields.ts';
import { managementOf, projectParams } from '../management/common.ts';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { authorKind, contactAddress, conversationStatus } from './conversations.ts';
import { conversationPriority, importedFrom, SUPPORT_LIMITS } from './support.ts';

/** The limits of a request that imports conversations. Each conversation is sent whole. */
export const CONVERSATION_IMPORT_LIMITS = {
  conversations: 100,
  turns: 2_000,
  notes: SUPPORT_LIMITS.notes,
  bodyCharacters: 10_000,
  attachmentsOfTurn: 20,
  bytes: 8_000_000,
} as const;

const externalId = nonBlankText(100).openapi({
  description: 'The id in the other product.',
  example: '4711',
});
const authorName = name(200).nullable().optional();

const importedTurn = z
  .object({
    externalId,
    authorKind,
    authorName,
    body: text({ max: CONVERSATION_IMPORT_LIMITS.bodyCharacters }),
    attachmentIds: z
      .array(id)
      .max(CONVERSATION_IMPORT_LIMITS.attachmentsOfTurn)
      .nullable()
      .default([])
      .openapi({
        description:
          'Files that were uploaded to the conversation. null: the files are not uploaded yet; if the turn is not stored yet, it waits, with those after it.',
      }),
    createdAt: timestamp,
  })
  .refine(({ body, attachmentIds }) => body.trim() !== '' || attachmentIds?.length !== 0, {
    path: ['body'],
    message: 'empty without an attachment',
  });

const importedNote = z.object({
  externalId,
  authorName,
  body: nonBlankText(SUPPORT_LIMITS.noteCharacters),
  createdAt: timestamp,
});

export const conversationToImport = z
  .object({
    externalId,
    distinctId: id,
    email: contactAddress.nullable().optional().openapi({
      description: 'Where the visitor gets later replies. The address is not verified.',
    }),
    subject: text({ max: 200 }).nullable().optional(),
    status: conversationStatus,
    snooze: z
      .object({ until: timestamp.nullable() })
      .nullable()
      .default(null)
      .openapi({ description: 'until null: until the visitor writes. A snooze that is over is left out.' }),
    priority: conversationPriority.default('normal'),
    labelIds: z.array(id).max(SUPPORT_LIMITS.labelsOfConversation).default([]),
    createdAt: timestamp,
    turns: z.array(importedTurn).max(CONVERSATION_IMPORT_LIMITS.turns),
    notes: z.array(importedNote).max(CONVERSATION_IMPORT_LIMITS.notes).default([]),
  })
  .refine(({ status, snooze }) => status !== 'resolved' || snooze === null, {
    path: ['snooze'],
    message: 'a resolved conversation cannot be snoozed',
  })
  .openapi('ConversationToImport');
export type ConversationToImport = z.infer<typeof conversationToImport>;

const count = z.int().min(0);

export const importedConversation = z
  .object({
    externalId: z.string(),
    conversationId: id.nullable().openapi({ description: 'null if the conversation is expired.' }),
    outcome: z.enum(['new', 'known', 'expired']).openapi({
      description:
        'known: an earlier request imported the conversation. expired: it is older than the retention of conversations, and is not stored.',
    }),
    turns: count.openapi({ description: 'The number of turns that this request added.' }),
    notes: count.openapi({ description: 'The number of notes that this request added.' }),
    full: count.openapi({
      description: 'The number of turns and notes that are left out because the conversation is full.',
    }),
    waitingFor: z
      .array(z.string())
      .openapi({ description: 'The external ids of the turns that wait for their files.' }),
  })
  .openapi('ImportedConversation');
export type ImportedConversation = z.infer<typeof importedConversation>;

export const importConversations = operation({
  ...managementOf('messenger'),
  operationId: 'importConversations',
  permission: 'imports.write',
  method: 'post',
  path: '/management/v1/projects/{projectId}/conversation-imports',
  summary: 'Import conversations of another product',
  description:
    'Send conversations whole, with turns oldest first: up to 2,000 turns and 200 notes in a conversation, 100 conversations and 8 MB in a request. Importing a conversation again adds what it has gained; its status, snooze, priority and labels change until someone writes in it or changes it here. No one is notified, webhooks are not called, and reports leave imported conversations out. Visitors cannot open them.',
  maxBodyBytes: CONVERSATION_IMPORT_LIMITS.bytes,
  maxBodyValues: 50_000,
  request: {
    params: z.object(projectParams),
    body: jsonBody(
      z.object({
        source: importedFrom,
        dryRun: z.boolean().default(false).openapi({ description: 'Answers without storing anything.' }),
        conversations: z.array(conversationToImport).min(1).max(CONVERSATION_IMPORT_LIMITS.conversations),
      }),
      {
        source: 'chatwoot',
        conversations: [
          {
            externalId: '4711',
            distinctId: 'user-1',
            subject: 'Invoice for March',
            status: 'resolved',
            createdAt: '2025-03-01T09:30:00Z',
            turns: [
              {
                externalId: '90001',
                authorKind: 'visitor',
                body: 'I was charged twice.',
                createdAt: '2025-03-01T09:30:00Z',
              },
              {
                externalId: '90002',
                authorKind: 'teammate',
                authorName: 'Grace Hopper',
                body: 'The second charge is refunded.',
                createdAt: '2025-03-01T09:41:00Z',
              },
            ],
            notes: [
              {
                externalId: '90003',
                authorName: 'Grace Hopper',
                body: 'Refunded by hand.',
                createdAt: '2025-03-01T09:42:00Z',
              },
            ],
          },
        ],
      },
    ),
  },
  responses: {
    200: jsonResponse(
      'The conversations, in the order of the request.',
      z.object({ conversations: z.array(importedConversation) }),
      {
        conversations: [
          {
            externalId: '4711',
            conversationId: 'cnv_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
            outcome: 'new',
            turns: 2,
            notes: 1,
            full: 0,
            waitingFor: [],
          },
        ],
      },
    ),
  },
  errors: {
    404: 'Project not found.',
    409: 'An attachment belongs to another conversation or was already sent. Nothing is stored.',
  },
});
