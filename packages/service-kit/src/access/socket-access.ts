import type { ProjectAccess } from '../http/env.ts';
import { Rejection } from '../http/errors.ts';

/** How a socket without access is closed. */
export interface SocketRefusal {
  code: 4401 | 4403 | 1013;
  reason: string;
}

type ProjectKeys = (key: string | undefined) => Promise<ProjectAccess>;

/** How a socket is closed whose project key was rejected; 1013 while keys cannot be checked. */
function refusalFor(error: unknown): SocketRefusal {
  const status = error instanceof Rejection ? error.status : 503;
  if (status === 401) return { code: 4401, reason: 'project key missing or invalid' };
  if (status === 403) return { code: 4403, reason: 'project key of another region' };
  return { code: 1013, reason: 'try again' };
}

/** The project of a socket's key (`projectKey` of an app), or how the socket is closed. */
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

/** How open sockets are closed whose key is no longer valid; undefined while it is, or cannot be checked. */
export async function refusalOfKey(projectKey: ProjectKeys, key: string): Promise<SocketRefusal | undefined> {
  const access = await socketAccess(projectKey, key);
  return 'refuse' in access && access.refuse.code !== 1013 ? access.refuse : undefined;
}
