import type { InsightQuery } from '@switchboard/contracts';
import { decodeCursor, encodeCursor, etagOf, joinObjects, type PageRequest } from '@switchboard/http';
import { z } from 'zod';
import { type PeoplePage, peopleJson } from '../people-list/people-list.ts';
import type { PeopleListStore, PersonInList } from '../people-list/store.ts';
import type { Point } from '../queries/point.ts';
import type { Result } from '../results/results.ts';
import type { Insights } from './insights.ts';

interface ValueQuery extends PageRequest {
  question: InsightQuery;
  point: Point;
}

/** Lists the people behind a value of a query, sorted by id. Throws BadRequest and Unavailable. */
export type ListInsightPeople = (projectId: string, query: ValueQuery) => Promise<Result<PeoplePage>>;

interface ListInsightPeopleOptions {
  insights: Pick<Insights, 'people'>;
  store: Pick<PeopleListStore, 'find'>;
}

const found = z.object({ asOf: z.string(), ids: z.array(z.string()) });
/** The number of ids that one query finds, which stay in memory for the next pages. */
const IDS_AT_ONCE = 10_000;
/** The id after which a query finds others, and the last one that was listed. */
const place = z.tuple([z.string().min(1).nullable(), z.string().min(1)]);
/** The number of people that are read at once. */
const PEOPLE_AT_ONCE = 50;
const MAX_PAGE_BYTES = 2_000_000;

export function createListInsightPeople({ insights, store }: ListInsightPeopleOptions): ListInsightPeople {
  /** Returns people in order, up to the one that exceeds the size of a page. */
  async function findPeople(projectId: string, ids: readonly string[]): Promise<PersonInList[]> {
    const people: PersonInList[] = [];
    let bytes = 0;
    for (let start = 0; start < ids.length && bytes < MAX_PAGE_BYTES; start += PEOPLE_AT_ONCE) {
      for (const person of await store.find(projectId, ids.slice(start, start + PEOPLE_AT_ONCE))) {
        if (bytes >= MAX_PAGE_BYTES) break;
        people.push(person);
        bytes += Buffer.byteLength(person.traits);
      }
    }
    return people;
  }

  return async (projectId, { question, point, cursor, limit }) => {
    const [after, last] = cursor === undefined ? [null, undefined] : decodeCursor(cursor, place);
    const value = { point, after, limit: IDS_AT_ONCE };
    const { prepare, ...result } = await insights.people(projectId, question, value);
    return {
      ...result,
      // Only ids are kept, so that traits are current and erased people have none.
      async prepare() {
        const { asOf, ids } = found.parse(JSON.parse((await prepare()).body));
        const start = last === undefined ? 0 : placeAfter(ids, last);
        const end = Math.min(start + limit, IDS_AT_ONCE);
        const people = await findPeople(projectId, ids.slice(start, end));
        const next = people.at(-1)?.ids[0];
        const isLast = next === undefined || start + people.length >= ids.length;
        const isEndOfIds = start + people.length >= IDS_AT_ONCE;
        const json = peopleJson(people, isLast ? null : encodeCursor([isEndOfIds ? next : after, next]));
        const body = joinObjects(JSON.stringify({ asOf }), json);
        return { body, etag: etagOf(body) };
      },
    };
  };
}

/** Returns the index of the first id after one, which need not be among them. Ids are in the order of their bytes. */
function placeAfter(ids: readonly string[], last: string): number {
  const bytes = Buffer.from(last);
  const index = ids.findIndex((id) => Buffer.compare(Buffer.from(id), bytes) > 0);
  return index === -1 ? ids.length : index;
}
