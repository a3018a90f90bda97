import { isGrantedByRole, type LeftServiceToken, type Permission, type Role } from '@switchboard/contracts';
import type { Tx } from '@switchboard/database';
import type { DirectoryRecord } from '@switchboard/directory';
import { tokenTombstones } from '../records/tokens.ts';
import { type ApiTokenRow, createTokensStore } from './store.ts';

/** Permissions that would let a former member regain access or lock others out. */
const WITHDRAWN: readonly Permission[] = [
  'members.write',
  'admins.write',
  'tokens.write',
  'keys.write',
  'secrets.write',
  'company.write',
];

interface Leaving {
  companyId: string;
  sub: string;
  /** The new role of the person. Undefined: no longer a member. */
  role: Role | undefined;
  /** Whether to revoke no tokens. */
  keeps: boolean;
}

/**
 * Lists the service tokens that the person created or rotated, and the tokens created with those. Revokes tokens
 * that may write members, tokens, keys, secrets or the company unless the person's new role grants that
 * permission.
 */
export async function leaveServiceTokens(
  tx: Tx,
  { companyId, sub, role, keeps }: Leaving,
): Promise<{ serviceTokens: LeftServiceToken[]; records: DirectoryRecord[] }> {
  const store = createTokensStore(tx);
  const found = new Map<string, ApiTokenRow>();
  for (let makers = [sub]; makers.length > 0; ) {
    const more = (await store.madeBy(companyId, makers)).filter(({ id }) => !found.has(id));
    for (const row of more) found.set(row.id, row);
    makers = more.map(({ id }) => id);
  }
  const lost = WITHDRAWN.filter((permission) => role === undefined || !isGrantedByRole(role, permission));
  const serviceTokens = [...found.values()].map(({ id, name, permissions: json }) => {
    const permissions: string[] = JSON.parse(json);
    return { id, name, permissions, revoked: !keeps && lost.some((one) => permissions.includes(one)) };
  });
  const revoked = serviceTokens.filter((token) => token.revoked).map(({ id }) => id);
  for (const id of revoked) await store.remove(id);
  return { serviceTokens, records: tokenTombstones(revoked) };
}
