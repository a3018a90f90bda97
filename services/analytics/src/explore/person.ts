import type { StoredEvent } from '@switchboard/contracts';
import { createFairQueue } from '@switchboard/fairness';
import { compileCohorts, memberships } from '@switchboard/flag-engine';
import { joinObjects, type PageRequest } from '@switchboard/http';
import { z } from 'zod';
import type { CohortMembersStore } from '../cohort-members/store.ts';
import type { PeopleStore } from '../people/store.ts';
import type { IdOnFile, PersonsStore } from '../persons/store.ts';
import { extended, type Json, jsonOf, type Result } from '../results/results.ts';
import type { ListEvents } from './events.ts';

/** The person in a result. Traits are sent as stored. */
interface Person {
  /** The id that names the person. */
  distinctId: string;
  ids: IdOnFile[];
  traits: Record<string, unknown>;
  groups: { type: string; id: string; traits: Record<string, unknown> }[];
  /** The ids of the cohorts. */
  cohorts: string[];
  /** Newest first. */
  events: StoredEvent[];
  nextCursor: string | null;
}

/** Returns the person of an id. An unknown person has no traits. Throws what listing the events throws. */
export type FindPerson = (
  projectId: string,
  distinctId: string,
  page: PageRequest,
) => Promise<Result<Person>>;

interface FindPersonOptions {
  store: Pick<PeopleStore, 'find' | 'cohortsFor'>;
  lists: Pick<CohortMembersStore, 'cohortsOf'>;
  persons: Pick<PersonsStore, 'idsOf' | 'find'>;
  events: ListEvents;
}

/** The number of people parsed at once. Traits, with those of groups, take many times as much memory once parsed. */
const MAX_PARSED = 2;
const traitsSchema = z.record(z.string(), z.unknown());
const parseTraits = (json: string) => traitsSchema.parse(JSON.parse(json));

export function createFindPerson({ store, lists, persons, events }: FindPersonOptions): FindPerson {
  const queue = createFairQueue(MAX_PARSED, MAX_PARSED - 1);

  return async (projectId, id, page) => {
    const result = await events(projectId, { distinctId: id, ...page });
    return queue(projectId, async () => {
      const own = await persons.idsOf(projectId, id);
      const [distinctId = id] = own;
      const { traits, groups } = (await store.find(projectId, distinctId)) ?? { traits: '{}', groups: [] };
      const cohorts = await store.cohortsFor(projectId, own);
      const person = {
        distinctId,
        traits: parseTraits(traits),
        groups: Object.fromEntries(groups.map((group) => [group.type, parseTraits(group.traits)])),
      };
      const ids = memberships(compileCohorts(cohorts), person, await lists.cohortsOf(projectId, distinctId));
      const inGroups = groups.map(({ type, id, traits: ofGroup }) =>
        joinObjects(jsonOf({ type, id }), `{"traits":${ofGroup}}`),
      );
      const onFile = jsonOf({ distinctId, ids: await persons.find(projectId, own) });
      const known: Json<Omit<Person, 'events' | 'nextCursor'>> = joinObjects(
        onFile,
        `{"traits":${traits},"groups":[${inGroups.join()}],"cohorts":${JSON.stringify(ids)}}`,
      );
      return extended(result, known);
    });
  };
}
