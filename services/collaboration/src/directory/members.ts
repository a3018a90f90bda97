import type { Directory, Member } from '@switchboard/directory';
import { BadRequest } from '@switchboard/http';

/** Returns the current names, by sub, of the people who are still members of the company. */
export async function namesOf(
  directory: Pick<Directory, 'members'>,
  companyId: string,
  subs: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const members = await directory.members(companyId, [...new Set(subs)]);
  return new Map(members.map(({ sub, name }) => [sub, name]));
}

/**
 * Returns the members that `field` of a request names, without duplicates. Throws BadRequest with the name of a
 * non-member.
 */
export async function requireMembers(
  directory: Pick<Directory, 'member'>,
  companyId: string,
  subs: readonly string[],
  field: string,
): Promise<Member[]> {
  const named = [...new Set(subs)];
  const found = await Promise.all(named.map((sub) => directory.member(companyId, sub)));
  const members = found.filter((member) => member !== undefined);
  if (members.length === named.length) return members;
  const known = new Set(members.map(({ sub }) => sub));
  const stranger = named.find((sub) => !known.has(sub)) ?? '';
  const where = `${field}[${subs.indexOf(stranger)}]`;
  throw new BadRequest(`${where}: ${JSON.stringify(stranger)} is not a member of this company`);
}
