import { scimPatch } from 'scim-patch';
import { z } from 'zod';
import { ScimProblem } from './errors.ts';
import { parsed } from './resources.ts';

const path = z.string().max(500);
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

/** Returns a resource with the operations of a PATCH body applied (RFC 7644, section 3.5.2). Throws ScimProblem. */
export function applyPatch(resource: object, input: unknown): unknown {
  const { Operations } = parsed(body, input);
  for (const { path, value } of Operations) {
    if ((path !== undefined && RESERVED.test(path)) || hasReservedName(value)) {
      throw new ScimProblem(400, 'Operations: a path names a reserved attribute', 'invalidPath');
    }
  }
  try {
    return scimPatch({ schemas: [], meta: NO_META, ...structuredClone(resource) }, Operations);
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'not valid';
    throw new ScimProblem(400, `Operations: ${detail}`, 'invalidPath');
  }
}

function hasReservedName(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, inner]) => RESERVED.test(name) || hasReservedName(inner));
}
