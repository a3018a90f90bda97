import { buffer } from 'node:stream/consumers';
import type { AvatarType, Teammate, TeammateDefinition } from '@switchboard/contracts';
import { keyPart, type ObjectStore, ObjectStoreError } from '@switchboard/object-store';
import { type Clock, type Logger, NotFound, Rejection } from '@switchboard/service-kit';
import { avatarPath } from './avatar-path.ts';
import { detectPicture, fileOf } from './picture.ts';
import type { TeammateRow, TeamStore } from './store.ts';

interface TeamOptions {
  store: TeamStore;
  storage: ObjectStore | undefined;
  clock: Clock;
  logger: Logger;
}

export interface Avatar {
  contentType: AvatarType;
  /** The SHA-256 of the bytes: what stands under a path never changes. */
  etag: string;
  bytes(): Promise<Buffer>;
}

export type Team = ReturnType<typeof createTeam>;

/** Those who answer visitors, and their pictures. */
export function createTeam({ store, storage, clock, logger }: TeamOptions) {
  function requireStorage(): ObjectStore {
    if (storage !== undefined) return storage;
    throw new Rejection(503, 'UNAVAILABLE', 'Picture storage is not configured at this deployment.', {
      'Retry-After': '3600',
    });
  }

  function storageFailed(error: unknown): never {
    logger.warn({ error }, 'the object store did not take or answer with a picture');
    throw new Rejection(502, 'UNAVAILABLE', 'The picture store failed; try again.');
  }

  async function find(projectId: string, userId: string): Promise<Teammate> {
    const row = await store.find(projectId, userId);
    if (row === undefined) throw new NotFound('There is no such teammate in this project.');
    return present(row);
  }

  return {
    find,

    async list(projectId: string): Promise<Teammate[]> {
      return (await store.list(projectId)).map(present);
    },

    async put(projectId: string, userId: string, given: TeammateDefinition): Promise<Teammate> {
      const row = await store.put(projectId, userId, given);
      if (row === undefined) throw new Error('a teammate was lost');
      return present(row);
    },

    /** Answers the path of the picture. */
    async putAvatar(projectId: string, userId: string, read: () => Promise<Buffer>): Promise<string> {
      await find(projectId, userId);
      const objects = requireStorage();
      const bytes = await read();
      const contentType = detectPicture(bytes);
      if (contentType === undefined) {
        throw new Rejection(415, 'BAD_REQUEST', 'Not a PNG, JPEG, WebP or SVG, or one that is cut off.');
      }
      const file = fileOf(bytes, contentType);
      await objects.put(objectKey(projectId, file), bytes).catch(storageFailed);
      const createdAt = clock.now();
      await store.addAvatar({ projectId, userId, file, contentType, bytes: bytes.length, createdAt });
      return avatarPath(userId, file);
    },

    async avatar(projectId: string, userId: string, file: string): Promise<Avatar> {
      const row = await store.avatar(projectId, userId, file);
      if (row === undefined) throw new NotFound('There is no such picture in this project.');
      const objects = requireStorage();
      return {
        contentType: row.contentType,
        etag: `"${file.slice(0, 64)}"`,
        async bytes() {
          try {
            const found = await objects.get(objectKey(projectId, file));
            if (found === undefined) throw new ObjectStoreError(`the picture ${file} is not there`);
            const bytes = await buffer(found.body);
            if (bytes.length !== row.bytes) throw new ObjectStoreError(`the picture ${file} is not whole`);
            return bytes;
          } catch (error) {
            return storageFailed(error);
          }
        },
      };
    },
  };
}

function present({ userId, name, initials, tone, avatarFile }: TeammateRow): Teammate {
  return {
    id: userId,
    name,
    ...(initials === null ? {} : { initials }),
    ...(tone === null ? {} : { tone }),
    avatarUrl: avatarFile === null ? null : avatarPath(userId, avatarFile),
  };
}

const objectKey = (projectId: string, file: string) => `avatars/${keyPart(projectId)}/${file}`;
