import { listTeammates } from '@switchboard/contracts';
import { z } from 'zod';
import { isNotFound, type ManagementClient } from '../management-client.ts';

const answer = z.object({
  team: z.array(
    z.object({
      name: z.string(),
      initials: z.string().default(''),
      tone: z.string().default(''),
      avatarUrl: z.string().nullable(),
    }),
  ),
});

/** The project's team as the messenger shows it; empty for a project that does not exist yet. */
export async function teamOf(client: ManagementClient, params: Record<string, string>) {
  try {
    return answer.parse(await client.call(listTeammates, { params })).team;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}
