import type { Context } from 'hono';
import type { Authority, KitEnv, Person, ProjectAccess } from './env.ts';
import { headerOf } from './request-info.ts';

/** The checks of an operation's credential. Each throws the rejection that the interface documents. */
export interface Credentials {
  /**
   * Returns the access at once if the key is in memory. Throws Unauthorized for a key that is missing, malformed,
   * unknown or revoked, and Forbidden for one of another region.
   */
  projectKey(key: string | undefined): ProjectAccess | Promise<ProjectAccess>;
  /** Returns the person of the access token. Throws Unauthorized without a valid one. */
  person(c: Context<KitEnv>): Promise<Person>;
  /**
   * Returns the authority of the caller. Throws Unauthorized without a valid access token. `byToken`: whether the
   * permissions in the token count, besides the roles of the person.
   */
  authority(c: Context<KitEnv>, byToken: boolean): Promise<Authority>;
  /** Returns the company of a project; undefined if the project does not exist. */
  companyOf(projectId: string): Promise<string | undefined>;
  /**
   * Returns the caller's access to a project. Throws NotYours if the project does not exist or belongs to a company
   * that the caller is not in, and Forbidden if it belongs to another region. Callers without a company always get
   * Forbidden.
   */
  membership(projectId: string, caller: Pick<Authority, 'person' | 'token'>): Promise<ProjectAccess>;
}

/** The places besides `Authorization` where an operation accepts a project key. */
export interface KeyPlaces {
  /** `X-API-Key`. */
  header: boolean;
  /** `api_key`. */
  query: boolean;
}

/** Returns the project key of a request. */
export function projectKeyOf(
  c: Context,
  { header, query }: KeyPlaces = { header: true, query: true },
): string | undefined {
  const key = bearer(c) ?? (header ? headerOf(c, 'x-api-key') : undefined);
  return key ?? (query ? c.req.query('api_key') : undefined);
}

/** Returns the token of `Authorization: Bearer <token>`. */
export function bearer(c: Context<KitEnv>): string | undefined {
  const header = authorization(c);
  if (header === undefined) return undefined;
  return /^Bearer +(\S+)\s*$/i.exec(header)?.[1];
}

/** Returns the user name of `Authorization: Basic`, where some other products expect the key. */
export function basicUser(c: Context<KitEnv>): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]{1,1000})\s*$/i.exec(authorization(c) ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [user] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return user === '' ? undefined : user;
}

const NAME = 'authorization';

/** Returns undefined for several headers: Node.js would use the first, and a proxy may have checked another. */
export function authorization(c: Context<KitEnv>): string | undefined {
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
