import type { Directory, ProjectKey } from '@switchboard/directory';
import type { Context } from 'hono';
import { bearer, type Credentials } from '../http/credentials.ts';
import type { KitEnv, Person, ProjectAccess } from '../http/env.ts';
import { Forbidden, NotFound, Unauthorized } from '../http/errors.ts';
import type { AccessTokens } from './access-tokens.ts';
import { requireRegion } from './project-of-region.ts';

/** Permission required by the management API. */
export const MANAGE_PERMISSION = 'service.manage';

export type AccessDirectory = Pick<Directory, 'projectKey' | 'project' | 'member'>;

interface CredentialOptions {
  region: string;
  accessTokens: AccessTokens;
  /** Absent in a service without projects (catalogue). */
  directory?: AccessDirectory | undefined;
}

/** The checks of credentials against the directory and the issuer of access tokens. */
export function createCredentials({ region, accessTokens, directory }: CredentialOptions): Credentials {
  function replica(): AccessDirectory {
    if (directory === undefined) throw new Error('an operation with a project needs a directory');
    return directory;
  }

  async function person(c: Context<KitEnv>): Promise<Person> {
    const token = bearer(c);
    if (token === undefined)
      throw new Unauthorized('Access token missing. Send it as Authorization: Bearer <token>.');
    return accessTokens.verify(token);
  }

  function accessOf(found: ProjectKey | undefined): ProjectAccess {
    if (found === undefined) throw new Unauthorized('Invalid project key.');
    if (found.region !== region) {
      throw new Forbidden(
        `The project key belongs to region ${found.region}; this host serves region ${region}.`,
      );
    }
    return { id: found.projectId, companyId: found.companyId, region: found.region };
  }

  return {
    person,

    projectKey(key) {
      if (key === undefined)
        throw new Unauthorized('Project key missing. Send it as Authorization: Bearer <key>.');
      const found = replica().projectKey(key);
      return found instanceof Promise ? found.then(accessOf) : accessOf(found);
    },

    async operator(c) {
      const found = await person(c);
      if (!found.permissions.includes(MANAGE_PERMISSION)) {
        throw new Forbidden(`The management API requires the permission ${MANAGE_PERMISSION}.`);
      }
      return found;
    },

    async membership(projectId, { sub }) {
      const project = await replica().project(projectId);
      if (project === undefined) throw new NotFound('Project not found.');
      const member = await replica().member(project.companyId, sub);
      if (member === undefined)
        throw new Forbidden('You are not a member of the company that owns this project.');
      // After the membership: only members learn the region.
      requireRegion(project, region);
      return { id: project.id, companyId: project.companyId, region: project.region };
    },
  };
}
