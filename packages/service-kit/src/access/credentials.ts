import { isGrantedByRole, isGrantedByToken, missingPermission } from '@switchboard/contracts';
import type { Directory, ProjectKey } from '@switchboard/directory';
import type { Context } from 'hono';
import { bearer, type Credentials } from '../http/credentials.ts';
import type { Authority, KitEnv, Person, ProjectAccess } from '../http/env.ts';
import { Forbidden, NotFound, Unauthorized } from '../http/errors.ts';
import type { AccessTokens } from './access-tokens.ts';
import { requireRegion } from './project-of-region.ts';

export type AccessDirectory = Pick<Directory, 'projectKey' | 'project' | 'member'>;

interface CredentialOptions {
  region: string;
  accessTokens: AccessTokens;
  /** Absent in a service whose operations take neither a project nor a company. */
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

    async authority(c) {
      const caller = await person(c);
      const authority: Authority = {
        person: caller,
        hasEverywhere: (permission) => isGrantedByToken(caller.permissions, permission),
        async has(permission, companyId) {
          if (authority.hasEverywhere(permission)) return true;
          if (companyId === undefined) return false;
          const member = await replica().member(companyId, caller.sub);
          return member !== undefined && isGrantedByRole(member.role, permission);
        },
        async require(permission, companyId) {
          if (!(await authority.has(permission, companyId)))
            throw new Forbidden(missingPermission(permission));
        },
      };
      return authority;
    },

    async companyOf(projectId) {
      return (await replica().project(projectId))?.companyId;
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
