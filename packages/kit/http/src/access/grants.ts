import { isGrantedByRole, missingPermission, type Permission } from '@switchboard/contracts';
import type { Authority, ProjectAccess } from '../exchange/env.ts';
import { Forbidden } from '../exchange/errors.ts';
import { authorityOfToken, type TokenDirectory } from './api-tokens.ts';

/** The authorization that a scheduled action runs under. */
export interface Grant {
  sub: string;
  /** The id of the personal or service token that made the request. */
  tokenId: string | null;
  /** Whether the access token grants it in every company. Roles are then not checked again. */
  everywhere: boolean;
}

export function grantOf(authority: Authority, permission: Permission): Grant {
  return {
    sub: authority.person.sub,
    tokenId: authority.token?.id ?? null,
    everywhere: authority.hasEverywhere(permission),
  };
}

/** Throws Forbidden unless the role or the token still grants the permission in the project. */
export async function requireStillGranted(
  { sub, tokenId, everywhere }: Grant,
  permission: Permission,
  { id, companyId }: Pick<ProjectAccess, 'id' | 'companyId'>,
  directory: TokenDirectory,
): Promise<void> {
  if (everywhere) return;
  if (tokenId === null) {
    const member = await directory.member(companyId, sub);
    if (member === undefined || !isGrantedByRole(member.role, permission))
      throw new Forbidden(missingPermission(permission));
    return;
  }
  const token = await directory.token(tokenId);
  if (token === undefined || Date.parse(token.expiresAt) <= Date.now())
    throw new Forbidden(`Requires ${permission}: the token is revoked or has expired.`);
  await authorityOfToken({ token, projectId: id, directory }).require(permission, companyId);
}
