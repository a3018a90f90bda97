import { z } from '@hono/zod-openapi';
import { encodingFault } from './fields/text.ts';
import { ROLES } from './operation/permissions.ts';

/**
 * The compacted topic on which identity publishes who joins and leaves companies. It has one partition, so its
 * records are in order. The header `revision` grows with each change of a member.
 */
export const MEMBERSHIPS_TOPIC = 'memberships';

const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => encodingFault(value) === undefined, 'cannot be stored');

const id = text(200);

/** The JSON value of a record on `memberships`. A record without a value removes the member. */
export const membershipRecord = z.object({
  companyId: id,
  sub: id,
  name: text(200),
  email: text(254),
  role: z
    .enum(ROLES)
    .optional()
    .meta({ description: 'Absent: the member keeps the role; a new one gets viewer.' }),
});
export type MembershipRecord = z.infer<typeof membershipRecord>;

const keyParts = z.tuple([id, id]);

/** Returns the key of a member's record. */
export function membershipKey(companyId: string, sub: string): string {
  return JSON.stringify([companyId, sub]);
}

/** Parses the key of a record. Returns undefined for any other key. */
export function parseMembershipKey(key: string): { companyId: string; sub: string } | undefined {
  try {
    const [companyId, sub] = keyParts.parse(JSON.parse(key));
    return { companyId, sub };
  } catch {
    return undefined;
  }
}
