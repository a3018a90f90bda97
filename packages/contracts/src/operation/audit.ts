import type { Operation } from './operation.ts';
import type { Permission } from './permissions.ts';

/**
 * The permissions with reads that are in the audit trail: those on what visitors said and did, and on the trail
 * itself.
 */
const READS_IN_TRAIL: readonly Permission[] = [
  'events.read',
  'people.read',
  'conversations.read',
  'replays.read',
  'webhookMessages.read',
  'deadLetters.read',
  'audit.read',
  'audit.list',
];

/**
 * Returns what the audit trail records of an operation besides rejections: a change, a read, or neither. Undefined
 * for an operation without a permission, which is not recorded.
 */
export function auditedAs({
  method,
  permission,
}: Pick<Operation, 'method' | 'permission'>): 'write' | 'read' | 'refusals' | undefined {
  if (permission === undefined) return undefined;
  if (method !== 'get' && !permission.endsWith('.read')) return 'write';
  return READS_IN_TRAIL.includes(permission) ? 'read' : 'refusals';
}

/** `true` for an operation type that `auditedAs` calls a change. */
export type IsChange<O> = O extends { permission: Permission }
  ? O extends { method: 'get' } | { permission: `${string}.read` }
    ? false
    : true
  : false;

/** The names of the items of each collection in a path, for the audit trail. */
const KINDS: Readonly<Record<string, string>> = {
  companies: 'company',
  team: 'teammate',
  people: 'person',
  replays: 'recording',
  models: 'ai-model',
  hooks: 'flag-hook',
};

const MAX_PART = 200;
const SHOWN_OF_KEY = 10;
const VERSION = /^(\/management)?\/v1\//;

/**
 * Returns the object of a request: the innermost item that its path identifies, as kind:id, such as
 * `conversation:cnv_018f`, or else the path of a collection, such as `companies`. `parameter` returns a parameter as
 * it was sent.
 */
export function auditObject(path: string, parameter: (name: string) => string | undefined): string {
  const segments = path.replace(VERSION, '').split('/');
  const last = segments.findLastIndex(isParameter);
  if (last < 0) return segments.join('/');
  const first = segments.findLastIndex((segment, index) => index < last && !isParameter(segment)) + 1;
  const collection = segments[first - 1] ?? '';
  const values = segments.slice(first, last + 1).map((segment) => {
    const value = auditText(parameter(segment.slice(1, -1)) ?? '');
    return collection === 'keys' ? auditedKey(value) : value;
  });
  return `${KINDS[collection] ?? collection.replace(/s$/, '')}:${values.join('/')}`;
}

/** Shortens a project key for entries, because the full key gives access to the project. */
export const auditedKey = (key: string): string => `${key.slice(0, SHOWN_OF_KEY)}...`;

const isParameter = (segment: string) => segment.startsWith('{');

/** Converts a text for entries: shortens it, and removes characters that databases reject or terminals interpret. */
export function auditText(text: string): string {
  return text
    .slice(0, MAX_PART)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '?');
}
