import type { Project } from '@switchboard/contracts';
import { directoryRecord } from '@switchboard/directory';
import { BadRequest, Conflict, NotFound } from '@switchboard/service-kit';
import { findCompany, holdCompany } from '../companies/store.ts';
import type { Db } from '../db.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { removeProjects } from './removal.ts';
import {
  findProject,
  hasKeys,
  insertProjectIfMissing,
  listProjectRows,
  lockProject,
  updateProject,
} from './store.ts';

export type Projects = ReturnType<typeof createProjects>;

/** The projects; each belongs to a company that exists. */
export function createProjects({ db, outbox }: { db: Db; outbox: Outbox }) {
  return {
    async list(companyId: string, cursor?: string) {
      if ((await findCompany(db, companyId)) === undefined) {
        throw new NotFound(`There is no company ${companyId}.`);
      }
      const { rows, nextCursor } = await listProjectRows(db, companyId, cursor);
      return { projects: rows, nextCursor };
    },

    async get(id: string): Promise<Project> {
      const row = await findProject(db, id);
      if (row === undefined) throw new NotFound(`There is no project ${id}.`);
      return row;
    },

    /** A key carries its project's region, and who has it relies on whose project it is: with keys, both stay. */
    async put({ id, companyId, name, region, defaultLanguage }: Project): Promise<Project> {
      const project = { id, companyId, name, region, defaultLanguage };
      await outbox.change(async (tx, announce) => {
        if (!(await holdCompany(tx, companyId))) {
          throw new BadRequest(`companyId: there is no company ${companyId}`);
        }
        await insertProjectIfMissing(tx, project);
        const current = await lockProject(tx, id);
        const isMoved = current?.region !== region || current.companyId !== companyId;
        if (isMoved && (await hasKeys(tx, id))) {
          throw new Conflict(
            `Project ${id} has keys, so that its region and company stay; revoke its keys first or make a new project.`,
          );
        }
        await updateProject(tx, project);
        announce([directoryRecord('project', project)]);
      });
      return project;
    },

    /** Removes the project with its keys and reports. */
    async remove(id: string): Promise<void> {
      await outbox.change(async (tx, announce) => {
        if ((await lockProject(tx, id)) !== undefined) announce(await removeProjects(tx, [id]));
      });
    },
  };
}
