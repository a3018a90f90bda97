import { z } from 'zod';
import { ScimProblem } from './errors.ts';
import { parseFilter } from './filter.ts';
import { parsed } from './resources.ts';
import { PAGE_SIZE } from './store.ts';

export interface ListRequest {
  filter?: string | undefined;
  /** The first result, counted from 1. */
  startIndex: number;
  count: number;
}

/** A ListResponse (RFC 7644, section 3.4.2). */
export interface Listed {
  schemas: string[];
  totalResults: number;
  startIndex: number;
  itemsPerPage: number;
  Resources: object[];
}

const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const MAX_COUNT = 200;
const DEFAULT_COUNT = 100;

const names = z.array(z.string().max(200)).max(100).nullish();
const searchRequest = z.looseObject({
  attributes: names,
  excludedAttributes: names,
  filter: z.string().nullish(),
  startIndex: z.int32().nullish(),
  count: z.int32().nullish(),
});

/** Returns a SearchRequest (RFC 7644, section 3.4.3) as the query parameters of a list. Throws ScimProblem. */
export function searchQuery(input: unknown): Record<string, string | undefined> {
  const { attributes, excludedAttributes, filter, startIndex, count } = parsed(searchRequest, input);
  return {
    attributes: attributes?.join(','),
    excludedAttributes: excludedAttributes?.join(','),
    filter: filter ?? undefined,
    startIndex: startIndex?.toString(),
    count: count?.toString(),
  };
}

/** Parses the query parameters of a list. Throws ScimProblem. */
export function listRequest(query: Record<string, string | undefined>): ListRequest {
  return {
    filter: query['filter'],
    startIndex: Math.max(1, integer(query, 'startIndex', 1)),
    count: Math.min(MAX_COUNT, Math.max(0, integer(query, 'count', DEFAULT_COUNT))),
  };
}

function integer(query: Record<string, string | undefined>, name: string, fallback: number): number {
  const text = query[name];
  if (text === undefined) return fallback;
  if (!/^-?\d{1,10}$/.test(text)) throw new ScimProblem(400, `${name}: not an integer`, 'invalidValue');
  return Number(text);
}

/** Returns the requested page of two lists, one after the other. */
export async function listedTogether(
  request: ListRequest,
  first: (request: ListRequest) => Promise<Listed>,
  second: (request: ListRequest) => Promise<Listed>,
): Promise<Listed> {
  const { startIndex, count } = request;
  const one = await first(request);
  const two = await second({
    ...request,
    startIndex: Math.max(1, startIndex - one.totalResults),
    count: count - one.itemsPerPage,
  });
  return {
    ...one,
    totalResults: one.totalResults + two.totalResults,
    itemsPerPage: one.itemsPerPage + two.itemsPerPage,
    Resources: [...one.Resources, ...two.Resources],
  };
}

/** Returns the requested page of rows. With a filter, reads all rows page by page, and counts those that match. */
export async function listed<Row extends { id: string }>(
  { filter, startIndex, count }: ListRequest,
  from: {
    count(): Promise<number>;
    /** Returns rows in the order of their ids. */
    slice(offset: number, limit: number): Promise<Row[]>;
    /** Reads the next rows after an id, for a filter. The equal values of the filter may narrow them. */
    read(equals: ReadonlyMap<string, string>, after: string): Promise<Row[]>;
    /** Returns the resource that the filter is applied to. */
    match(row: Row): object;
    show(rows: readonly Row[]): Promise<object[]>;
  },
): Promise<Listed> {
  const answer = async (total: number, rows: Row[]): Promise<Listed> => ({
    schemas: [LIST_SCHEMA],
    totalResults: total,
    startIndex,
    itemsPerPage: rows.length,
    Resources: await from.show(rows),
  });
  if (filter === undefined) {
    return answer(await from.count(), count === 0 ? [] : await from.slice(startIndex - 1, count));
  }
  const parsed = parseFilter(filter);
  const rows: Row[] = [];
  let total = 0;
  let after = '';
  for (;;) {
    const page = await from.read(parsed.equals, after);
    for (const row of page) {
      if (!parsed.matches(from.match(row))) continue;
      total++;
      if (total >= startIndex && rows.length < count) rows.push(row);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) break;
    after = last.id;
  }
  return answer(total, rows);
}
