import {
  type ApiToken,
  type DirectoryRecord,
  directoryRecord,
  directoryTombstone,
} from '@switchboard/directory';
import type { ApiTokenRow } from './store.ts';

/** Returns the fields that services need to check a token. */
export function tokenOf(row: ApiTokenRow): ApiToken {
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

export const tokenRecord = (row: ApiTokenRow) => directoryRecord('token', tokenOf(row));

export const tokenTombstones = (ids: readonly string[]): DirectoryRecord[] =>
  ids.map((id) => directoryTombstone('token', id));
