import { ATTACHMENT_MAX_BYTES, readAttachment, uploadAttachment } from '@switchboard/contracts';
import { BadRequest, type Bodies, Rejection, type ServiceApp } from '@switchboard/http';
import { requireConversationToken } from '../conversations/access.ts';
import type { ConversationTokens } from '../conversations/tokens.ts';
import { withRawBody } from '../uploads/raw-body.ts';
import type { Attachments } from './attachments.ts';
import { contentDisposition } from './name.ts';

const ERROR_CODES = {
  403: 'ATTACHMENTS_OFF',
  413: 'ATTACHMENT_TOO_LARGE',
  429: 'ATTACHMENT_RATE',
  500: 'ATTACHMENT_FAILED',
};

interface AttachmentsDeps {
  attachments: Attachments;
  tokens: Pick<ConversationTokens, 'require'>;
  bodies: Bodies;
}

export function attachmentsRoutes(app: ServiceApp, { attachments, tokens, bodies }: AttachmentsDeps): void {
  const access = { ...requireConversationToken(tokens), errorCodes: ERROR_CODES };

  app.implement(
    uploadAttachment,
    (c) =>
      withRawBody(c, { maxBytes: ATTACHMENT_MAX_BYTES, bodies }, async (readBody) => {
        const { name } = c.req.valid('query');
        const { id: conversationId } = c.req.valid('param');
        const { project } = c.var;
        const { address } = c.env;
        const read = () => readAttachmentBody(readBody);
        return c.json(await attachments.upload({ project, conversationId, address, name, read }), 201);
      }),
    access,
  );

  app.implement(
    readAttachment,
    async (c) => {
      const { id: conversationId, attachmentId } = c.req.valid('param');
      const { project } = c.var;
      const { address } = c.env;
      const { attachment, bytes } = await attachments.read(
        { project, conversationId, address },
        attachmentId,
      );
      return new Response(new Uint8Array(bytes), {
        headers: {
          'Content-Type': attachment.contentType,
          'Content-Length': String(bytes.length),
          'Content-Disposition': contentDisposition(attachment.name, attachment.contentType),
          'Cache-Control': 'private, max-age=31536000, immutable',
          'X-Content-Type-Options': 'nosniff',
          'Content-Security-Policy': "default-src 'none'; sandbox",
          'Cross-Origin-Resource-Policy': 'cross-origin',
        },
      });
    },
    access,
  );
}

/** Reads the body. A body that cannot be read or is empty has a separate error code here. */
async function readAttachmentBody(read: () => Promise<Buffer>): Promise<Buffer> {
  const bytes = await read().catch((error: unknown) => {
    throw error instanceof BadRequest ? unreadable(error.message) : error;
  });
  if (bytes.length > 0) return bytes;
  throw unreadable('The body is empty; send the bytes of the file.');
}

const unreadable = (message: string) => new Rejection(400, 'ATTACHMENT_UNREAD', message);
