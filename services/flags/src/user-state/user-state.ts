import { isUnavailable } from '@switchboard/database';
import type { Traits } from '@switchboard/flag-engine';
import { within } from '../within.ts';

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

interface PendingRead extends PersonKey {
  resolve(state: UserStateJson): void;
  reject(error: unknown): void;
}

const MAX_PEOPLE_PER_QUERY = 200;
/** A slower query does not hold up later reads: they get another query, up to `MAX_QUERIES`. */
const SLOW_QUERY_MS = 10;
const MAX_QUERIES = 4;
/** After a failure, reads fail at once for this long instead of querying the database. */
const UNAVAILABLE_MS = 500;

/** Coalesces reads of user state: reads that arrive while a query is running share the next one. */
export function createUserState({ find, timeoutMs }: UserStateOptions): UserState {
  let pending: PendingRead[] = [];
  let queries = 0;
  let slowQueries = 0;
  let unavailableUntil = 0;
  let lastFailure: unknown;

  function startQuery(): void {
    if (pending.length > 0 && queries === slowQueries && queries < MAX_QUERIES) void query();
  }

  async function query(): Promise<void> {
    const batch = pending.slice(0, MAX_PEOPLE_PER_QUERY);
    pending = pending.slice(MAX_PEOPLE_PER_QUERY);
    let isSlow = false;
    queries++;
    const timer = setTimeout(() => {
      isSlow = true;
      slowQueries++;
      startQuery();
    }, SLOW_QUERY_MS);
    await answer(batch);
    clearTimeout(timer);
    queries--;
    if (isSlow) slowQueries--;
    startQuery();
  }

  async function answer(batch: readonly PendingRead[]): Promise<void> {
    try {
      if (performance.now() < unavailableUntil) throw lastFailure;
      const states = await within(timeoutMs, find(batch));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const state = states[index];
        if (state === undefined) reject(new Error('user state query returned too few rows'));
        else resolve(state);
      }
    } catch (error) {
      if (isUnavailable(error) && error !== lastFailure) {
        lastFailure = error;
        unavailableUntil = performance.now() + UNAVAILABLE_MS;
      }
      for (const { reject } of batch) reject(error);
    }
  }

  return {
    read: (projectId, distinctId) =>
      new Promise((resolve, reject) => {
        pending.push({ projectId, distinctId, resolve, reject });
        startQuery();
      }),
  };
}

export function parseUserState(json: UserStateJson): PersonState {
  const state: PersonState = JSON.parse(json);
  return state;
}
