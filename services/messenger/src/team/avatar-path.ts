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
