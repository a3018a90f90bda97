import { isCarried, isGrantedByRole, missingPermission, type Permission } from '@switchboard/contracts';
import type { ApiToken, Directory } from '@switchboard/directory';
import type { Authority } from '../http/env.ts';
import { Forbidden, Unauthorized } from '../http/errors.ts';
import { apiTokenId, isValueOf } from '../secrets/api-token.ts';

export type TokenDirectory = Pick<Directory, 'token' | 'tokenUsed' | 'member'>;

/** The token that has this value. Throws the same Unauthorized for one that is unknown, revoked, replaced or expired. */
export async function findApiToken(value: string, directory: TokenDirectory): Promise<ApiToken> {
  const id = apiTokenId(value);
  const token = id === undefined ? undefined : await directory.token(id);
  const now = Date.now();
  const isValid = token?.hashes.some(
    ({ hash, until }) => (until === null || Date.parse(until) > now) && isValueOf(value, hash),
  );
  if (token === undefined || !isValid || Date.parse(token.expiresAt) <= now) {
    throw new Unauthorized('Invalid personal access token or service token.');
  }
  directory.tokenUsed(token.id);
  return token;
}

interface AuthorityOptions {
  token: ApiToken;
  /** Of the request's path. */
  projectId: string | undefined;
  directory: TokenDirectory;
}

/** What a token allows now: a personal one never more than the role its person has at this moment. */
export function authorityOfToken({ token, projectId, directory }: AuthorityOptions): Authority {
  /** Why the token does not allow it; undefined if it does. */
  async function refusal(permission: Permission, companyId: string | undefined): Promise<string | undefined> {
    if (companyId === undefined || companyId !== token.companyId) {
      return `Requires ${permission}: this token works in one company only, and not in this one.`;
    }
    if (!isCarried(token.permissions, permission)) {
      return `Requires ${permission}: this token does not carry it.`;
    }
    if (token.projectIds !== null && (projectId === undefined || !token.projectIds.includes(projectId))) {
      return `Requires ${permission}: this token does not cover ${projectId === undefined ? 'the company' : 'this project'}.`;
    }
    if (token.sub === null) {
      return isGrantedByRole('owner', permission) ? undefined : missingPermission(permission);
    }
    const member = await directory.member(token.companyId, token.sub);
    if (member === undefined) {
      return `Requires ${permission}: whom this token acts as is no member of the company.`;
    }
    return isGrantedByRole(member.role, permission) ? undefined : missingPermission(permission);
  }

  return {
    person: { sub: token.sub ?? token.id, permissions: [] },
    token,
    hasEverywhere: () => false,
    has: async (permission, companyId) => (await refusal(permission, companyId)) === undefined,
    async require(permission, companyId) {
      const reason = await refusal(permission, companyId);
      if (reason !== undefined) throw new Forbidden(reason);
    },
  };
}
