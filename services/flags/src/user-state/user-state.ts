import { isUnavailable } from '@switchboard/database';
import type { Traits } from '@switchboard/flag-engine';
import { coalesce, withDeadline } from '@switchboard/resilience';

/** What evaluation needs to know about a person. */
export interface PersonState {
  traits: Traits;
  /** The traits of the person's groups, by group type. */
  groups: Record<string, Traits>;
  /** The cohorts that list the person. */
  cohorts: readonly string[];
}

/** A `PersonState` as JSON. Equal strings are equal states. */
export type UserStateJson = string;

/** The state of a person with nothing on file. */
export const EMPTY_STATE: UserStateJson = '{"traits":{},"groups":{},"cohorts":[]}';

export interface PersonKey {
  projectId: string;
  distinctId: string;
}

export interface UserState {
  /** Reads a person's state, including everything stored before the call. Throws if it cannot be read. */
  read(projectId: string, distinctId: string): Promise<UserStateJson>;
}

interface UserStateOptions {
  /** Reads the states of people, in their order. */
  find(people: readonly PersonKey[]): Promise<UserStateJson[]>;
  timeoutMs: number;
}

const MAX_PEOPLE_PER_QUERY = 200;
/** A slower query does not hold up later reads: they get another query, up to `MAX_QUERIES`. */
const SLOW_QUERY_MS = 10;
const MAX_QUERIES = 4;
/** After a failure, reads fail at once for this long instead of querying the database. */
const UNAVAILABLE_MS = 500;

/** Coalesces reads of user state and fails them fast while the database is unavailable. */
export function createUserState({ find, timeoutMs }: UserStateOptions): UserState {
  let unavailableUntil = 0;
  let lastFailure: unknown;

  async function findInTime(people: readonly PersonKey[]): Promise<UserStateJson[]> {
    if (performance.now() < unavailableUntil) throw lastFailure;
    try {
      return await withDeadline(timeoutMs, find(people));
    } catch (error) {
      if (isUnavailable(error)) {
        lastFailure = error;
        unavailableUntil = performance.now() + UNAVAILABLE_MS;
      }
      throw error;
    }
  }

  const read = coalesce(findInTime, {
    maxBatch: MAX_PEOPLE_PER_QUERY,
    slowAfterMs: SLOW_QUERY_MS,
    maxConcurrent: MAX_QUERIES,
  });
  return { read: (projectId, distinctId) => read({ projectId, distinctId }) };
}

export function parseUserState(json: UserStateJson): PersonState {
  const state: PersonState = JSON.parse(json);
  return state;
}
