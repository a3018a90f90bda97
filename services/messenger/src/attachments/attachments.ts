import { buffer } from 'node:stream/consumers';
import type { UploadedAttachment } from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import { keyPart, type ObjectStore, ObjectStoreError } from '@switchboard/object-store';
import {
  type Clock,
  type Logger,
  type ProjectAccess,
  type RateLimit,
  Rejection,
} from '@switchboard/service-kit';
import { presentFile } from '../conversations/present.ts';
import type { AttachmentRow } from '../conversations/rows.ts';
import { newId } from '../ids.ts';
import { detectFormat } from './format.ts';
import { cleanName } from './name.ts';
import type { AttachmentStore } from './store.ts';

interface AttachmentsOptions {
  store: AttachmentStore;
  storage: ObjectStore | undefined;
  directory: Pick<Directory, 'entitlements'>;
  limits: { perConversationMinute: RateLimit; perConversationHour: RateLimit; perAddress: RateLimit };
  clock: Clock;
  logger: Logger;
}

interface Upload {
  project: ProjectAccess;
  conversationId: string;
  address: string;
  name: string;
  /** Reads the body, once everything that can be said without it is said. */
  read(): Promise<Buffer>;
}

export type Attachments = ReturnType<typeof createAttachments>;

/** Files that visitors send. */
export function createAttachments({ store, storage, directory, limits, clock, logger }: AttachmentsOptions) {
  function requireStorage(): ObjectStore {
    if (storage !== undefined) return storage;
    throw new Rejection(503, 'ATTACHMENT_STORAGE', 'File storage is not configured at this deployment.', {
      'Retry-After': '3600',
    });
  }

  function storageFailed(error: unknown, what: string): Rejection {
    logger.warn({ error }, `the object store did not ${what}`);
    return new Rejection(502, 'ATTACHMENT_STORAGE', `The object store did not ${what} the file; try again.`);
  }

  return {
    async upload({ project, conversationId, address, name, read }: Upload): Promise<UploadedAttachment> {
      const { visitorAttachments = true } = await directory.entitlements(project.companyId);
      if (visitorAttachments !== true) {
        throw new Rejection(403, 'ATTACHMENTS_OFF', 'This project does not let visitors send files.');
      }
      const clean = cleanName(name);
      const objects = requireStorage();
      await limits.perAddress.consume(address);
      await limits.perConversationMinute.consume(conversationId);
      await limits.perConversationHour.consume(conversationId);
      const bytes = await read();
      const contentType = detectFormat(bytes);
      if (contentType === undefined) {
        throw new Rejection(
          415,
          'ATTACHMENT_FORMAT',
          'Not a PNG, JPEG, WebP, GIF or PDF, cut off, or a picture of more than 50 million pixels.',
        );
      }
      const id = newId('att');
      const objectKey = `attachments/${keyPart(project.id)}/${conversationId}/${id}`;
      const file = { id, name: clean, contentType, bytes: bytes.length };
      await store.announce({ ...file, conversationId, objectKey, createdAt: clock.now() });
      await objects.put(objectKey, bytes).catch((error: unknown) => {
        throw error instanceof ObjectStoreError ? storageFailed(error, 'take') : error;
      });
      await store.markStored(id);
      return presentFile(file);
    },

    async read(conversationId: string, id: string): Promise<{ file: AttachmentRow; bytes: Buffer }> {
      const file = await store.find(conversationId, id);
      if (file === undefined) {
        throw new Rejection(404, 'ATTACHMENT_NOT_FOUND', 'There is no such file in this conversation.');
      }
      const objects = requireStorage();
      try {
        const found = await objects.get(file.objectKey);
        if (found === undefined) throw new ObjectStoreError(`${file.objectKey} is not there`);
        const bytes = await buffer(found.body);
        if (bytes.length !== file.bytes) throw new ObjectStoreError(`${file.objectKey} is not whole`);
        return { file, bytes };
      } catch (error) {
        throw storageFailed(error, 'answer with');
      }
    },
  };
}
