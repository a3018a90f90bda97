import { createHash } from 'node:crypto';
import { type AuditEntry, auditObject, type Operation } from '@switchboard/contracts';
import { newId } from '@switchboard/database';

export interface AuditedCall {
  /** Returns a path parameter as it was sent. */
  parameter(name: string): string | undefined;
  requestId: string;
  address: string;
}

interface Origin {
  service: string;
  region: string;
  at: Date;
}

/** Returns the entry of a request before its caller is known. */
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

/** Returns the same pseudonym for each read of one person, without their id, since the trail outlives an erasure. */
function pseudonym(parameter: AuditedCall['parameter']): string {
  const named = `${parameter('projectId') ?? ''}/${parameter(VISITOR) ?? ''}`;
  return createHash('sha256').update(named).digest('hex').slice(0, PSEUDONYM_LENGTH);
}

/** Details of a change that only the rule knows. They contain neither secrets nor text of visitors. */
export interface AuditDetails {
  /** The state of a flag or a role before and after; undefined if it did not or does not exist. */
  before?: unknown;
  after?: unknown;
  /** The reason that the caller gave, if any. */
  reason?: string | undefined;
  /** The created object as kind:id, where the path does not name it. */
  object?: string;
}

const MAX_STATE_CHARACTERS = 8_000;

/** Returns the JSON of an entry. A state that is too large is replaced by its size. */
export function encodeEntry(entry: AuditEntry): string {
  return JSON.stringify(entry, (name, value: unknown) => {
    if (name !== 'before' && name !== 'after') return value;
    const { length = 0 } = JSON.stringify(value) ?? '';
    return length > MAX_STATE_CHARACTERS ? { omitted: `${length} characters of JSON` } : value;
  });
}
