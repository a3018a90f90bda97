import { z } from '@hono/zod-openapi';
import { jsonAnswer } from '../bodies.ts';
import { operation } from '../operation.ts';
import { attachmentId, conversationId } from '../path-ids.ts';
import { attachmentType, uploadedAttachment } from './conversations.ts';

/** The most an attachment may weigh, in bytes. */
export const ATTACHMENT_MAX_BYTES = 500_000;

const facts = {
  service: 'messenger',
  host: 'api',
  credential: 'conversation',
  errorShape: 'B',
  tag: 'Conversations',
} as const;

const binary = {
  schema: { type: 'string', format: 'binary', description: 'The bytes of the file.' },
} as const;

export const uploadAttachment = operation({
  ...facts,
  operationId: 'uploadAttachment',
  method: 'post',
  path: '/v1/conversations/{id}/attachments',
  summary: "Upload a file for the visitor's next turn",
  description:
    'Raw bytes of a PNG, JPEG, WebP, GIF or PDF of up to 500,000 bytes; the bytes decide the type, never the Content-Type header. Path parts, control characters and bidi marks are taken out of name; an empty one is file. A file not sent within 24 hours is removed. 10 a minute and 60 an hour a conversation, 30 a minute an address.',
  maxBodyBytes: ATTACHMENT_MAX_BYTES,
  request: {
    params: z.object({ id: conversationId }),
    query: z.object({
      // Cleaned before it is measured, by the service: what is taken out does not count.
      name: z.string().default('file').openapi({ maxLength: 200, example: 'screenshot.png' }),
    }),
    body: { required: true, content: { 'application/octet-stream': binary } },
  },
  responses: { 201: jsonAnswer('The file, to be named in attachmentIds.', uploadedAttachment) },
  errors: {
    400: 'ATTACHMENT_UNREAD: the body is empty or could not be received. BAD_REQUEST: the name is too long.',
    403: 'ATTACHMENTS_OFF: the project takes no files, or the key is of another region.',
    413: 'ATTACHMENT_TOO_LARGE: more than 500,000 bytes.',
    415: 'ATTACHMENT_FORMAT: not a PNG, JPEG, WebP, GIF or PDF, or a picture of more than 50 million pixels.',
    429: 'ATTACHMENT_RATE: too many files from this conversation or address; see Retry-After.',
    500: 'ATTACHMENT_FAILED: the file could not be taken.',
    502: 'ATTACHMENT_STORAGE: the object store refused the file.',
    503: 'ATTACHMENT_STORAGE: file storage is not configured. UNAVAILABLE: a dependency is away.',
  },
});

export const readAttachment = operation({
  ...facts,
  operationId: 'readAttachment',
  method: 'get',
  path: '/v1/conversations/{id}/attachments/{attachmentId}',
  summary: 'The bytes of a file of the conversation',
  description: 'With the type it was stored as: a PDF as a download, a picture to show in place.',
  request: { params: z.object({ id: conversationId, attachmentId }) },
  responses: {
    200: {
      description: 'The file.',
      headers: z.object({
        'Content-Disposition': z.string().openapi({ example: "inline; filename*=UTF-8''screenshot.png" }),
        'Cache-Control': z.string().openapi({ example: 'private, max-age=31536000, immutable' }),
        'X-Content-Type-Options': z.string().openapi({ example: 'nosniff' }),
        'Content-Security-Policy': z.string().openapi({ example: "default-src 'none'; sandbox" }),
        'Cross-Origin-Resource-Policy': z.string().openapi({ example: 'cross-origin' }),
      }),
      content: Object.fromEntries(attachmentType.options.map((type) => [type, binary])),
    },
  },
  errors: {
    403: 'ATTACHMENTS_OFF: the key is of another region.',
    404: 'ATTACHMENT_NOT_FOUND: no such file in this conversation.',
    500: 'ATTACHMENT_FAILED: the file could not be read.',
    502: 'ATTACHMENT_STORAGE: the object store did not answer with the file.',
    503: 'ATTACHMENT_STORAGE: file storage is not configured. UNAVAILABLE: a dependency is away.',
  },
});
