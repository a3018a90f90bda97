import { type Report, reportDefinition } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import { directoryRecord, directoryTombstone } from '@switchboard/directory';
import { type AuditedChange, BadRequest, NotFound, type PageRequest } from '@switchboard/http';
import { requireRoom } from '../companies/bounds.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { type Projects, projectNotFound } from '../projects/projects.ts';
import { createProjectsStore } from '../projects/store.ts';
import { createReportsStore, type ReportRow } from './store.ts';

/**
 * The saved reports of projects: their queries and refresh intervals. The collaboration service stores their
 * content.
 */
export interface Reports {
  /** Throws NotFound when the project does not exist. */
  list(projectId: string, page: PageRequest): Promise<{ reports: Report[]; nextCursor: string | null }>;
  /** Throws NotFound. */
  get(projectId: string, id: string): Promise<Report>;
  /**
   * Throws NotFound when the project does not exist, BadRequest for a refresh without a query, and Conflict when
   * the company has reached its limit of reports or of reports with refresh.
   */
  put(change: AuditedChange, report: Report): Promise<Report>;
  remove(change: AuditedChange, projectId: string, id: string): Promise<void>;
}

interface ReportsOptions {
  db: Db;
  outbox: Outbox;
  projects: Pick<Projects, 'get'>;
}

export function createReports({ db, outbox, projects }: ReportsOptions): Reports {
  const store = createReportsStore(db);
  return {
    async list(projectId, page) {
      await projects.get(projectId);
      const { rows, nextCursor } = await store.list(projectId, page);
      return { reports: rows.map(present), nextCursor };
    },

    async get(projectId, id) {
      const row = await store.find(projectId, id);
      if (row === undefined) throw new NotFound('Report not found.');
      return present(row);
    },

    async put(change, { projectId, id, name, description, publicAnnotations, query, refresh }) {
      if (refresh !== null && query === null) throw new BadRequest('refresh: requires a query');
      const announced = { projectId, id, name, publicAnnotations, query, refresh };
      const report = { ...announced, description };
      await outbox.change(change, async (tx, announce) => {
        await requireRoomFor(tx, report);
        const project = await createProjectsStore(tx).hold(projectId);
        if (project === undefined) throw projectNotFound();
        const generation = await createReportsStore(tx).upsert({
          ...report,
          query: query === null ? null : JSON.stringify(query),
        });
        announce([directoryRecord('report', { ...announced, generation: generation ?? undefined })]);
      });
      return report;
    },

    async remove(change, projectId, id) {
      await outbox.change(change, async (tx, announce) => {
        const isRemoved = await createReportsStore(tx).remove(projectId, id);
        if (isRemoved) announce([directoryTombstone('report', projectId, id)]);
      });
    },
  };
}

/** Throws Conflict when the company has reached its limit of reports or of reports with refresh. */
async function requireRoomFor(
  tx: Tx,
  { projectId, id, refresh }: Pick<Report, 'projectId' | 'id' | 'refresh'>,
): Promise<void> {
  const before = await createReportsStore(tx).find(projectId, id);
  const isRefreshedFirst = refresh !== null && (before?.refresh ?? null) === null;
  if (before !== undefined && !isRefreshedFirst) return;
  const project = await createProjectsStore(tx).find(projectId);
  if (project === undefined) throw projectNotFound();
  if (before === undefined) await requireRoom(tx, project.companyId, 'reports');
  if (isRefreshedFirst) await requireRoom(tx, project.companyId, 'refreshedReports');
}

/** Omits a stored query that this version does not recognise, which happens after a rollback. */
function present({ query, refresh, generation: _, ...row }: ReportRow): Report {
  const { shape } = reportDefinition;
  return {
    ...row,
    query: query === null ? null : (shape.query.safeParse(JSON.parse(query)).data ?? null),
    refresh: shape.refresh.safeParse(refresh).data ?? null,
  };
}
