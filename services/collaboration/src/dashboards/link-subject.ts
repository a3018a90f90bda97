import type { Db, Tx } from '@switchboard/database';
import { Conflict, NotFound } from '@switchboard/http';
import type { LinkSubject } from '../public-links/subject.ts';
import { createDashboardsStore, isNarrowed } from './store.ts';

/** Dashboards, as subjects of public links. A link shows saved runs, which have no range and filters of a dashboard. */
export const dashboardsAsSubject = (db: Db): LinkSubject => {
  async function find(from: Db | Tx, projectId: string, id: string) {
    const row = await createDashboardsStore(from).find(projectId, id);
    if (row === undefined) throw new NotFound('Dashboard not found.');
    return row;
  }
  return {
    noun: 'dashboard',
    async require(projectId, id) {
      await find(db, projectId, id);
    },
    async hold(tx, projectId, id) {
      await createDashboardsStore(tx).lock(projectId);
      if (!isNarrowed(await find(tx, projectId, id))) return;
      throw new Conflict(
        'A public link shows saved runs. Remove the range and the filters of the dashboard first.',
      );
    },
    contextOf: (projectId, id) => JSON.stringify(['dashboard', projectId, id]),
  };
};
