import { LRUCache } from 'lru-cache';
import type { DuckDb } from '../engine/duckdb.ts';
import { integer, type Sql, sql } from '../engine/sql.ts';
import { DAY_MS } from './counts.ts';
import { PeopleTable } from './people-table.ts';

/** The ids that belong to a person with another id, by the hashes of both. */
export interface JoinedIds {
  ids: PeopleTable;
  /** The hash of each id's person, as two words, by the id's number. */
  persons: Uint32Array;
}

export const NO_JOINED_IDS: JoinedIds = { ids: new PeopleTable(), persons: new Uint32Array() };

const MAX_JOINED_IDS = 1_000_000;
/** The size of the joined ids that counts remember, of all projects. */
const MAX_BYTES = 32_000_000;
/** The size of an id in a table with its person. */
const BYTES_OF_ID = 40;
const NONE = -1;

/** Reads a relation of distinct_id and person_id. Undefined if it has too many rows. */
export async function readJoinedIds(
  engine: Pick<DuckDb, 'integers'>,
  personIds: Sql | undefined,
  signal: AbortSignal,
): Promise<JoinedIds | undefined> {
  if (personIds === undefined) return NO_JOINED_IDS;
  const [ids, persons] = await engine.integers(
    sql`select hash(distinct_id), hash(person_id) from ${personIds} limit ${integer(MAX_JOINED_IDS + 1)}`,
    signal,
  );
  if (ids === undefined || persons === undefined) return NO_JOINED_IDS;
  if (ids.length > MAX_JOINED_IDS) return undefined;
  const table = new PeopleTable();
  const [from, to] = [new Uint32Array(ids.buffer), new Uint32Array(persons.buffer)];
  const own = new Uint32Array(to.length);
  for (let word = 0; word < from.length; word += 2) {
    const number = table.add(from[word] ?? 0, from[word + 1] ?? 0);
    own.set(to.subarray(word, word + 2), number * 2);
  }
  return { ids: table, persons: own };
}

/** Adds the people with different ids in two versions of joined ids. */
export function addChanged(before: JoinedIds, now: JoinedIds, people: PeopleTable): void {
  if (before === now) return;
  addDifferent(before, now, people);
  addDifferent(now, before, people);
}

/** Adds the ids of `some`, and their persons, that have another person in `other`. */
function addDifferent(some: JoinedIds, other: JoinedIds, people: PeopleTable): void {
  const { ids, persons } = some;
  for (let id = 0; id < ids.size; id++) {
    const [low, high] = [ids.low(id), ids.high(id)];
    const found = other.ids.find(low, high);
    const isSame =
      found !== NONE &&
      other.persons[found * 2] === persons[id * 2] &&
      other.persons[found * 2 + 1] === persons[id * 2 + 1];
    if (isSame) continue;
    people.add(low, high);
    people.add(persons[id * 2] ?? 0, persons[id * 2 + 1] ?? 0);
  }
}

/** Returns all ids of some people, with those that are joined to them. */
export function idsOf(people: PeopleTable, joined: JoinedIds): JoinedIds {
  const ids = new PeopleTable();
  const persons: number[] = [];
  for (let person = 0; person < people.size; person++) {
    const [low, high] = [people.low(person), people.high(person)];
    if (joined.ids.find(low, high) !== NONE) continue;
    ids.add(low, high);
    persons.push(low, high);
  }
  for (let id = 0; id < joined.ids.size; id++) {
    const [low, high] = [joined.persons[id * 2] ?? 0, joined.persons[id * 2 + 1] ?? 0];
    if (people.find(low, high) === NONE) continue;
    ids.add(joined.ids.low(id), joined.ids.high(id));
    persons.push(low, high);
  }
  return { ids, persons: Uint32Array.from(persons) };
}

/** Remembers versions of joined ids, so that counts of a project share one, for a day. The least recently used are forgotten first. */
export function createJoinedVersions() {
  const versions = new LRUCache<number, JoinedIds>({
    ...{ maxSize: MAX_BYTES, ttl: DAY_MS, ttlAutopurge: true },
    sizeCalculation: ({ ids }) => Math.max(1, ids.size * BYTES_OF_ID),
  });
  /** The last version by project. */
  const last = new LRUCache<string, number>({ max: 10_000 });
  let next = 1;

  return {
    /** Returns the ids of a version; undefined if they are forgotten. */
    idsOf: (version: number) => (version === 0 ? NO_JOINED_IDS : versions.get(version)),
    /** Returns the version of a project's ids: the last one if they did not change. */
    versionOf(projectId: string, ids: JoinedIds): number {
      if (ids.ids.size === 0) return 0;
      const known = last.get(projectId) ?? 0;
      const before = known === 0 ? undefined : versions.get(known);
      if (before !== undefined && areEqual(before, ids)) return known;
      const version = next++;
      versions.set(version, ids);
      last.set(projectId, version);
      return version;
    },
  };
}

function areEqual(one: JoinedIds, other: JoinedIds): boolean {
  if (one.ids.size !== other.ids.size) return false;
  const different = new PeopleTable();
  addDifferent(one, other, different);
  return different.size === 0;
}
