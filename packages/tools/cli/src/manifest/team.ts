import { type Client, isNotFound } from '@switchboard/management';

/** Returns the project's team as the messenger shows it. It is empty for a project that does not exist yet. */
export async function teamOf(client: Client, projectId: string) {
  try {
    const { team } = await client.call('listTeammates', { params: { projectId } });
    return team.map(({ name, initials = '', tone = '', avatarUrl }) => ({ name, initials, tone, avatarUrl }));
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}
