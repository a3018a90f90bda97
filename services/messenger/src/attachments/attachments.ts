import { buffer } from 'node:stream/consumers';
import type { UploadedAttachment } from '@switchboard/contracts';
import { newId } from '@switchboard/database';
import type { Directory } from '@switchboard/directory';
import { type ProjectAccess, type RateLimit, Rejection } from '@switchboard/http';
import { type ObjectStore, ObjectStoreError } from '@switchboard/object-store';
import type { Clock, Logger } from '@switchboard/runtime';
import { detectFormat } from '../uploads/format.ts';
import { isMultipartForm, SEND_RAW_BYTES } from '../uploads/multipart.ts';
import { cleanName } from './name.ts';
import { attachmentsPrefix } from './object-key.ts';
import type { AttachmentsStore } from './store.ts';

interface AttachmentsOptions {
  store: AttachmentsStore;
  /** Undefined if none is configured. */
  storage: ObjectStore | undefined;
  directory: Pick<Directory, 'entitlements'>;
  limits: {
    /** Limits per address, and per conversation in a minute and in an hour. */
    uploads: RateLimit<[string, string, string]>;
    downloadsPerAddress: RateLimit;
  };
  clock: Clock;
  logger: Logger;
}

interface Transfer {
  project: Pick<ProjectAccess, 'id' | 'companyId'>;
  conversationId: string;
  address: string;
}

interface Upload extends Transfer {
  /** Visitors may send files only where the company allows it. */
  by: 'visitor' | 'teammate';
  name: string;
  /** Reads the body. Called after every check that does not need it has passed. */
  read(): Promise<Buffer>;
}

export type Attachments = ReturnType<typeof createAttachments>;

/** Manages attachments of turns. */
export function createAttachments({ store, storage, directory, limits, clock, logger }: AttachmentsOptions) {
  function requireStorage(): ObjectStore {
    if (storage !== undefined) return storage;
    throw new Rejection(
      503,
      'ATTACHMENT_STORAGE',
      'Attachment storage is not configured for this deployment.',
      {
        'Retry-After': '3600',
      },
    );
  }

  function storageFailed(error: unknown, operation: 'store' | 'read'): Rejection {
    logger.warn({ error, operation }, 'attachment storage failed');
    return new Rejection(
      502,
      'ATTACHMENT_STORAGE',
      `The object store failed to ${operation} the attachment. Retry later.`,
    );
  }

  return {
    async upload(upload: Upload): Promise<UploadedAttachment> {
      const { by, project, conversationId, address, name, read } = upload;
      const { visitorAttachments = true } = await directory.entitlements(project.companyId);
      if (by === 'visitor' && visitorAttachments !== true) {
        throw new Rejection(403, 'ATTACHMENTS_OFF', 'Attachments are turned off for this project.');
      }
      const clean = cleanName(name);
      const objects = requireStorage();
      await limits.uploads.consume(address, conversationId, conversationId);
      const bytes = await read();
      const contentType = detectFormat(bytes);
      if (contentType === undefined) throw wrongFormat(bytes);
      const id = newId('att');
      const objectKey = `${attachmentsPrefix(project.id)}${conversationId}/${id}`;
      const attachment = { id, name: clean, contentType, bytes: bytes.length };
      await store.add({ ...attachment, conversationId, objectKey, createdAt: clock.now() });
      await objects.put(objectKey, bytes).catch((error: unknown) => {
        throw error instanceof ObjectStoreError ? storageFailed(error, 'store') : error;
      });
      await store.markStored(id);
      return attachment;
    },

    async read(
      { project, conversationId, address }: Transfer,
      id: string,
    ): Promise<{ attachment: UploadedAttachment; bytes: Buffer }> {
      await limits.downloadsPerAddress.consume(`${project.id}:${address}`);
      const attachment = await store.find(conversationId, id);
      if (attachment === undefined) {
        throw new Rejection(404, 'ATTACHMENT_NOT_FOUND', 'Attachment not found.');
      }
      const { objectKey } = attachment;
      const objects = requireStorage();
      try {
        const found = await objects.get(objectKey);
        if (found === undefined) throw new ObjectStoreError(`${objectKey}: not found`);
        const bytes = await buffer(found.body);
        if (bytes.length !== attachment.bytes) throw new ObjectStoreError(`${objectKey}: truncated`);
        return { attachment, bytes };
      } catch (error) {
        throw storageFailed(error, 'read');
      }
    },
  };
}

function wrongFormat(bytes: Buffer): Rejection {
  const message = isMultipartForm(bytes)
    ? SEND_RAW_BYTES
    : 'Not a complete PNG, JPEG, WebP, GIF or PDF file, or an image of more than 50 million pixels.';
  return new Rejection(415, 'ATTACHMENT_FORMAT', message);
}
