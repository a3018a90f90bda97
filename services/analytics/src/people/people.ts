import type { Combination, InsightQuery } from '@switchboard/contracts';
import { BadRequest, etagOf } from '@switchboard/http';
import { isOfPerson, parseAttribute } from '../conditions/attributes.ts';
import { attributeOf, type Cohort } from '../conditions/cohorts.ts';
import { readBy, readsPersons } from '../queries/reads.ts';
import type { WantedPeople } from './sources.ts';
import type { CohortOnFile, PeopleStore } from './store.ts';

/** Cohorts, and the data about people that they need. */
export interface PeopleOfCohorts {
  cohorts: ReadonlyMap<string, Cohort>;
  /** The cohorts with a computed list, and how it is combined. */
  lists: ReadonlyMap<string, Combination>;
  /** Undefined if neither traits nor groups are read. */
  wanted: WantedPeople | undefined;
}

/** The data about people that a query reads. */
export interface PeopleOfQuery extends PeopleOfCohorts {
  /** Whether the query reads who the person of an event is. */
  readsPersons: boolean;
  /** Changes when a cohort changes. */
  version: string;
}

export interface People {
  /** Throws BadRequest for an unknown cohort, one that is too large, and for too many cohorts or bytes of them. */
  of(projectId: string, query: InsightQuery): Promise<PeopleOfQuery>;
}

/** Definitions of cohorts are in memory while a query waits, before the query queue limits the number of queries. */
const MAX_COHORTS = 20;
const MAX_COHORTS_MB = 8;

export function createPeople(store: Pick<PeopleStore, 'cohortBytes' | 'cohorts'>): People {
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
    async of(projectId, query) {
      const { cohorts, attributes } = readBy(query);
      const found = await cohortsOf(projectId, cohorts);
      const pathOf = (id: string) => cohorts.find(({ name }) => name === id)?.path ?? 'cohort';
      const large = found.find(({ isTooLarge }) => isTooLarge);
      if (large !== undefined) {
        throw new BadRequest(`${pathOf(large.id)}: "${large.id}" is too large for insights`);
      }
      if (query.cohort !== undefined && !found.some(({ id }) => id === query.cohort)) {
        throw new BadRequest(`cohort: the project has no cohort "${query.cohort}"`);
      }
      return {
        ...peopleOfCohorts(found, attributes, pathOf),
        readsPersons: readsPersons(query),
        version: etagOf(JSON.stringify(found)),
      };
    },
  };
}

/** Returns what cohorts read, and these attributes. `pathOf` names the place of a cohort for errors. */
export function peopleOfCohorts(
  found: readonly CohortOnFile[],
  attributes: readonly { path: string; name: string }[] = [],
  pathOf = (id: string) => id,
): PeopleOfCohorts {
  return {
    cohorts: new Map(found.map(({ id, match, distinctIds }) => [id, { match, distinctIds }])),
    lists: new Map(found.flatMap(({ id, did }) => (did === undefined ? [] : [[id, did] as const]))),
    wanted: wantedOf([
      ...attributes,
      ...found.flatMap(({ id, match }) =>
        match.map((clause) => ({ path: pathOf(id), name: attributeOf(clause) })),
      ),
    ]),
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
