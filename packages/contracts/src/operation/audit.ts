import type { Operation } from './operation.ts';
import type { Permission } from './permissions.ts';

/** Permissions whose reads are in the audit trail: of what visitors said and did, and of the trail itself. */
const READS_IN_TRAIL: readonly Permission[] = [
  'events.read',
  'people.read',
  'conversations.read',
  'replays.read',
  'audit.read',
  'audit.list',
];

/**
 * What of an operation is in the audit trail beside refusals: that it changed something, that it was read, or neither.
 * Undefined for an operation without a permission, of which nothing is.
 */
export function auditedAs({
  method,
  permission,
}: Pick<Operation, 'method' | 'permission'>): 'write' | 'read' | 'refusals' | undefined {
  if (permission === undefined) return undefined;
  if (method !== 'get' && !permission.endsWith('.read')) return 'write';
  return READS_IN_TRAIL.includes(permission) ? 'read' : 'refusals';
}

/** What the audit trail calls an item of each collection in a path. */
const KINDS: Readonly<Record<string, string>> = {
  companies: 'company',
  team: 'teammate',
  people: 'person',
  replays: 'recording',
  models: 'ai-model',
};

const MAX_PART = 200;
const SHOWN_OF_KEY = 10;
const VERSION = /^(\/management)?\/v1\//;

/**
 * The object of a request: the innermost item that its path names, as kind:id, such as `conversation:cnv_018f`; the
 * path of a collection, such as `companies`, where it names none. `parameter` gives a parameter as it was sent.
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

/** What entries say of a project key, which opens the project to whoever has all of it. */
export const auditedKey = (key: string): string => `${key.slice(0, SHOWN_OF_KEY)}...`;

const isParameter = (segment: string) => segment.startsWith('{');

/** A text as entries hold it: bounded, and without what databases refuse and terminals obey. */
export function auditText(text: string): string {
  return text
    .slice(0, MAX_PART)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '?');
}
