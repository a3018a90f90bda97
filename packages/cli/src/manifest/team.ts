import { type Client, isNotFound } from '@switchboard/management';

/** The project's team as the messenger shows it; empty for a project that does not exist yet. */
export async function teamOf(client: Client, projectId: string) {
  try {
    const { team } = await client.call('listTeammates', { params: { projectId } });
    return team.map(({ name, initials = '', tone = '', avatarUrl }) => ({ name, initials, tone, avatarUrl }));
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}
