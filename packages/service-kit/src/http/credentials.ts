import type { Context } from 'hono';
import type { Authority, KitEnv, Person, ProjectAccess } from './env.ts';
import { headerOf } from './request-info.ts';

/** The checks of an operation's credential; each throws the rejection that the interface documents. */
export interface Credentials {
  /**
   * At once if the key is in memory. Throws Unauthorized for a key that is missing, malformed, unknown or revoked,
   * Forbidden for one of another region.
   */
  projectKey(key: string | undefined): ProjectAccess | Promise<ProjectAccess>;
  /** Throws Unauthorized without a valid access token. */
  person(c: Context<KitEnv>): Promise<Person>;
  /**
   * Throws Unauthorized without a valid access token. `byToken`: whether the permissions in the token count, besides
   * the roles of the person.
   */
  authority(c: Context<KitEnv>, byToken: boolean): Promise<Authority>;
  /** Undefined for a project that does not exist. */
  companyOf(projectId: string): Promise<string | undefined>;
  /**
   * Throws NotYours for a project that does not exist or is of a company that the caller is not in, and Forbidden for
   * one of another region. Callers without any company get Forbidden for every project.
   */
  membership(projectId: string, caller: Pick<Authority, 'person' | 'token'>): Promise<ProjectAccess>;
}

/** Where an operation takes a project key besides `Authorization`. */
export interface KeyPlaces {
  /** `X-API-Key`. */
  header: boolean;
  /** `api_key`. */
  query: boolean;
}

/** The project key that a request is made with. */
export function projectKeyOf(
  c: Context,
  { header, query }: KeyPlaces = { header: true, query: true },
): string | undefined {
  const key = bearer(c) ?? (header ? headerOf(c, 'x-api-key') : undefined);
  return key ?? (query ? c.req.query('api_key') : undefined);
}

/** The token of `Authorization: Bearer <token>`. */
export function bearer(c: Context<KitEnv>): string | undefined {
  const header = authorization(c);
  if (header === undefined) return undefined;
  return /^Bearer +(\S+)\s*$/i.exec(header)?.[1];
}

const NAME = 'authorization';

/** Undefined if there are several: Node.js would keep the first, and a proxy may have looked at another. */
function authorization(c: Context<KitEnv>): string | undefined {
  const { incoming } = c.env;
  if (incoming === undefined) return c.req.header(NAME);
  const { rawHeaders } = incoming;
  let found: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length !== NAME.length || name.toLowerCase() !== NAME) continue;
    if (found !== undefined) return undefined;
    found = rawHeaders[index + 1];
  }
  return found;
}
