import type { Clause } from '@switchboard/contracts';
import { createFairQueue } from '@switchboard/fairness';
import { compileCohorts, matchesClauses, memberships } from '@switchboard/flag-engine';
import { BadRequest, decodeCursor, encodeCursor, joinObjects, type PageRequest } from '@switchboard/http';
import { z } from 'zod';
import type { CohortMembersStore } from '../cohort-members/store.ts';
import { cohortsIn, isAboutCohorts } from '../conditions/cohorts.ts';
import type { CohortOnFile, PeopleStore } from '../people/store.ts';
import type { Json } from '../results/results.ts';
import type { ListPlace, PeopleListStore, PersonInList, Sort } from './store.ts';

export interface PeopleQuery extends PageRequest {
  search?: string | undefined;
  cohort?: string | undefined;
  where?: readonly Clause[] | undefined;
  /** RFC 3339. */
  seen_since?: string | undefined;
  seen_before?: string | undefined;
  sort: Sort;
}

/** A person in a list. Traits are sent as stored. */
export interface ListedPerson {
  distinctId: string;
  ids: string[];
  traits: Record<string, unknown>;
  firstSeenAt: string | null;
  lastSeenAt: string | null;
}

export interface PeoplePage {
  people: ListedPerson[];
  nextCursor: string | null;
}

/** Lists a page of the people of a project. Throws BadRequest. */
export type ListPeople = (projectId: string, query: PeopleQuery) => Promise<Json<PeoplePage>>;

interface ListPeopleOptions {
  store: PeopleListStore;
  people: Pick<PeopleStore, 'cohorts' | 'cohortBytes'>;
  lists: Pick<CohortMembersStore, 'cohortsOf'>;
}

/** The number of lists that are read at once. Traits take many times as much memory once parsed. */
const MAX_READING = 2;
/** The rows that a page reads at once, and at most, while it looks for people. */
const ROWS_AT_ONCE = 500;
const MAX_ROWS = 5_000;
/** The same, where a cohort has a computed list, which is asked about each person. */
const MAX_ROWS_OF_LISTS = 1_000;
/** A search or cohort of up to this many ids reads those alone. */
const MAX_AMONG = 10_000;
const MAX_PAGE_BYTES = 2_000_000;
/** These operators hold for a person with several ids if they hold for every id. */
const NEGATIVE: ReadonlySet<Clause['op']> = new Set(['neq', 'not_in', 'is_not_set']);
const MAX_COHORTS = 20;
const MAX_COHORTS_BYTES = 8_000_000;

const place = z.tuple([z.number(), z.string().min(1)]);
const traitsSchema = z.record(z.string(), z.unknown());
const groupsSchema = z.record(z.string(), traitsSchema.nullable());

export function createListPeople({ store, people, lists }: ListPeopleOptions): ListPeople {
  const queue = createFairQueue(MAX_READING, MAX_READING - 1);

  /** Returns the cohorts that a query names. Throws BadRequest for an unknown `cohort`, and for too large ones. */
  async function cohortsOf(projectId: string, { cohort, where = [] }: PeopleQuery): Promise<CohortOnFile[]> {
    const inClauses = where.filter(isAboutCohorts).flatMap((clause) => cohortsIn(clause) ?? []);
    const ids = [...new Set([...(cohort === undefined ? [] : [cohort]), ...inClauses])];
    if (ids.length > MAX_COHORTS)
      throw new BadRequest(`where: names more than ${MAX_COHORTS} cohorts; name fewer`);
    if ((await people.cohortBytes(projectId, ids)) > MAX_COHORTS_BYTES) {
      throw new BadRequest(
        'cohort: the members of the cohorts take more than 8 MB together; name fewer or smaller cohorts',
      );
    }
    const found = await people.cohorts(projectId, ids);
    if (cohort !== undefined && !found.some(({ id }) => id === cohort)) {
      throw new BadRequest(`cohort: the project has no cohort "${cohort}"`);
    }
    const large = found.find(({ isTooLarge }) => isTooLarge);
    if (large !== undefined) throw new BadRequest(`cohort: "${large.id}" is too large to list`);
    return found;
  }

  return async (projectId, query) => {
    const { cursor, limit, cohort, where = [], search, sort } = query;
    const start = cursor === undefined ? undefined : decodePlace(cursor);
    const cohorts = await cohortsOf(projectId, query);
    const compiled = compileCohorts(cohorts);
    const isFiltered = cohort !== undefined || where.length > 0;

    const hasLists = cohorts.some(({ did }) => did !== undefined);

    async function isListed({ ids, traits, groups }: PersonInList): Promise<boolean> {
      if (!isFiltered) return true;
      const [distinctId] = ids;
      const person = {
        distinctId,
        traits: traitsSchema.parse(JSON.parse(traits)),
        groups: parseGroups(groups),
      };
      const own = new Set([
        ...memberships(compiled, person, hasLists ? await lists.cohortsOf(projectId, distinctId) : []),
        ...ids.flatMap((id) => compiled.listed.get(id) ?? []),
      ]);
      if (cohort !== undefined && !own.has(cohort)) return false;
      const matches = (clause: Clause) => (id: string) =>
        matchesClauses([clause], { ...person, distinctId: id, cohorts: own });
      return where.every((clause) => {
        if (clause.attribute !== 'distinct_id') return matches(clause)(distinctId);
        return NEGATIVE.has(clause.op) ? ids.every(matches(clause)) : ids.some(matches(clause));
      });
    }

    async function read(): Promise<Json<PeoplePage>> {
      const listedIn = cohorts.find(
        ({ id, match, did }) => id === cohort && match.length === 0 && did === undefined,
      )?.distinctIds;
      const found = search === undefined ? undefined : await store.search(projectId, search, MAX_AMONG);
      const named =
        listedIn && listedIn.length <= MAX_AMONG ? await store.idsOf(projectId, listedIn) : undefined;
      const walk = {
        sort,
        among: found ?? named,
        // Every row of a completed search is wanted.
        search: found === undefined ? search : undefined,
        seenSince: timeOf(query.seen_since),
        seenBefore: timeOf(query.seen_before),
        withGroups: [...where, ...cohorts.flatMap(({ match }) => match)].some(({ attribute }) =>
          attribute.startsWith('group.'),
        ),
      };
      const listed: PersonInList[] = [];
      let [after, bytes, read] = [start, 0, 0];
      const size = isFiltered || walk.search !== undefined ? ROWS_AT_ONCE : limit + 1;
      while (read < (hasLists ? MAX_ROWS_OF_LISTS : MAX_ROWS)) {
        const rows = await store.walk(projectId, { ...walk, after, limit: size });
        for (const { place, person } of rows) {
          if (person !== undefined && (await isListed(person))) {
            if (listed.length === limit || bytes >= MAX_PAGE_BYTES) return pageJson(listed, after);
            listed.push(person);
            bytes += Buffer.byteLength(person.traits);
          }
          after = place;
        }
        read += rows.length;
        if (rows.length < size) return pageJson(listed, undefined);
      }
      return pageJson(listed, after);
    }

    return queue(projectId, read);
  };
}

const timeOf = (time: string | undefined) => (time === undefined ? undefined : Date.parse(time));

function decodePlace(cursor: string): ListPlace {
  const [at, distinctId] = decodeCursor(cursor, place);
  return { at, distinctId };
}

function parseGroups(json: string) {
  const groups = groupsSchema.parse(JSON.parse(json));
  return Object.fromEntries(Object.entries(groups).map(([type, traits]) => [type, traits ?? {}]));
}

function pageJson(listed: readonly PersonInList[], next: ListPlace | undefined): Json<PeoplePage> {
  return peopleJson(listed, next === undefined ? null : encodeCursor([next.at, next.distinctId]));
}

/** Returns the JSON of a page of people. */
export function peopleJson(people: readonly PersonInList[], nextCursor: string | null): Json<PeoplePage> {
  return `{"people":[${people.map(personJson).join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`;
}

/** Returns the JSON of a person. */
export function personJson({ ids, traits, firstSeenAt, lastSeenAt }: PersonInList): Json<ListedPerson> {
  const timeText = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  const known = {
    distinctId: ids[0],
    ids,
    firstSeenAt: timeText(firstSeenAt),
    lastSeenAt: timeText(lastSeenAt),
  };
  return joinObjects(JSON.stringify(known), `{"traits":${traits}}`);
}
