import { createHash } from 'node:crypto';
import { appendEntry } from '@switchboard/audit';
import { type AuditEntry, auditObject, type Operation } from '@switchboard/contracts';
import { newId, type Within } from '@switchboard/database';
import { currentScope } from '../telemetry/scope.ts';

export interface AuditedCall {
  /** A parameter of its path as it was sent. */
  parameter(name: string): string | undefined;
  requestId: string;
  address: string;
}

interface Origin {
  service: string;
  region: string;
  at: Date;
}

/** The entry of a request by nobody so far. */
export function newEntry(
  { operationId, path }: Operation,
  { parameter, requestId, address }: AuditedCall,
  { service, region, at }: Origin,
): AuditEntry {
  return {
    id: newId('aud'),
    at: at.toISOString(),
    actor: { kind: 'nobody', id: null, tokenId: null },
    action: operationId,
    object: auditObject(path, (name) => (name === VISITOR ? pseudonym(parameter) : parameter(name))),
    outcome: 'allowed',
    status: null,
    companyId: null,
    projectId: null,
    reason: null,
    address,
    requestId,
    region,
    service,
    count: 1,
    until: null,
  };
}

/** The path parameter that names a visitor. */
const VISITOR = 'distinctId';
const PSEUDONYM_LENGTH = 16;

/** The same for each read of one person, without their id: the trail outlives an erasure. */
function pseudonym(parameter: AuditedCall['parameter']): string {
  const named = `${parameter('projectId') ?? ''}/${parameter(VISITOR) ?? ''}`;
  return createHash('sha256').update(named).digest('hex').slice(0, PSEUDONYM_LENGTH);
}

/** What only the rule knows of a change. Neither secrets nor what visitors wrote. */
export interface AuditDetails {
  /** Of flags and roles; undefined where there was, or is, none. */
  before?: unknown;
  after?: unknown;
  /** Why, if the caller said so. */
  reason?: string | undefined;
  /** What was created, as kind:id, where the path does not name it. */
  object?: string;
}

/** Adds details to the entry of the request on whose behalf this runs, before its transaction ends. */
export function auditDetails({ before, after, reason, object }: AuditDetails): void {
  const entry = currentScope()?.exchange?.audited?.entry;
  if (entry === undefined) return;
  if (before !== undefined) entry.before = before;
  if (after !== undefined) entry.after = after;
  if (reason !== undefined) entry.reason = reason;
  if (object !== undefined) entry.object = object;
}

/** The company that a permission is asked of, where the path does not name it. */
export function auditCompany(companyId: string | undefined): void {
  const entry = currentScope()?.exchange?.audited?.entry;
  if (entry !== undefined && companyId !== undefined) entry.companyId ??= companyId;
}

const MAX_STATE_CHARACTERS = 8_000;

/** The JSON of an entry. A state that is too large is left out, and its size said. */
export function encodeEntry(entry: AuditEntry): string {
  return JSON.stringify(entry, (name, value: unknown) => {
    if (name !== 'before' && name !== 'after') return value;
    const { length = 0 } = JSON.stringify(value) ?? '';
    return length > MAX_STATE_CHARACTERS ? { omitted: `${length} characters of JSON` } : value;
  });
}

/** For `openDatabase`: the first transaction of a request that changes something holds its entry too. */
export const auditedTransactions: Within = {
  async beforeCommit(tx) {
    const audited = currentScope()?.exchange?.audited;
    if (!audited?.isWrite || audited.isWritten) return;
    // The transaction holds its locks: entries of changes of one thing have the order of the changes.
    audited.setTime();
    await appendEntry(tx, encodeEntry(audited.entry));
  },
  afterCommit() {
    const audited = currentScope()?.exchange?.audited;
    if (audited?.isWrite && !audited.isWritten) audited.onWritten();
  },
};
