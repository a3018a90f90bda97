import type { ProjectAccess } from './env.ts';
import { Rejection } from './errors.ts';

/** How a socket is closed that may not be open. */
export interface SocketRefusal {
  code: 4401 | 4403 | 1013;
  reason: string;
}

type ProjectKeys = (key: string | undefined) => Promise<ProjectAccess>;

/** What a socket with this project key is closed with; 1013 while that cannot be told. */
function refusalFor(error: unknown): SocketRefusal {
  const status = error instanceof Rejection ? error.status : 503;
  if (status === 401) return { code: 4401, reason: 'the project key is missing or not valid' };
  if (status === 403) return { code: 4403, reason: 'the project key is of another region' };
  return { code: 1013, reason: 'try again' };
}

/** The project that a socket's key opens (`projectKey` of an app), or how the socket is closed. */
export async function socketAccess(
  projectKey: ProjectKeys,
  key: string | undefined,
): Promise<{ project: ProjectAccess } | { refuse: SocketRefusal }> {
  try {
    return { project: await projectKey(key) };
  } catch (error) {
    return { refuse: refusalFor(error) };
  }
}

/** How sockets with a key are closed that was good when they opened; undefined while it is, or cannot be told. */
export async function refusalOfKey(projectKey: ProjectKeys, key: string): Promise<SocketRefusal | undefined> {
  const access = await socketAccess(projectKey, key);
  return 'refuse' in access && access.refuse.code !== 1013 ? access.refuse : undefined;
}
