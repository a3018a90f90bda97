import { requireOrigin } from '../http/cors.ts';
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
  if (status === 403)
    return { code: 4403, reason: 'project key of another region, or page of another origin' };
  return { code: 1013, reason: 'try again' };
}

/** What a socket is opened with. */
interface SocketRequest {
  key: string | undefined;
  /** The `Origin` header of the request; undefined: no page. */
  origin: string | undefined;
}

/**
 * The project of a socket's key (`projectKey` of an app) and the credential by which its access is checked again, or how
 * the socket is closed.
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

/** Longer than any that a project can list: a header can be longer than is worth keeping for each socket. */
const MAX_ORIGIN = 301;

/** The credential of a socket or stream whose key is valid. */
export const socketCredential = (key: string, origin: string | undefined) =>
  origin === undefined ? key : `${key} ${origin.slice(0, MAX_ORIGIN)}`;

/** How open sockets are closed whose credential is no longer valid; undefined while it is, or cannot be checked. */
export async function refusalOfKey(
  projectKey: ProjectKeys,
  credential: string,
): Promise<SocketRefusal | undefined> {
  const [key, origin] = credential.split(' ');
  const access = await socketAccess(projectKey, { key, origin });
  return 'refuse' in access && access.refuse.code !== 1013 ? access.refuse : undefined;
}
