import { keyPart } from '@switchboard/object-store';

/** Returns the path of an avatar in the API. */
export function avatarPath(userId: string, file: string): string {
  return `/v1/messenger/avatar/${encodeURIComponent(userId)}/${file}`;
}

/** Returns the user and file of an avatar path. Undefined if it is not one. */
export function parseAvatarPath(path: string): { userId: string; file: string } | undefined {
  const [, userId, file] = /^\/v1\/messenger\/avatar\/([^/]+)\/([0-9a-f]{64}\.[a-z]{3,4})$/.exec(path) ?? [];
  if (userId === undefined || file === undefined) return undefined;
  try {
    return { userId: decodeURIComponent(userId), file };
  } catch {
    return undefined;
  }
}

/** Returns the key of an avatar's object. Teammates of a project with the same picture share it. */
export const avatarObjectKey = (projectId: string, file: string) => `${avatarsPrefix(projectId)}${file}`;

/** Returns the prefix of the object keys of a project's avatars. No other key begins with it. */
export const avatarsPrefix = (projectId: string) => `avatars/${keyPart(projectId)}/`;
