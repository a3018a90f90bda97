import { isDeepStrictEqual } from 'node:util';
import type { Cohort, CohortDefinition, CohortList, FlagEntry, FlagPatch } from '@switchboard/contracts';
import type { Tx } from '@switchboard/database';
import { isCohortClause } from '@switchboard/flag-engine';
import { type AuditedChange, BadRequest, Conflict, NotFound } from '@switchboard/http';
import { createCohortRecordsStore } from '../cohort-records/store.ts';
import { createFlagsStore } from '../flags/store.ts';
import { type EditOptions, editRuleset } from '../rulesets/edit.ts';
import { createScheduledChangesStore } from '../scheduled-changes/store.ts';
import { createCohortsStore, type ListedCohort, type StoredCohort } from './store.ts';

type CohortSummary = Omit<Cohort, 'distinctIds'>;

/** Limited because the clauses of all cohorts of a project are in memory at once. */
const MAX_COHORTS = 1_000;
const MAX_NAMED = 5;
const NOT_COMPUTED: CohortList = { computedAt: null, size: 0 };

export interface Cohorts {
  list(projectId: string): Promise<CohortSummary[]>;
  /** Throws NotFound. */
  get(projectId: string, id: string): Promise<Cohort>;
  /** Creates or replaces a cohort. Throws BadRequest if the project has too many. */
  put(change: AuditedChange, projectId: string, id: string, definition: CohortDefinition): Promise<Cohort>;
  /** Removes a cohort and fails the scheduled changes that name it. Throws Conflict if a flag names it. */
  remove(change: AuditedChange, projectId: string, id: string): Promise<void>;
}

interface CohortsOptions extends EditOptions {
  /** Runs in the transaction that removes a cohort. */
  onRemoved(tx: Tx, projectId: string, id: string): Promise<void>;
}

/** Manages the cohorts of projects. */
export function createCohorts(options: CohortsOptions): Cohorts {
  const store = createCohortsStore(options.database.drizzle);
  return {
    list: async (projectId) => (await store.list(projectId)).map(toSummary),

    async get(projectId, id) {
      const stored = await store.find(projectId, id);
      if (stored === undefined) throw new NotFound('Cohort not found.');
      return { ...toSummary(stored), distinctIds: await store.listPeople(projectId, id) };
    },

    put: (change, projectId, id, { name, match, distinctIds = [], did, combine }) =>
      editRuleset(change, options, projectId, async (tx) => {
        const locked = createCohortsStore(tx);
        const cohort: StoredCohort = {
          id,
          name,
          match: match ?? null,
          did: did ?? null,
          combine: combine ?? null,
        };
        const found = await locked.find(projectId, id);
        const list = found?.did && did ? found.list : null;
        if (found === undefined && (await locked.count(projectId)) >= MAX_COHORTS) throw tooMany();
        const isNew = !isDeepStrictEqual(found && { ...found, list }, { ...cohort, list });
        if (isNew) await locked.save(projectId, cohort);
        if (did === undefined && found?.did) await locked.removeList(projectId, id);
        const hasNewPeople = await locked.replacePeople(projectId, id, distinctIds);
        const people = await locked.listPeople(projectId, id);
        const hasChanged = isNew || hasNewPeople;
        if (hasChanged) await createCohortRecordsStore(tx).announce(projectId, [id]);
        const result = { ...toSummary({ ...cohort, list }), distinctIds: people };
        return { result, hasChanged };
      }),

    remove: (change, projectId, id) =>
      editRuleset(change, options, projectId, async (tx) => {
        const cohorts = createCohortsStore(tx);
        if ((await cohorts.find(projectId, id)) !== undefined) {
          const named = (await createFlagsStore(tx).list(projectId)).filter((flag) => namesCohort(flag, id));
          if (named.length > 0) throw new Conflict(describeFlags(named));
          const scheduled = createScheduledChangesStore(tx);
          for (const one of await scheduled.waiting(projectId))
            if (namesCohort({ ...one.definition, ...one.patch }, id))
              await scheduled.fail(one.id, `The cohort ${id} was deleted.`);
          await options.onRemoved(tx, projectId, id);
        }
        await cohorts.removeList(projectId, id);
        const hasChanged = await cohorts.remove(projectId, id);
        if (hasChanged) await createCohortRecordsStore(tx).announce(projectId, [id]);
        return { result: undefined, hasChanged };
      }),
  };
}

/** Returns whether a flag or a part of one names a cohort. */
export const namesCohort = (
  { targeting = [], rules = [] }: Pick<FlagPatch, 'targeting' | 'rules'>,
  id: string,
) =>
  [...targeting, ...rules.flatMap((rule) => rule.targeting)].some(
    (clause) => isCohortClause(clause) && [clause.value].flat().includes(id),
  );

function describeFlags(flags: readonly FlagEntry[]): string {
  const names = flags.slice(0, MAX_NAMED).map(({ key }) => `"${key}"`);
  const more = flags.length > MAX_NAMED ? ` and ${flags.length - MAX_NAMED} more` : '';
  return `The flags ${names.join(', ')}${more} name the cohort. Change or delete those flags first.`;
}

const tooMany = () =>
  new BadRequest(`A project has at most ${MAX_COHORTS.toLocaleString('en')} cohorts. Delete some first.`);

function toSummary({ id, name, match, did, combine, list }: ListedCohort): CohortSummary {
  return {
    id,
    name,
    ...(match && { match }),
    ...(did && { did, list: list ?? NOT_COMPUTED }),
    ...(combine && { combine }),
  };
}
