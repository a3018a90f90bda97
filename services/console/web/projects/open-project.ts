import { api, queries } from '../app/api.ts';
import { t } from '../app/i18n.ts';

const ATTEMPTS = 60;
const WAIT_MS = 500;

/**
 * Waits until the person's list has a project that was just created, because services learn of memberships shortly
 * after they begin. Returns the path of the page with its install code.
 */
export async function openProject(projectId: string): Promise<string> {
  const client = await api();
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const [{ projects }, { companies }] = await Promise.all([
      client.call('listOwnProjects'),
      client.call('getMe'),
    ]);
    const project = projects.find(({ id }) => id === projectId);
    if (project !== undefined && companies.some(({ id }) => id === project.companyId)) {
      await Promise.all(
        ['listOwnProjects', 'getMe'].map((name) => queries.invalidateQueries({ queryKey: [name] })),
      );
      return `/projects/${encodeURIComponent(projectId)}/settings/keys`;
    }
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  throw new Error(t('The project is created but not in your list yet. Reload the page in a minute.'));
}
