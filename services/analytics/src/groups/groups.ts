import type { ListedGroup, ListedPerson } from '@switchboard/contracts';
import { createFairQueue } from '@switchboard/fairness';
import { decodeCursor, encodeCursor, joinObjects, type PageRequest } from '@switchboard/http';
import { z } from 'zod';
import { personJson } from '../people-list/people-list.ts';
import type { PeopleListStore } from '../people-list/store.ts';
import type { Json } from '../results/results.ts';
import type { GroupInList, GroupPlace, GroupSort, GroupsStore } from './store.ts';

export interface GroupsQuery extends PageRequest {
  type?: string | undefined;
  search?: string | undefined;
  sort: GroupSort;
}

export interface GroupsPage {
  groups: ListedGroup[];
  nextCursor: string | null;
}

export interface GroupPage extends ListedGroup {
  people: ListedPerson[];
  nextCursor: string | null;
}

/** Reads the groups of a project, as JSON. Throws BadRequest for an invalid cursor. */
export interface Groups {
  list(projectId: string, query: GroupsQuery): Promise<Json<GroupsPage>>;
  /** Returns a group and a page of its members. An unknown group has none. */
  find(projectId: string, group: { type: string; id: string }, page: PageRequest): Promise<Json<GroupPage>>;
}

interface GroupsOptions {
  store: GroupsStore;
  people: Pick<PeopleListStore, 'find'>;
}

/** The number of pages that are read at once. */
const MAX_READING = 2;
const MAX_PAGE_BYTES = 2_000_000;

const placeSchema = z.tuple([z.number(), z.string().min(1), z.string().min(1)]);
const memberPlace = z.tuple([z.string().min(1)]);

export function createGroups({ store, people }: GroupsOptions): Groups {
  const queue = createFairQueue(MAX_READING, MAX_READING - 1);

  return {
    list: (projectId, { cursor, limit, sort, type, search }) =>
      queue(projectId, async () => {
        const after = cursor === undefined ? undefined : decodePlace(cursor);
        const found = await store.list(projectId, { sort, type, search, after, limit: limit + 1 });
        const shown = withinBytes(found.slice(0, limit), ({ traits }) => traits);
        const last = shown.at(-1);
        const next =
          last === undefined || shown.length === found.length
            ? null
            : encodeCursor([sort === 'members' ? last.members : last.lastSeenAt, last.type, last.id]);
        return `{"groups":[${shown.map(groupJson).join(',')}],"nextCursor":${JSON.stringify(next)}}`;
      }),

    find: (projectId, named, { cursor, limit }) =>
      queue(projectId, async () => {
        const [after] = cursor === undefined ? [''] : decodeCursor(cursor, memberPlace);
        const group = await store.find(projectId, named.type, named.id);
        const ids = await store.members(projectId, named, after, limit + 1);
        const found = await people.find(projectId, ids.slice(0, limit));
        const shown = withinBytes(found, ({ traits }) => traits);
        const last = shown.at(-1);
        const next = last === undefined || shown.length === ids.length ? null : encodeCursor([last.ids[0]]);
        return joinObjects(
          groupJson(group ?? { ...named, traits: '{}', members: 0 }),
          `{"people":[${shown.map(personJson).join(',')}],"nextCursor":${JSON.stringify(next)}}`,
        );
      }),
  };
}

/** Returns the first items that fit on a page by the size of their texts, at least one. */
function withinBytes<T>(items: readonly T[], textOf: (item: T) => string): readonly T[] {
  let bytes = 0;
  const end = items.findIndex((item) => {
    if (bytes >= MAX_PAGE_BYTES) return true;
    bytes += Buffer.byteLength(textOf(item));
    return false;
  });
  return end < 0 ? items : items.slice(0, end);
}

function decodePlace(cursor: string): GroupPlace {
  const [rank, type, id] = decodeCursor(cursor, placeSchema);
  return { rank, type, id };
}

type ShownGroup = Omit<GroupInList, 'firstSeenAt' | 'lastSeenAt'> & Partial<GroupInList>;

function groupJson({ type, id, members, traits, firstSeenAt, lastSeenAt }: ShownGroup): Json<ListedGroup> {
  const timeText = (time: number | undefined) => (time === undefined ? null : new Date(time).toISOString());
  const known = {
    type,
    id,
    members,
    firstSeenAt: timeText(firstSeenAt),
    lastSeenAt: timeText(lastSeenAt),
  };
  return joinObjects(JSON.stringify(known), `{"traits":${traits}}`);
}
