import type { Combination } from '@switchboard/contracts';
import type { CohortMembersStore } from '../cohort-members/store.ts';
import type { Cohort } from '../conditions/cohorts.ts';
import type { Engine } from '../engine/engine.ts';
import { integer, sql } from '../engine/sql.ts';

/** Provides the computed lists of cohorts to queries. */
export interface ListedMembers {
  /** Runs `work` on cohorts with the members of their lists. `lists` names the cohorts that have one. */
  read<T>(
    projectId: string,
    { cohorts, lists }: ListedCohorts,
    signal: AbortSignal,
    work: (cohorts: ReadonlyMap<string, Cohort>) => Promise<T>,
  ): Promise<T>;
}

export interface ListedCohorts {
  cohorts: ReadonlyMap<string, Cohort>;
  lists: ReadonlyMap<string, Combination>;
}

/** Copies the lists that a query reads into the engine. */
export function createListedMembers({
  store,
  engine,
}: {
  store: Pick<CohortMembersStore, 'members'>;
  engine: Pick<Engine, 'createFacts'>;
}): ListedMembers {
  return {
    async read(projectId, { cohorts, lists }, signal, work) {
      if (lists.size === 0) return work(cohorts);
      const facts = await engine.createFacts(signal);
      try {
        const listed = new Map(cohorts);
        for (const [k, [id, combine]] of [...lists].entries()) {
          let part = await store.members({ projectId, id }, undefined);
          while (part !== undefined) {
            await facts.addPeople(k, part.people, signal);
            part = await store.members({ projectId, id }, part.prefix);
          }
          const cohort = cohorts.get(id) ?? { match: [], distinctIds: [] };
          const members = sql`select p from ${facts.relation} as listed where k = ${integer(k)}`;
          listed.set(id, { ...cohort, did: { combine, members } });
        }
        return await work(listed);
      } finally {
        await facts.drop();
      }
    },
  };
}
