import type { InsightQuery, StoredEvent } from '@switchboard/contracts';
import { createFairQueue } from '@switchboard/fairness';
import { compileCohorts, memberships } from '@switchboard/flag-engine';
import { BadRequest, etagOf, joinObjects, type PageRequest } from '@switchboard/http';
import { z } from 'zod';
import { isOfPerson, parseAttribute } from '../conditions/attributes.ts';
import { attributeOf, type Cohort } from '../conditions/cohorts.ts';
import type { ListEvents } from '../explore/events.ts';
import { type Asked, extended, type Json, jsonOf } from '../insights/answers.ts';
import { readBy } from '../questions/reads.ts';
import type { WantedPeople } from './sources.ts';
import type { PeopleStore } from './store.ts';

/** The person in an answer. Traits are sent as stored. */
interface Person {
  distinctId: string;
  traits: Record<string, unknown>;
  groups: { type: string; id: string; traits: Record<string, unknown> }[];
  /** The ids of the cohorts. */
  cohorts: string[];
  /** Newest first. */
  events: StoredEvent[];
  nextCursor: string | null;
}

/** The data about people that a question reads. */
export interface PeopleOfQuestion {
  cohorts: ReadonlyMap<string, Cohort>;
  /** Undefined if the question reads neither traits nor groups. */
  wanted: WantedPeople | undefined;
  /** Changes when a cohort changes. */
  version: string;
}

export interface People {
  /** Returns a person. An unknown person has no traits. Throws what listing the events throws. */
  find(projectId: string, distinctId: string, page: PageRequest): Promise<Asked<Person>>;
  /** Throws BadRequest for an unknown cohort, one that is too large, and for too many cohorts or bytes of them. */
  of(projectId: string, question: InsightQuery): Promise<PeopleOfQuestion>;
}

interface PeopleOptions {
  store: PeopleStore;
  events: ListEvents;
}

/** Definitions of cohorts are in memory while a query waits, before the query queue limits the number of queries. */
const MAX_COHORTS = 20;
const MAX_COHORTS_MB = 8;
/** The number of people parsed at once. Traits, with those of groups, take many times as much memory once parsed. */
const MAX_PARSED = 2;
const traitsSchema = z.record(z.string(), z.unknown());
const parseTraits = (json: string) => traitsSchema.parse(JSON.parse(json));

export function createPeople({ store, events }: PeopleOptions): People {
  const queue = createFairQueue(MAX_PARSED, MAX_PARSED - 1);

  async function cohortsOf(projectId: string, named: readonly { path: string; name: string }[]) {
    const [first] = named;
    if (first === undefined) return [];
    const tooMany = named[MAX_COHORTS];
    if (tooMany !== undefined) {
      throw new BadRequest(
        `${tooMany.path}: the query names ${named.length} cohorts; name at most ${MAX_COHORTS} different ones`,
      );
    }
    const ids = named.map(({ name }) => name);
    if ((await store.cohortBytes(projectId, ids)) > MAX_COHORTS_MB * 1_000_000) {
      throw new BadRequest(
        `${first.path}: the members of the cohorts take more than ${MAX_COHORTS_MB} MB together; name fewer or smaller cohorts`,
      );
    }
    return store.cohorts(projectId, ids);
  }

  return {
    async find(projectId, distinctId, page) {
      const asked = await events(projectId, { distinctId, ...page });
      return queue(projectId, async () => {
        const { traits, groups } = (await store.find(projectId, distinctId)) ?? { traits: '{}', groups: [] };
        const cohorts = await store.cohortsFor(projectId, distinctId);
        const person = {
          distinctId,
          traits: parseTraits(traits),
          groups: Object.fromEntries(groups.map((group) => [group.type, parseTraits(group.traits)])),
        };
        const ids = memberships(compileCohorts(cohorts), person);
        const inGroups = groups.map(({ type, id, traits: ofGroup }) =>
          joinObjects(jsonOf({ type, id }), `{"traits":${ofGroup}}`),
        );
        const known: Json<Omit<Person, 'events' | 'nextCursor'>> =
          `{"distinctId":${JSON.stringify(distinctId)},"traits":${traits},"groups":[${inGroups.join()}],"cohorts":${JSON.stringify(ids)}}`;
        return extended(asked, known);
      });
    },

    async of(projectId, question) {
      const { cohorts, attributes } = readBy(question);
      const found = await cohortsOf(projectId, cohorts);
      const pathOf = (id: string) => cohorts.find(({ name }) => name === id)?.path ?? 'cohort';
      const large = found.find(({ isTooLarge }) => isTooLarge);
      if (large !== undefined) {
        throw new BadRequest(`${pathOf(large.id)}: "${large.id}" is too large for insights`);
      }
      if (question.cohort !== undefined && !found.some(({ id }) => id === question.cohort)) {
        throw new BadRequest(`cohort: the project has no cohort "${question.cohort}"`);
      }
      const wanted = wantedOf([
        ...attributes,
        ...found.flatMap(({ id, match }) =>
          match.map((clause) => ({ path: pathOf(id), name: attributeOf(clause) })),
        ),
      ]);
      return {
        cohorts: new Map(found.map(({ id, ...cohort }) => [id, cohort])),
        wanted,
        version: etagOf(JSON.stringify(found)),
      };
    },
  };
}

function wantedOf(attributes: readonly { path: string; name: string }[]): WantedPeople | undefined {
  const first = attributes.find(({ name }) => isOfPerson(parseAttribute(name)));
  if (first === undefined) return undefined;
  const parts = [...new Set(attributes.map(({ name }) => name))].map(parseAttribute).filter(isOfPerson);
  return {
    path: first.path,
    traits: parts.filter(({ of }) => of === 'trait').map(({ name }) => name),
    groups: parts.flatMap((part) => (part.of === 'group' ? [[part.type, part.name] as const] : [])),
  };
}
