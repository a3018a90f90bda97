import type { Permission } from '@switchboard/contracts';
import { z } from 'zod';
import type { Authority, ProjectAccess } from '../exchange/env.ts';
import { Forbidden } from '../exchange/errors.ts';
import type { TokenDirectory } from './api-tokens.ts';
import { grantOf, requireStillGranted } from './grants.ts';

const credentialSchema = z.object({
  sub: z.string(),
  tokenId: z.string().nullable(),
  project: z.object({ id: z.string(), companyId: z.string() }),
});

/** Returns the credential of a stream that a person opened, for later checks of the permission. */
export function streamCredential(
  authority: Authority,
  permission: Permission,
  { id, companyId }: Pick<ProjectAccess, 'id' | 'companyId'>,
): string {
  const { sub, tokenId } = grantOf(authority, permission);
  return JSON.stringify({ sub, tokenId, project: { id, companyId } } satisfies z.infer<
    typeof credentialSchema
  >);
}

/** Returns how to close a stream when its person has lost the permission; undefined otherwise. */
export async function refusalOfStream(
  credential: string,
  permission: Permission,
  directory: TokenDirectory,
): Promise<{ code: number; reason: string } | undefined> {
  const { project, ...grant } = credentialSchema.parse(JSON.parse(credential));
  try {
    await requireStillGranted({ ...grant, everywhere: false }, permission, project, directory);
    return undefined;
  } catch (error) {
    if (error instanceof Forbidden) return { code: 4403, reason: error.message };
    throw error;
  }
}
