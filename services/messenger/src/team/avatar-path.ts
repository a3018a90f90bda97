import { keyPart } from '@switchboard/object-store';

/** The path of an avatar in the API. */
export function avatarPath(userId: string, file: string): string {
  return `/v1/messenger/avatar/${encodeURIComponent(userId)}/${file}`;
}

/** The user and file of an avatar path; undefined if it is not one. */
export function parseAvatarPath(path: string): { userId: string; file: string } | undefined {
  const [, userId, file] = /^\/v1\/messenger\/avatar\/([^/]+)\/([0-9a-f]{64}\.[a-z]{3,4})$/.exec(path) ?? [];
  if (userId === undefined || file === undefined) return undefined;
  try {
    return { userId: decodeURIComponent(userId), file };
  } catch {
    return undefined;
  }
}

/** The key of an avatar's object. Teammates of a project with the same picture share it. */
export const avatarObjectKey = (projectId: string, file: string) => `${avatarsPrefix(projectId)}${file}`;

/** What the object keys of a project's avatars begin with, and no others. */
export const avatarsPrefix = (projectId: string) => `avatars/${keyPart(projectId)}/`;
