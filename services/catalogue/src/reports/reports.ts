import type { Report } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import { directoryRecord, directoryTombstone } from '@switchboard/directory';
import { NotFound } from '@switchboard/service-kit';
import type { Outbox } from '../outbox/outbox.ts';
import { type Projects, projectNotFound } from '../projects/projects.ts';
import { createProjectsStore } from '../projects/store.ts';
import { createReportsStore } from './store.ts';

/** The saved reports of projects, by name; their content lives in collaboration. */
export interface Reports {
  /** Throws NotFound when the project does not exist. */
  list(projectId: string, cursor?: string): Promise<{ reports: Report[]; nextCursor: string | null }>;
  /** Throws NotFound. */
  get(projectId: string, id: string): Promise<Report>;
  /** Throws NotFound when the project does not exist. */
  put(report: Report): Promise<Report>;
  remove(projectId: string, id: string): Promise<void>;
}

interface ReportsOptions {
  db: Db;
  outbox: Outbox;
  projects: Pick<Projects, 'get'>;
}

export function createReports({ db, outbox, projects }: ReportsOptions): Reports {
  const store = createReportsStore(db);
  return {
    async list(projectId, cursor) {
      await projects.get(projectId);
      const { rows, nextCursor } = await store.list(projectId, cursor);
      return { reports: rows, nextCursor };
    },

    async get(projectId, id) {
      const row = await store.find(projectId, id);
      if (row === undefined) throw new NotFound('Report not found.');
      return row;
    },

    async put({ projectId, id, name, publicAnnotations }) {
      const report = { projectId, id, name, publicAnnotations };
      await outbox.change(async (tx, announce) => {
        const project = await createProjectsStore(tx).hold(projectId);
        if (project === undefined) throw projectNotFound();
        await createReportsStore(tx).upsert(report);
        announce([directoryRecord('report', report)]);
      });
      return report;
    },

    async remove(projectId, id) {
      await outbox.change(async (tx, announce) => {
        const isRemoved = await createReportsStore(tx).remove(projectId, id);
        if (isRemoved) announce([directoryTombstone('report', projectId, id)]);
      });
    },
  };
}
