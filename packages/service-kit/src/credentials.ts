import { projectKeyPattern } from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import type { Context } from 'hono';
import type { AccessTokens, Person } from './access-tokens.ts';
import type { KitEnv, ProjectAccess } from './env.ts';
import { Forbidden, NotFound, Unauthorized } from './errors.ts';

/** Permission that opens the management API. */
export const MANAGE_PERMISSION = 'service.manage';

export type AccessDirectory = Pick<Directory, 'projectKey' | 'project' | 'member'>;

interface CredentialOptions {
  region: string;
  accessTokens: AccessTokens;
  /** Absent in a service without projects (catalogue). */
  directory?: AccessDirectory | undefined;
}

/** The checks behind an operation's credential; each throws the rejection that the interface names. */
export interface Credentials {
  /** Missing, malformed, unknown or revoked: Unauthorized. Of another region: Forbidden. */
  projectKey(key: string | undefined): Promise<ProjectAccess>;
  /** Unauthorized without a valid token. */
  person(c: Context<KitEnv>): Promise<Person>;
  /** Forbidden without the permission `service.manage`. */
  operator(c: Context<KitEnv>): Promise<Person>;
  /** Not there: NotFound. Not a member of its company: Forbidden. */
  membership(projectId: string, person: Person): Promise<ProjectAccess>;
}

export function createCredentials({ region, accessTokens, directory }: CredentialOptions): Credentials {
  function replica(): AccessDirectory {
    if (directory === undefined) throw new Error('an operation with a project needs a directory');
    return directory;
  }

  async function person(c: Context<KitEnv>): Promise<Person> {
    const token = bearer(c);
    if (token === undefined) throw new Unauthorized('Send an access token: Authorization: Bearer <token>.');
    return accessTokens.verify(token);
  }

  return {
    person,

    async projectKey(key) {
      if (key === undefined) throw new Unauthorized('Send the project key: Authorization: Bearer <key>.');
      const found = projectKeyPattern.test(key) ? await replica().projectKey(key) : undefined;
      if (found === undefined) throw new Unauthorized('The project key is not valid.');
      if (found.region !== region) {
        throw new Forbidden(
          `The project key belongs to region ${found.region}; this host serves region ${region}.`,
        );
      }
      return { id: found.projectId, companyId: found.companyId, region: found.region };
    },

    async operator(c) {
      const found = await person(c);
      if (!found.permissions.includes(MANAGE_PERMISSION)) {
        throw new Forbidden(`The management API needs the permission ${MANAGE_PERMISSION}.`);
      }
      return found;
    },

    async membership(projectId, { sub }) {
      const project = await replica().project(projectId);
      if (project === undefined) throw new NotFound('There is no such project.');
      const member = await replica().member(project.companyId, sub);
      if (member === undefined) throw new Forbidden('You are no member of this project’s company.');
      return { id: project.id, companyId: project.companyId, region: project.region };
    },
  };
}

/** The token of `Authorization: Bearer <token>`; undefined when there is none. */
export function bearer(c: Context<KitEnv>): string | undefined {
  const header = c.req.header('authorization');
  if (header === undefined) return undefined;
  return /^Bearer +(\S+)\s*$/i.exec(header)?.[1];
}
