import { type Directory, type OnRemoved, openDirectory } from '@switchboard/directory';
import { type AuditTrail, createAuditTrail } from '../audit/trail.ts';
import type { Backings } from './service.ts';

/** Opens the audit trail of a service. */
export const openAuditTrail = (backings: Backings): AuditTrail =>
  backings.add(createAuditTrail({ ...backings, context: backings }));

/**
 * Returns a function that opens the service's replica of the directory. Only processes that serve requests follow the
 * directory.
 */
export const openReplica =
  (onRemoved?: OnRemoved) =>
  (backings: Backings): Directory => {
    const directory = openDirectory({ ...backings, onRemoved });
    return backings.serves ? backings.add(directory) : directory;
  };
