import { ATTACHMENT_MAX_BYTES, readAttachment, uploadAttachment } from '@switchboard/contracts';
import { BadRequest, type ByteBudget, Rejection, type ServiceApp } from '@switchboard/service-kit';
import { conversationToken } from '../conversations/routes.ts';
import type { ConversationTokens } from '../conversations/tokens.ts';
import { withRawBody } from '../raw-body.ts';
import type { Attachments } from './attachments.ts';
import { contentDisposition } from './name.ts';

const errorCodes = {
  403: 'ATTACHMENTS_OFF',
  413: 'ATTACHMENT_TOO_LARGE',
  429: 'ATTACHMENT_RATE',
  500: 'ATTACHMENT_FAILED',
};

interface AttachmentRouteOptions {
  attachments: Attachments;
  tokens: Pick<ConversationTokens, 'require'>;
  budget: ByteBudget;
}

export function routeAttachments(
  app: ServiceApp,
  { attachments, tokens, budget }: AttachmentRouteOptions,
): void {
  const access = { ...conversationToken(tokens), errorCodes };

  app.implement(
    uploadAttachment,
    (c) =>
      withRawBody(c, { maxBytes: ATTACHMENT_MAX_BYTES, budget }, async (readRaw) => {
        const read = () => received(readRaw);
        const { name } = c.req.valid('query');
        const { id: conversationId } = c.req.valid('param');
        const upload = { project: c.get('project'), conversationId, address: c.get('address'), name, read };
        return c.json(await attachments.upload(upload), 201);
      }),
    access,
  );

  app.implement(
    readAttachment,
    async (c) => {
      const { id, attachmentId } = c.req.valid('param');
      const { file, bytes } = await attachments.read(id, attachmentId);
      return new Response(new Uint8Array(bytes), {
        headers: {
          'Content-Type': file.contentType,
          'Content-Length': String(bytes.length),
          'Content-Disposition': contentDisposition(file.name, file.contentType),
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

/** The bytes of the file; what keeps them from being received is said in the interface's words. */
async function received(read: () => Promise<Buffer>): Promise<Buffer> {
  const bytes = await read().catch((error: unknown) => {
    throw error instanceof BadRequest ? unread(error.message) : error;
  });
  if (bytes.length > 0) return bytes;
  throw unread('The body is empty; send the bytes of the file.');
}

const unread = (message: string) => new Rejection(400, 'ATTACHMENT_UNREAD', message);
