import type { Report } from '@switchboard/contracts';
import { directoryRecord, directoryTombstone } from '@switchboard/directory';
import { NotFound } from '@switchboard/service-kit';
import type { Db } from '../db.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { findProject, findReport, holdProject, listReportRows, removeReport, upsertReport } from './store.ts';

export type Reports = ReturnType<typeof createReports>;

/** The saved reports of projects, by name; what they show is elsewhere. */
export function createReports({ db, outbox }: { db: Db; outbox: Outbox }) {
  return {
    async list(projectId: string, cursor?: string) {
      if ((await findProject(db, projectId)) === undefined) throw unknownProject(projectId);
      const { rows, nextCursor } = await listReportRows(db, projectId, cursor);
      return { reports: rows, nextCursor };
    },

    async get(projectId: string, id: string): Promise<Report> {
      const row = await findReport(db, projectId, id);
      if (row === undefined) throw new NotFound(`Project ${projectId} has no report ${id}.`);
      return row;
    },

    async put({ projectId, id, name }: Report): Promise<Report> {
      const report = { projectId, id, name };
      await outbox.change(async (tx, announce) => {
        if ((await holdProject(tx, projectId)) === undefined) {
          throw unknownProject(projectId);
        }
        await upsertReport(tx, report);
        announce([directoryRecord('report', report)]);
      });
      return report;
    },

    async remove(projectId: string, id: string): Promise<void> {
      await outbox.change(async (tx, announce) => {
        if (await removeReport(tx, projectId, id)) announce([directoryTombstone('report', projectId, id)]);
      });
    },
  };
}

function unknownProject(projectId: string): NotFound {
  return new NotFound(`There is no project ${projectId}.`);
}
