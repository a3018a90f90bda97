import { isGrantedByRole, isGrantedByToken, missingPermission } from '@switchboard/contracts';
import type { Directory, ProjectKey } from '@switchboard/directory';
import { isApiToken } from '@switchboard/runtime';
import type { Context } from 'hono';
import { bearer, type Credentials } from '../exchange/credentials.ts';
import type { Authority, Exchange, KitEnv, ProjectAccess } from '../exchange/env.ts';
import { Forbidden, NotYours, Unauthorized } from '../exchange/errors.ts';
import type { AccessTokens } from './access-tokens.ts';
import { authorityOfToken, findApiToken } from './api-tokens.ts';
import { requireRegion } from './project-of-region.ts';

export type AccessDirectory = Pick<
  Directory,
  'projectKey' | 'project' | 'member' | 'isMember' | 'token' | 'tokenUsed'
> &
  Partial<Pick<Directory, 'reads'>>;

interface CredentialOptions {
  region: string;
  accessTokens: AccessTokens;
  /** Absent in a service without operations on a project or a company. */
  directory?: AccessDirectory | undefined;
}

/** Creates the checks of credentials against the directory and the issuer of access tokens. */
export function createCredentials({ region, accessTokens, directory }: CredentialOptions): Credentials {
  function replica(): AccessDirectory {
    if (directory === undefined) throw new Error('an operation with a project needs a directory');
    return directory;
  }

  function accessToken(c: Context<KitEnv>): string {
    const token = bearer(c);
    if (token === undefined)
      throw new Unauthorized('Access token missing. Send it as Authorization: Bearer <token>.');
    return token;
  }

  function accessOf(found: ProjectKey | undefined): ProjectAccess {
    if (found === undefined) throw new Unauthorized('Invalid project key.');
    if (found.region !== region) {
      throw new Forbidden(
        `The project key belongs to region ${found.region}; this host serves region ${region}.`,
      );
    }
    const { projectId: id, companyId, allowedOrigins, wires, eventsPerSecond } = found;
    return { id, companyId, region, allowedOrigins, wires, eventsPerSecond };
  }

  return {
    async person(c) {
      const token = accessToken(c);
      if (isApiToken(token)) {
        throw new Unauthorized(
          'Personal access tokens and service tokens do not work here. Use an access token.',
        );
      }
      return accessTokens.verify(token);
    },

    projectKey(key) {
      if (key === undefined)
        throw new Unauthorized('Project key missing. Send it as Authorization: Bearer <key>.');
      const found = replica().projectKey(key);
      return found instanceof Promise ? found.then(accessOf) : accessOf(found);
    },

    async authority(c, byToken) {
      const value = accessToken(c);
      if (isApiToken(value)) {
        const token = await findApiToken(value, replica());
        return authorityOfToken({ token, projectId: c.req.param('projectId'), directory: replica() });
      }
      const caller = await accessTokens.verify(value);
      const authority: Authority = {
        person: caller,
        hasEverywhere: (permission) => byToken && isGrantedByToken(caller.permissions, permission),
        async has(permission, companyId) {
          if (authority.hasEverywhere(permission)) return true;
          if (companyId === undefined) return false;
          const member = await replica().member(companyId, caller.sub);
          return member !== undefined && isGrantedByRole(member.role, permission);
        },
        async require(permission, companyId) {
          const { audited }: Partial<Exchange> = c.env;
          if (audited !== undefined && companyId !== undefined) audited.entry.companyId ??= companyId;
          if (!(await authority.has(permission, companyId)))
            throw new Forbidden(missingPermission(permission));
        },
      };
      return authority;
    },

    async companyOf(projectId) {
      return (await replica().project(projectId))?.companyId;
    },

    async membership(projectId, { person: { sub }, token }) {
      const project = await replica().project(projectId);
      const isTheirs =
        project !== undefined &&
        (token === undefined
          ? (await replica().member(project.companyId, sub)) !== undefined
          : token.companyId === project.companyId);
      if (!isTheirs) {
        if (token === undefined && !(await replica().isMember(sub)))
          throw new Forbidden('You are not a member of any company.');
        throw new NotYours();
      }
      // Checked after the membership, so that only members learn the region.
      requireRegion(project, region);
      return { id: project.id, companyId: project.companyId, region: project.region };
    },
  };
}
