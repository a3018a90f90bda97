import { isDeepStrictEqual } from 'node:util';
import type { Cohort, CohortDefinition } from '@switchboard/contracts';
import { NotFound } from '@switchboard/service-kit';
import { type Editing, edit } from './editing.ts';
import {
  findCohort,
  listCohortPeople,
  listCohorts,
  removeCohort,
  replaceCohortPeople,
  type StoredCohort,
  upsertCohort,
} from './store.ts';

export interface Cohorts {
  list(projectId: string): Promise<Omit<Cohort, 'distinctIds'>[]>;
  /** Throws NotFound. */
  get(projectId: string, id: string): Promise<Cohort>;
  put(projectId: string, id: string, definition: CohortDefinition): Promise<Cohort>;
  /** Also while flags ask for it: nobody is in an unknown cohort. */
  remove(projectId: string, id: string): Promise<void>;
}

/** The management of a project's cohorts. */
export function createCohorts(editing: Editing): Cohorts {
  const { drizzle } = editing.database;
  return {
    list: async (projectId) => (await listCohorts(drizzle, projectId)).map(asWritten),

    async get(projectId, id) {
      const stored = await findCohort(drizzle, projectId, id);
      if (stored === undefined) throw new NotFound('The project has no such cohort.');
      return { ...asWritten(stored), distinctIds: await listCohortPeople(drizzle, projectId, id) };
    },

    put: (projectId, id, { name, match, distinctIds = [] }) =>
      edit(editing, projectId, async (tx) => {
        const cohort: StoredCohort = { id, name, match: match ?? null };
        const isNew = !isDeepStrictEqual(await findCohort(tx, projectId, id), cohort);
        if (isNew) await upsertCohort(tx, projectId, cohort);
        const hasOthers = await replaceCohortPeople(tx, projectId, id, distinctIds);
        const people = await listCohortPeople(tx, projectId, id);
        return { answer: { ...asWritten(cohort), distinctIds: people }, hasChanged: isNew || hasOthers };
      }),

    remove: (projectId, id) =>
      edit(editing, projectId, async (tx) => ({
        answer: undefined,
        hasChanged: await removeCohort(tx, projectId, id),
      })),
  };
}

function asWritten({ match, ...cohort }: StoredCohort): Omit<Cohort, 'distinctIds'> {
  return match === null ? cohort : { ...cohort, match };
}
