import { z } from '@hono/zod-openapi';
import { attachmentId, conversationId } from '../fields/ids.ts';
import { jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { attachmentType, uploadedAttachment } from './conversations.ts';

/** Maximum size of an attachment in bytes. */
export const ATTACHMENT_MAX_BYTES = 500_000;

const common = {
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
  ...common,
  operationId: 'uploadAttachment',
  method: 'post',
  path: '/v1/conversations/{id}/attachments',
  summary: 'Upload a file for the next turn of the visitor',
  description:
    'Send the raw bytes of a PNG, JPEG, WebP, GIF or PDF file of up to 500,000 bytes, not a multipart form. The type is detected from the bytes; Content-Type is ignored. Path segments, control characters and bidirectional marks are removed from name; an empty name becomes file. A file that is not sent within 24 hours is deleted. Limits: 10 per minute and 60 per hour for a conversation, 30 per minute for an IP address.',
  maxBodyBytes: ATTACHMENT_MAX_BYTES,
  request: {
    params: z.object({ id: conversationId }),
    query: z.object({
      // The service enforces the maximum length after it has cleaned the name.
      name: z.string().default('file').openapi({ maxLength: 200, example: 'screenshot.png' }),
    }),
    body: { required: true, content: { 'application/octet-stream': binary } },
  },
  responses: { 201: jsonResponse('The file. Send its id in attachmentIds.', uploadedAttachment) },
  errors: {
    400: {
      description:
        'ATTACHMENT_UNREAD: The body is empty or was not received completely. BAD_REQUEST: The name is too long.',
      message: {
        ATTACHMENT_UNREAD: 'The body is empty; send the bytes of the file.',
        BAD_REQUEST: 'name: longer than 200 characters',
      },
    },
    403: {
      description:
        'ATTACHMENTS_OFF: Attachments are off for the project, or the key belongs to another region.',
      message: { ATTACHMENTS_OFF: 'Attachments are turned off for this project.' },
    },
    413: {
      description: 'ATTACHMENT_TOO_LARGE: The file is larger than 500,000 bytes.',
      message: { ATTACHMENT_TOO_LARGE: 'body: larger than 500000 bytes' },
    },
    415: 'ATTACHMENT_FORMAT: Not a complete PNG, JPEG, WebP, GIF or PDF file, or an image of more than 50 million pixels.',
    429: {
      description:
        'ATTACHMENT_RATE: Too many uploads from this conversation or IP address. Retry after the time in Retry-After.',
      message: {
        ATTACHMENT_RATE: 'Too many requests (uploads-minute). Retry after the time in Retry-After.',
      },
    },
    500: {
      description: 'ATTACHMENT_FAILED: The file could not be processed.',
      message: {
        ATTACHMENT_FAILED: 'Internal error. Report request id 0198c5f1-6d2a-7c3e-9f40-5b8d2e1a7c64.',
      },
    },
    502: 'ATTACHMENT_STORAGE: The object store failed to store the attachment. Retry later.',
    503: 'ATTACHMENT_STORAGE: Attachment storage is not configured for this deployment. UNAVAILABLE: Service temporarily unavailable. Retry after the time in Retry-After.',
  },
});

export const readAttachment = operation({
  ...common,
  operationId: 'readAttachment',
  method: 'get',
  path: '/v1/conversations/{id}/attachments/{attachmentId}',
  summary: 'Download a file of the conversation',
  description:
    'Returns the file with its stored type: a PDF as a download, an image for inline display. Limit: 3,000 per minute for an IP address in a project.',
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
    403: {
      description: 'ATTACHMENTS_OFF: The key belongs to another region.',
      message: { ATTACHMENTS_OFF: 'The project key belongs to region us; this host serves region eu.' },
    },
    404: 'ATTACHMENT_NOT_FOUND: Attachment not found.',
    429: {
      description: 'ATTACHMENT_RATE: Too many downloads. Retry after the time in Retry-After.',
      message: {
        ATTACHMENT_RATE: 'Too many requests (downloads-address). Retry after the time in Retry-After.',
      },
    },
    500: {
      description: 'ATTACHMENT_FAILED: The file could not be read.',
      message: {
        ATTACHMENT_FAILED: 'Internal error. Report request id 0198c5f1-6d2a-7c3e-9f40-5b8d2e1a7c64.',
      },
    },
    502: 'ATTACHMENT_STORAGE: The object store failed to read the attachment. Retry later.',
    503: 'ATTACHMENT_STORAGE: Attachment storage is not configured for this deployment. UNAVAILABLE: Service temporarily unavailable. Retry after the time in Retry-After.',
  },
});
