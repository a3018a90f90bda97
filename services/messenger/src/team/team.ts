import { buffer } from 'node:stream/consumers';
import type { AvatarType, Teammate, TeammateDefinition } from '@switchboard/contracts';
import { type AuditedChange, BadRequest, NotFound, Rejection } from '@switchboard/http';
import { type ObjectStore, ObjectStoreError } from '@switchboard/object-store';
import type { Clock, Logger } from '@switchboard/runtime';
import { isMultipartForm, SEND_RAW_BYTES } from '../uploads/multipart.ts';
import { avatarFile, detectAvatarType } from './avatar-file.ts';
import { avatarObjectKey, avatarPath } from './avatar-path.ts';
import type { AvatarKey, TeammateRow, TeamStore } from './store.ts';

interface TeamOptions {
  store: TeamStore;
  /** Undefined if none is configured. */
  storage: ObjectStore | undefined;
  clock: Clock;
  logger: Logger;
}

export interface Avatar {
  contentType: AvatarType;
  /** The SHA-256 of the bytes, since the content of an avatar path never changes. */
  etag: string;
  bytes(): Promise<Buffer>;
}

/** Limited because every poll of a conversation reads all teammates. */
const MAX_TEAMMATES = 1_000;

export type Team = ReturnType<typeof createTeam>;

/** Manages a project's teammates, who answer visitors, and their avatars. */
export function createTeam({ store, storage, clock, logger }: TeamOptions) {
  function requireStorage(): ObjectStore {
    if (storage !== undefined) return storage;
    throw new Rejection(503, 'UNAVAILABLE', 'Avatar storage is not configured for this deployment.', {
      'Retry-After': '3600',
    });
  }

  function storageFailed(error: unknown, operation: 'store' | 'read'): never {
    logger.warn({ error, operation }, 'avatar storage failed');
    throw new Rejection(
      502,
      'UNAVAILABLE',
      `The object store failed to ${operation} the avatar. Retry later.`,
    );
  }

  async function find(projectId: string, userId: string): Promise<Teammate> {
    const row = await store.find(projectId, userId);
    if (row === undefined) throw new NotFound('Teammate not found.');
    return present(row);
  }

  async function readAvatar(projectId: string, file: string, size: number): Promise<Buffer> {
    const objects = requireStorage();
    try {
      const found = await objects.get(avatarObjectKey(projectId, file));
      if (found === undefined) throw new ObjectStoreError(`${file}: not found`);
      const bytes = await buffer(found.body);
      if (bytes.length !== size) throw new ObjectStoreError(`${file}: truncated`);
      return bytes;
    } catch (error) {
      return storageFailed(error, 'read');
    }
  }

  return {
    find,

    async list(projectId: string): Promise<Teammate[]> {
      return (await store.list(projectId)).map(present);
    },

    async put(
      change: AuditedChange,
      projectId: string,
      userId: string,
      definition: TeammateDefinition,
    ): Promise<Teammate> {
      const isNew = (await store.find(projectId, userId)) === undefined;
      if (isNew && (await store.count(projectId)) >= MAX_TEAMMATES)
        throw new BadRequest(`A project has at most ${MAX_TEAMMATES.toLocaleString('en')} teammates.`);
      return present(await store.put(projectId, userId, definition, change));
    },

    /** Stores an avatar and returns its path. `read` reads the body. */
    async putAvatar(
      change: AuditedChange,
      projectId: string,
      userId: string,
      read: () => Promise<Buffer>,
    ): Promise<string> {
      await find(projectId, userId);
      const objects = requireStorage();
      const bytes = await read();
      const contentType = detectAvatarType(bytes);
      if (contentType === undefined) throw wrongFormat(bytes);
      const file = avatarFile(bytes, contentType);
      await objects
        .put(avatarObjectKey(projectId, file), bytes)
        .catch((error: unknown) => storageFailed(error, 'store'));
      const createdAt = clock.now();
      await store.addAvatar({ projectId, userId, file, contentType, bytes: bytes.length, createdAt }, change);
      return avatarPath(userId, file);
    },

    async avatar(projectId: string, userId: string, file: string): Promise<Avatar> {
      const row = await store.avatar(projectId, userId, file);
      if (row === undefined) throw new NotFound('Avatar not found.');
      requireStorage();
      return {
        contentType: row.contentType,
        etag: `"${file.slice(0, 64)}"`,
        bytes: () => readAvatar(projectId, file, row.bytes),
      };
    },

    /** Returns the avatars of this project that have one of these files. */
    knownAvatars: (projectId: string, files: string[]): Promise<AvatarKey[]> =>
      store.avatarsAmong(projectId, files),
  };
}

function present({ userId, name, initials, tone, avatarFile: file }: TeammateRow): Teammate {
  return {
    id: userId,
    name,
    ...(initials === null ? {} : { initials }),
    ...(tone === null ? {} : { tone }),
    avatarUrl: file === null ? null : avatarPath(userId, file),
  };
}

function wrongFormat(bytes: Buffer): Rejection {
  const message = isMultipartForm(bytes)
    ? SEND_RAW_BYTES
    : 'Not a complete PNG, JPEG, WebP or SVG file, or an image of more than 50 million pixels.';
  return new Rejection(415, 'BAD_REQUEST', message);
}
