import { isCarried, isGrantedByRole, missingPermission, type Permission } from '@switchboard/contracts';
import type { ApiToken, Directory } from '@switchboard/directory';
import { apiTokenId, isValueOf } from '@switchboard/runtime';
import type { Authority } from '../exchange/env.ts';
import { Forbidden, Unauthorized } from '../exchange/errors.ts';

export type TokenDirectory = Pick<Directory, 'token' | 'tokenUsed' | 'member'>;

/** Returns the token with this value. Throws the same Unauthorized if it is unknown, revoked, replaced or expired. */
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
  /** The project in the path of the request. */
  projectId: string | undefined;
  directory: TokenDirectory;
}

/** Returns the current authority of a token. A personal token never exceeds the current role of its person. */
export function authorityOfToken({ token, projectId, directory }: AuthorityOptions): Authority {
  /** Returns the reason why the token does not grant the permission; undefined if it does. */
  async function refusal(permission: Permission, companyId: string | undefined): Promise<string | undefined> {
    if (companyId === undefined || companyId !== token.companyId) {
      return `Requires ${permission}: this token belongs to another company.`;
    }
    if (!isCarried(token.permissions, permission)) {
      return `Requires ${permission}: this token does not have it.`;
    }
    if (token.projectIds !== null && (projectId === undefined || !token.projectIds.includes(projectId))) {
      return `Requires ${permission}: this token does not cover ${projectId === undefined ? 'the company' : 'this project'}.`;
    }
    if (token.sub === null) {
      return isGrantedByRole('owner', permission) ? undefined : missingPermission(permission);
    }
    const member = await directory.member(token.companyId, token.sub);
    if (member === undefined) {
      return `Requires ${permission}: the person that this token acts as is not a member of the company.`;
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
