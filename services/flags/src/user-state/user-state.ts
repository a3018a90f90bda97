import { isTooSlow, isUnavailable } from '@switchboard/database';
import type { Traits } from '@switchboard/flag-engine';
import { coalesce, DeadlineExceeded, withDeadline } from '@switchboard/resilience';
import type { PersonKey } from '@switchboard/user-state';
import { LRUCache } from 'lru-cache';

/** The state of a person that evaluation needs. */
export interface PersonState {
  traits: Traits;
  /** The traits of the person's groups, by group type. */
  groups: Record<string, Traits>;
  /** The cohorts that list the person. */
  cohorts: readonly string[];
  /** The cohorts that have the person in their computed list. */
  did: readonly string[];
}

/** A `PersonState` as JSON. Equal strings mean equal states. */
export type UserStateJson = string;

/** The state of a person with no stored state. */
export const EMPTY_STATE: UserStateJson = '{"groups":{},"traits":{},"cohorts":[],"did":[]}';

export interface UserState {
  /** Reads a person's state, including everything stored before the call. Throws if it cannot be read. */
  read(projectId: string, distinctId: string): Promise<UserStateJson>;
}

interface UserStateOptions {
  /** Reads the states of people in the given order. */
  find(people: readonly PersonKey[]): Promise<UserStateJson[]>;
  timeoutMs: number;
}

/** A person who could not be read, and is not read again before this time of `performance.now()`. */
interface Unreadable {
  failure: unknown;
  waitMs: number;
  until: number;
}

type Found = { state: UserStateJson } | { failure: unknown };

/** Limits the result of a query: a state with the person's groups can exceed a megabyte. */
const MAX_PEOPLE_PER_QUERY = 20;
/** A slower query does not delay later reads, which use another query, up to `MAX_QUERIES`. */
const SLOW_QUERY_MS = 10;
const MAX_QUERIES = 4;
/** After a failure, reads fail immediately for this long and do not query the database. */
const UNAVAILABLE_MS = 500;
/** A person who could not be read is not read again for this long. The time doubles after each further failure. */
const UNREADABLE_MS = 500;
const MAX_UNREADABLE_MS = 5_000;
const MAX_UNREADABLE = 1_000;

/**
 * Coalesces reads of user state. A person who cannot be read fails alone. While the database is unavailable,
 * all reads fail fast.
 */
export function createUserState({ find, timeoutMs }: UserStateOptions): UserState {
  const unreadable = new LRUCache<string, Unreadable>({ max: MAX_UNREADABLE, ttl: 2 * MAX_UNREADABLE_MS });
  let unavailableUntil = 0;
  let lastFailure: unknown;

  function unavailable(error: unknown): void {
    lastFailure = error;
    unavailableUntil = performance.now() + UNAVAILABLE_MS;
  }

  async function findInTime(people: readonly PersonKey[], withinMs: number): Promise<UserStateJson[]> {
    if (performance.now() < unavailableUntil) throw lastFailure;
    try {
      return await withDeadline(withinMs, find(people));
    } catch (error) {
      if (isDisconnected(error)) unavailable(error);
      throw error;
    }
  }

  async function findTogether(people: readonly PersonKey[]): Promise<Found[]> {
    try {
      const withinMs = people.length === 1 ? timeoutMs : timeoutMs / 2;
      return (await findInTime(people, withinMs)).map((state) => ({ state }));
    } catch (failure) {
      if (performance.now() < unavailableUntil) throw failure;
      void blame(people, failure);
      if (people.length === 1) throw failure;
      return findEach(people);
    }
  }

  /** Marks the database as unavailable if even a query for no people is slow. Otherwise marks the person. */
  async function blame(people: readonly PersonKey[], failure: unknown): Promise<void> {
    try {
      if (isSlow(failure)) await withDeadline(timeoutMs / 2, find([]));
      const [person, ...others] = people;
      if (person !== undefined && others.length === 0) rest(person, failure);
    } catch (error) {
      unavailable(error);
    }
  }

  function rest(person: PersonKey, failure: unknown): void {
    const key = keyOf(person);
    const known = unreadable.get(key);
    const waitMs = known === undefined ? UNREADABLE_MS : Math.min(2 * known.waitMs, MAX_UNREADABLE_MS);
    unreadable.set(key, { failure, waitMs, until: performance.now() + waitMs });
  }

  async function findEach(people: readonly PersonKey[]): Promise<Found[]> {
    const found: Found[] = [];
    const left = people.entries();
    async function findNext(): Promise<void> {
      for (const [index, person] of left) found[index] = await findAlone(person);
    }
    await Promise.all(Array.from({ length: MAX_QUERIES }, findNext));
    return found;
  }

  async function findAlone(person: PersonKey): Promise<Found> {
    try {
      const [state = EMPTY_STATE] = await findInTime([person], timeoutMs / 2);
      return { state };
    } catch (failure) {
      if (performance.now() >= unavailableUntil) void blame([person], failure);
      return { failure };
    }
  }

  const read = coalesce(findTogether, {
    maxBatch: MAX_PEOPLE_PER_QUERY,
    slowAfterMs: SLOW_QUERY_MS,
    maxConcurrent: MAX_QUERIES,
    gathers: true,
  });
  return {
    read(projectId, distinctId) {
      const person = { projectId, distinctId };
      const failed = unreadable.size === 0 ? undefined : unreadable.get(keyOf(person));
      const rests = failed !== undefined && performance.now() < failed.until;
      return rests ? Promise.reject(failed.failure) : read(person).then(stateOf);
    },
  };
}

function stateOf(found: Found): UserStateJson {
  if ('failure' in found) throw found.failure;
  return found.state;
}

/** Whether the person is in a group. The traits of groups are part of the state. */
export const hasGroups = (state: UserStateJson): boolean => !state.startsWith('{"groups":{},');

export function parseUserState(json: UserStateJson): PersonState {
  const state: PersonState = JSON.parse(json);
  return state;
}

function isSlow(error: unknown): boolean {
  return error instanceof DeadlineExceeded || isTooSlow(error);
}

function isDisconnected(error: unknown): boolean {
  return isUnavailable(error) && !isSlow(error);
}

// Ids cannot contain NUL.
function keyOf({ projectId, distinctId }: PersonKey): string {
  return `${projectId}\0${distinctId}`;
}
