import { missingPermission, type Project } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import {
  type AuditedChange,
  BadRequest,
  Conflict,
  Forbidden,
  NotFound,
  type PageRequest,
} from '@switchboard/http';
import { requireRoom } from '../companies/bounds.ts';
import type { Companies } from '../companies/companies.ts';
import { createCompaniesStore } from '../companies/store.ts';
import { createErasuresStore } from '../erasures/store.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { projectOf, projectRecord } from '../records/projects.ts';
import { createProjectsStore } from './store.ts';

/** The projects. The company of each project exists. */
export interface Projects {
  /** Throws NotFound when the company does not exist. */
  list(companyId: string, page: PageRequest): Promise<{ projects: Project[]; nextCursor: string | null }>;
  /** Throws NotFound. */
  get(id: string): Promise<Project>;
  /**
   * Throws BadRequest when the company does not exist, and Forbidden when `mayMoveFrom` returns false for the
   * company that currently owns the project. Throws Conflict when a project with keys would move, when the id
   * belonged to a deleted project, or when the company has reached its project limit.
   */
  put(
    change: AuditedChange,
    project: Project,
    mayMoveFrom: (companyId: string) => Promise<boolean>,
  ): Promise<Project>;
}

interface ProjectsOptions {
  db: Db;
  outbox: Outbox;
  companies: Pick<Companies, 'get'>;
}

export function createProjects({ db, outbox, companies }: ProjectsOptions): Projects {
  const store = createProjectsStore(db);
  return {
    async list(companyId, page) {
      await companies.get(companyId);
      const { rows, nextCursor } = await store.list(companyId, page);
      return { projects: rows.map(projectOf), nextCursor };
    },

    async get(id) {
      const row = await store.find(id);
      if (row === undefined) throw projectNotFound();
      return projectOf(row);
    },

    async put(change, { allowedOrigins = null, wires = null, flagApprovals = null, ...wanted }, mayMoveFrom) {
      const { id, companyId, region } = wanted;
      const project = { ...wanted, allowedOrigins, wires, flagApprovals };
      await outbox.change(change, async (tx, announce) => {
        const projects = createProjectsStore(tx);
        if ((await projects.find(id))?.companyId !== companyId) await requireRoom(tx, companyId, 'projects');
        if (!(await createCompaniesStore(tx).hold(companyId))) {
          throw new BadRequest(`companyId: ${companyId} not found; create it first`);
        }
        await projects.insertIfMissing(project);
        // Read after the insert, because the insert waits for a removal in progress.
        if ((await createErasuresStore(tx).lastOf({ kind: 'project', projectId: id })) !== undefined)
          throw new Conflict(`projectId: ${id} belonged to a project that was deleted; choose another`);
        const current = await projects.lock(id);
        if (
          current !== undefined &&
          current.companyId !== companyId &&
          !(await mayMoveFrom(current.companyId))
        ) {
          throw new Forbidden(missingPermission('projects.write'));
        }
        // A key contains its region, and its holder relies on the company that owns it.
        const isMoved = current?.region !== region || current.companyId !== companyId;
        if (isMoved && (await projects.hasKeys(id))) {
          throw new Conflict(
            `Project ${id} has keys, which fix its region and company; revoke them first or create another project.`,
          );
        }
        const { before, after } = { before: current?.flagApprovals ?? 0, after: flagApprovals ?? 0 };
        if (before !== after)
          change.describe({ before: { flagApprovals: before }, after: { flagApprovals: after } });
        await projects.update(project);
        announce([projectRecord(project, await projects.throttle(id))]);
      });
      return projectOf(project);
    },
  };
}

export function projectNotFound(): NotFound {
  return new NotFound('Project not found.');
}
