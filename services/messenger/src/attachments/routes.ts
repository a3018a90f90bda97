import {
  ATTACHMENT_MAX_BYTES,
  readAttachment,
  readTeammateAttachment,
  type UploadedAttachment,
  uploadAttachment,
  uploadTeammateAttachment,
} from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import {
  BadRequest,
  type Bodies,
  NotFound,
  type ProjectOfRegion,
  Rejection,
  type ServiceApp,
} from '@switchboard/http';
import { requireConversationToken } from '../conversations/access.ts';
import type { ConversationTokens } from '../conversations/tokens/tokens.ts';
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
  directory: Pick<Directory, 'project'>;
  ofProject: ProjectOfRegion;
  /** Returns whether a conversation is in the project. */
  exists(projectId: string, conversationId: string): Promise<boolean>;
}

export function attachmentsRoutes(app: ServiceApp, deps: AttachmentsDeps): void {
  const { attachments, tokens, bodies, directory, ofProject, exists } = deps;
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
        return c.json(
          await attachments.upload({ by: 'visitor', project, conversationId, address, name, read }),
          201,
        );
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
      return fileResponse(attachment, bytes);
    },
    access,
  );

  /** Returns the transfer of a conversation that a member names. */
  async function transferOf(projectId: string, conversationId: string, address: string) {
    const project = await directory.project(projectId);
    if (project === undefined || !(await exists(projectId, conversationId)))
      throw new NotFound('Conversation not found.');
    return { project, conversationId, address };
  }

  app.implement(
    uploadTeammateAttachment,
    (c, { change }) =>
      withRawBody(c, { maxBytes: ATTACHMENT_MAX_BYTES, bodies }, async (readBody) => {
        const { projectId, id } = c.req.valid('param');
        const { name } = c.req.valid('query');
        const transfer = await transferOf(projectId, id, c.env.address);
        const read = () => readAttachmentBody(readBody);
        const uploaded = await attachments.upload({ ...transfer, by: 'teammate', name, read });
        await change.record();
        return c.json(uploaded, 201);
      }),
    ofProject,
  );

  app.implement(
    readTeammateAttachment,
    async (c) => {
      const { projectId, id, attachmentId } = c.req.valid('param');
      const transfer = await transferOf(projectId, id, c.env.address);
      const { attachment, bytes } = await attachments.read(transfer, attachmentId);
      return fileResponse(attachment, bytes);
    },
    ofProject,
  );
}

function fileResponse({ name, contentType }: UploadedAttachment, bytes: Buffer): Response {
  return new Response(new Uint8Array(bytes), {
    headers: {
      'Content-Type': contentType,
      'Content-Length': String(bytes.length),
      'Content-Disposition': contentDisposition(name, contentType),
      'Cache-Control': 'private, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cross-Origin-Resource-Policy': 'cross-origin',
    },
  });
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
