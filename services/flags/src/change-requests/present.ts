import type { ChangeRequest } from '@switchboard/contracts';
import { differences } from '../flag-history/history.ts';
import type { ApprovalRow, RequestRow } from './store.ts';

/**
 * Returns the number of approvals that a request needs. The person who used a service token may be among those who
 * approve, so its requests need one more.
 */
export function neededFor({ author, tokenId }: RequestRow, approvalsOf: number): number {
  return Math.max(1, approvalsOf) + (author !== null && author === tokenId ? 1 : 0);
}

export function stateOfRequest({ closedAs, expiresAt }: RequestRow, now: Date): ChangeRequest['state'] {
  return closedAs ?? (expiresAt <= now ? 'expired' : 'waiting');
}

/** Returns whether `sub` made a request that others closed, or that expired, and has not read that. */
export function isUnreadBy(
  sub: string,
  { author, isRead, closedAs, closedBy, expiresAt }: RequestRow,
  now: Date,
): boolean {
  if (author !== sub || isRead) return false;
  return closedAs === null ? expiresAt <= now : closedBy !== sub;
}

interface Presented {
  approvals: readonly ApprovalRow[];
  approvalsOf: number;
  now: Date;
  /** The person who reads the request. */
  sub: string;
}

export function presentRequest(
  row: RequestRow,
  { approvals, approvalsOf, now, sub }: Presented,
): ChangeRequest {
  const { id, key, version, before, after, author, reason, at, createdAt, expiresAt } = row;
  return {
    id,
    key,
    state: stateOfRequest(row, now),
    version,
    flag: after,
    changes: differences(before, after),
    author,
    reason,
    at: at?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    approvals: approvals.map((one) => ({ sub: one.sub, at: one.at.toISOString() })),
    needed: neededFor(row, approvalsOf),
    closed: row.closedAt && { at: row.closedAt.toISOString(), by: row.closedBy, note: row.note },
    unread: isUnreadBy(sub, row, now),
  };
}
