import {
  type ApiToken,
  type DirectoryRecord,
  directoryRecord,
  directoryTombstone,
} from '@switchboard/directory';

/** A stored token. */
interface TokenRow extends Pick<ApiToken, 'id' | 'companyId' | 'kind' | 'sub'> {
  /** JSON. */
  permissions: string;
  /** JSON. Null: all projects of the company, and the company itself. */
  projectIds: string | null;
  expiresAt: Date;
  hash: string;
  previousHash: string | null;
  previousUntil: Date | null;
}

/** Returns the fields that services need to check a token. */
export function tokenOf(row: TokenRow): ApiToken {
  const { id, companyId, kind, sub, expiresAt, hash, previousHash, previousUntil } = row;
  return {
    id,
    companyId,
    kind,
    sub,
    permissions: JSON.parse(row.permissions),
    projectIds: row.projectIds === null ? null : JSON.parse(row.projectIds),
    expiresAt: expiresAt.toISOString(),
    hashes: [
      { hash, until: null },
      ...(previousHash === null || previousUntil === null
        ? []
        : [{ hash: previousHash, until: previousUntil.toISOString() }]),
    ],
  };
}

export const tokenRecord = (row: TokenRow) => directoryRecord('token', tokenOf(row));

export const tokenTombstones = (ids: readonly string[]): DirectoryRecord[] =>
  ids.map((id) => directoryTombstone('token', id));
