import { requireOrigin } from '../exchange/cors.ts';
import type { ProjectAccess } from '../exchange/env.ts';
import { Rejection } from '../exchange/errors.ts';

/** The close code and reason for a socket without access. */
export interface SocketRefusal {
  code: 4401 | 4403 | 1013;
  reason: string;
}

type ProjectKeys = (key: string | undefined) => Promise<ProjectAccess>;

/** Returns how to close a socket after its project key was rejected. Uses 1013 while keys cannot be checked. */
function refusalFor(error: unknown): SocketRefusal {
  const status = error instanceof Rejection ? error.status : 503;
  if (status === 401) return { code: 4401, reason: 'project key missing or invalid' };
  if (status === 403)
    return { code: 4403, reason: 'project key of another region, or page of another origin' };
  return { code: 1013, reason: 'try again' };
}

/** The credentials that a socket is opened with. */
interface SocketRequest {
  key: string | undefined;
  /** The `Origin` header of the request; undefined if the client is not a page. */
  origin: string | undefined;
}

/**
 * Returns the project of a socket's key (`projectKey` of an app) and the credential for later checks of its access,
 * or how to close the socket.
 */
export async function socketAccess(
  projectKey: ProjectKeys,
  { key, origin }: SocketRequest,
): Promise<{ project: ProjectAccess; credential: string } | { refuse: SocketRefusal }> {
  try {
    const project = await projectKey(key);
    if (origin !== undefined && project.allowedOrigins !== undefined) {
      requireOrigin(origin, project.allowedOrigins);
    }
    return { project, credential: socketCredential(key ?? '', origin) };
  } catch (error) {
    return { refuse: refusalFor(error) };
  }
}

/** Longer than any origin that a project can list. Bounds the memory that is kept for each socket. */
const MAX_ORIGIN = 301;

/** Returns the credential of a socket or stream with a valid key. */
export const socketCredential = (key: string, origin: string | undefined) =>
  origin === undefined ? key : `${key} ${origin.slice(0, MAX_ORIGIN)}`;

/** Returns how to close open sockets with an invalid credential; undefined if it is valid or cannot be checked. */
export async function refusalOfKey(
  projectKey: ProjectKeys,
  credential: string,
): Promise<SocketRefusal | undefined> {
  const [key, origin] = credential.split(' ');
  const access = await socketAccess(projectKey, { key, origin });
  return 'refuse' in access && access.refuse.code !== 1013 ? access.refuse : undefined;
}
