import type { JoinedPerson } from '@switchboard/contracts';
import type { Database, Transactor } from '@switchboard/database';
import { Conflict } from '@switchboard/http';
import {
  createJoinsStore,
  executeOn,
  JoinConflict,
  joinOf,
  joinPersons,
  type PersonWithIds,
  partIds,
  readPerson,
} from '@switchboard/user-state';

interface JoinRequest {
  projectId: string;
  /** Any id of the person. */
  distinctId: string;
  /** The id to join or to part. */
  joinedId: string;
  /** The colleague. */
  sub: string;
}

export interface Joins {
  /** Returns the ids of a person. */
  list(projectId: string, distinctId: string): Promise<JoinedPerson>;
  /** Joins the person of one id to that of another. Throws Conflict if the person would have too many ids. */
  join(change: Transactor, request: JoinRequest): Promise<JoinedPerson>;
  /** Parts an id from a person. Throws Conflict if the id names the person. */
  part(change: Transactor, request: JoinRequest): Promise<JoinedPerson>;
}

interface JoinsOptions {
  database: Pick<Database, 'drizzle'>;
  clock: { now(): Date };
  /** Called after a join of the project was committed. */
  onChanged(projectId: string): void;
}

/** Creates the decisions of colleagues about which distinct ids are of one person. */
export function createJoins({ database, clock, onChanged }: JoinsOptions): Joins {
  async function decide(
    change: Transactor,
    request: JoinRequest,
    decision: typeof joinPersons | typeof partIds,
  ) {
    const { projectId, distinctId } = request;
    const person = await change.transaction(async (tx) => {
      const store = createJoinsStore(executeOn(tx));
      await store.lockProjects(new Map([[projectId, true]]));
      try {
        await decision(store, { ...request, at: clock.now().getTime() });
      } catch (error) {
        if (error instanceof JoinConflict) throw new Conflict(error.message);
        throw error;
      }
      return toAnswer(await readPerson(store, projectId, distinctId));
    });
    onChanged(projectId);
    return person;
  }

  return {
    list: async (projectId, distinctId) =>
      toAnswer(await readPerson(createJoinsStore(executeOn(database.drizzle)), projectId, distinctId)),
    join: (change, request) => decide(change, request, joinPersons),
    part: (change, request) => decide(change, request, partIds),
  };
}

function toAnswer({ personId, ids, beyondBound }: PersonWithIds): JoinedPerson {
  return {
    personId,
    ids: ids.map((identity) => {
      const join = identity.distinctId === personId ? undefined : joinOf(identity);
      return {
        distinctId: identity.distinctId,
        joinedAt: join === undefined ? null : new Date(join.at).toISOString(),
        by: join?.by ?? null,
      };
    }),
    idsBeyondBound: beyondBound,
  };
}
