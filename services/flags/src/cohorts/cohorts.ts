import { isDeepStrictEqual } from 'node:util';
import type { Cohort, CohortDefinition } from '@switchboard/contracts';
import { BadRequest, NotFound } from '@switchboard/service-kit';
import { createCohortRecordsStore } from '../cohort-records/store.ts';
import { type EditOptions, editRuleset } from '../rulesets/edit.ts';
import { createCohortsStore, type StoredCohort } from './store.ts';

type CohortSummary = Omit<Cohort, 'distinctIds'>;

/** The clauses of all of a project's cohorts are in memory at once. */
const MAX_COHORTS = 1_000;

export interface Cohorts {
  list(projectId: string): Promise<CohortSummary[]>;
  /** Throws NotFound. */
  get(projectId: string, id: string): Promise<Cohort>;
  /** Creates or replaces a cohort. Throws BadRequest when the project has too many. */
  put(projectId: string, id: string, definition: CohortDefinition): Promise<Cohort>;
  /** Allowed while flags refer to the cohort: nobody is in an unknown cohort. */
  remove(projectId: string, id: string): Promise<void>;
}

/** Manages the cohorts of projects. */
export function createCohorts(options: EditOptions): Cohorts {
  const store = createCohortsStore(options.database.drizzle);
  return {
    list: async (projectId) => (await store.list(projectId)).map(toSummary),

    async get(projectId, id) {
      const stored = await store.find(projectId, id);
      if (stored === undefined) throw new NotFound('Cohort not found.');
      return { ...toSummary(stored), distinctIds: await store.listPeople(projectId, id) };
    },

    put: (projectId, id, { name, match, distinctIds = [] }) =>
      editRuleset(options, projectId, async (tx) => {
        const locked = createCohortsStore(tx);
        const cohort: StoredCohort = { id, name, match: match ?? null };
        const stored = await locked.find(projectId, id);
        if (stored === undefined && (await locked.count(projectId)) >= MAX_COHORTS) throw tooMany();
        const isNew = !isDeepStrictEqual(stored, cohort);
        if (isNew) await locked.save(projectId, cohort);
        const hasNewPeople = await locked.replacePeople(projectId, id, distinctIds);
        const people = await locked.listPeople(projectId, id);
        const hasChanged = isNew || hasNewPeople;
        if (hasChanged) await createCohortRecordsStore(tx).announce(projectId, [id]);
        return { result: { ...toSummary(cohort), distinctIds: people }, hasChanged };
      }),

    remove: (projectId, id) =>
      editRuleset(options, projectId, async (tx) => {
        const hasChanged = await createCohortsStore(tx).remove(projectId, id);
        if (hasChanged) await createCohortRecordsStore(tx).announce(projectId, [id]);
        return { result: undefined, hasChanged };
      }),
  };
}

const tooMany = () =>
  new BadRequest(`A project has at most ${MAX_COHORTS.toLocaleString('en')} cohorts. Delete some first.`);

function toSummary({ match, ...cohort }: StoredCohort): CohortSummary {
  return match === null ? cohort : { ...cohort, match };
}
