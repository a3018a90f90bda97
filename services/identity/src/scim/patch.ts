import { type ScimResource, scimPatch } from 'scim-patch';
import { z } from 'zod';
import { ScimProblem } from './errors.ts';
import { checkCharacters } from './filter.ts';
import { ENTERPRISE_SCHEMA, GROUP_SCHEMA, parsed } from './resources.ts';

const MAX_PATH = 500;
const path = z.string().max(MAX_PATH);
/** Names of operations in any case, as some clients send them. */
const operation = z.preprocess(
  (one) => (hasOp(one) ? { ...one, op: one.op.toLowerCase() } : one),
  z.discriminatedUnion('op', [
    z.object({ op: z.literal('remove'), path, value: z.unknown().optional() }),
    z.object({ op: z.enum(['add', 'replace']), path: path.exactOptional(), value: z.unknown() }),
  ]),
);

const hasOp = (one: unknown): one is { op: string } =>
  typeof one === 'object' && one !== null && 'op' in one && typeof one.op === 'string';

const body = z.object({ Operations: z.array(operation).min(1).max(1000) });

/** The library's type requires it. Clients cannot set it. */
const NO_META = { resourceType: '', created: new Date(0), lastModified: new Date(0), location: '' };

/** Names that reach the prototypes of all objects. */
const RESERVED = /__proto__|\bprototype\b|\bconstructor\b/i;

const MAX_OPERATIONS = 100;
const MAX_NAME = 200;
/** Attributes that the service sets. Okta repeats them in a value without a path, where they are ignored. */
const READ_ONLY = /^(?:urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):)?(?:id|meta|groups)(?:$|[.[])/i;
const MAX_DEPTH = 32;
/** The library compares each value of an array with each other one. */
const MAX_VALUES = 1000;

type Operation = z.output<typeof operation>;

/** Returns a resource with the operations of a PATCH body applied (RFC 7644, section 3.5.2). Throws ScimProblem. */
export function applyPatch(resource: object, input: unknown): unknown {
  return apply(resource, parsed(body, input).Operations);
}

/**
 * Like `applyPatch`, for a group with members. Applies the changes of members without the library, which compares
 * each new member with all others.
 */
export function applyGroupPatch(group: object, memberIds: readonly string[], input: unknown): object {
  const ids = new Set(memberIds);
  const others: Operation[] = [];
  for (const one of parsed(body, input).Operations) {
    const target = one.path === undefined ? undefined : attributeOf(one.path);
    if (target === undefined) {
      const [members, rest] = partedValue(one.value);
      for (const value of members) changeMembers(ids, one.op, value);
      if (members.length === 0 || Object.keys(rest).length > 0) {
        others.push(members.length === 0 ? one : { ...one, value: rest });
      }
    } else if (target.toLowerCase() === 'members') changeMembers(ids, one.op, one.value);
    else if (/^members\b/i.test(target)) {
      const [, id] = /^members\[\s*value\s+eq\s+"([^"\\]*)"\s*\]$/i.exec(target) ?? [];
      if (one.op !== 'remove' || id === undefined) {
        throw new ScimProblem(
          400,
          'Operations: a path of members is members, or members[value eq "ID"] to remove one',
          'invalidPath',
        );
      }
      ids.delete(id);
    } else others.push(one);
  }
  const applied = others.length === 0 ? group : apply(group, others);
  return { ...Object(applied), members: [...ids].map((value) => ({ value })) };
}

/** Returns a path without the schema of groups, which a client may name. */
function attributeOf(path: string): string {
  const prefix = `${GROUP_SCHEMA}:`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

/** Parts the members of a value without a path from the other attributes. */
function partedValue(value: unknown): [members: unknown[], rest: Record<string, unknown>] {
  if (typeof value !== 'object' || value === null) return [[], {}];
  const parted = Object.groupBy(Object.entries(value), ([name]) =>
    attributeOf(name).toLowerCase() === 'members' ? 'members' : 'rest',
  );
  return [(parted.members ?? []).map(([, members]) => members), Object.fromEntries(parted.rest ?? [])];
}

const member = z.looseObject({ value: z.string().max(1000) });
const members = z.union([
  z.array(member).max(10_000),
  member.transform((one) => [one]),
  z.null().transform(() => []),
]);

function changeMembers(ids: Set<string>, op: Operation['op'], value: unknown): void {
  if (op === 'remove' && (value === undefined || value === null)) {
    ids.clear();
    return;
  }
  const changed = parsed(z.object({ members }), { members: value }).members;
  if (op === 'replace') ids.clear();
  for (const { value: id } of changed) {
    if (op === 'remove') ids.delete(id);
    else ids.add(id);
  }
}

function apply(resource: object, operations: Operation[]): unknown {
  if (operations.length > MAX_OPERATIONS) {
    throw new ScimProblem(413, `Operations: more than ${MAX_OPERATIONS}. Send fewer in a request`);
  }
  const budget = { values: MAX_VALUES };
  for (const { path, value } of operations) {
    if (path !== undefined) {
      if (READ_ONLY.test(path)) {
        throw new ScimProblem(400, `Operations: ${path.slice(0, MAX_NAME)} is read-only`, 'mutability');
      }
      checkCharacters(path, 'Operations', 'invalidPath');
      checkName(path, MAX_PATH);
    }
    checkValue(value, budget);
  }
  try {
    const changed: ScimResource & Record<string, unknown> = {
      schemas: [],
      meta: NO_META,
      ...structuredClone(resource),
    };
    for (const one of operations) {
      // The library takes the point in the schema of the extension for one between attributes.
      if (one.op === 'remove' && one.path?.toLowerCase() === ENTERPRISE_SCHEMA.toLowerCase())
        delete changed[ENTERPRISE_SCHEMA];
      else scimPatch(changed, [one]);
    }
    return changed;
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'not valid';
    throw new ScimProblem(400, `Operations: ${detail}`, 'invalidPath');
  }
}

function checkName(name: string, max: number): void {
  if (name.length > max) {
    throw new ScimProblem(400, `Operations: a name is longer than ${max} characters`, 'invalidPath');
  }
  if (RESERVED.test(name)) {
    throw new ScimProblem(400, 'Operations: a path names a reserved attribute', 'invalidPath');
  }
}

function checkValue(value: unknown, budget: { values: number }, depth = 0): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth === MAX_DEPTH) {
    throw new ScimProblem(
      400,
      `Operations: a value is nested deeper than ${MAX_DEPTH} levels`,
      'invalidValue',
    );
  }
  for (const [name, inner] of Object.entries(value)) {
    budget.values--;
    if (budget.values < 0) {
      throw new ScimProblem(413, `Operations: more than ${MAX_VALUES} values. Send fewer in a request`);
    }
    checkName(name, MAX_NAME);
    checkValue(inner, budget, depth + 1);
  }
}
