import { createBoundedQueue, createFairQueue } from '@switchboard/fairness';
import { BadRequest, Unavailable } from '@switchboard/http';
import { ObjectStoreError } from '@switchboard/object-store';
import { withSignal } from '@switchboard/resilience';
import { UnusableRange } from '../calendar/calendar.ts';
import { UnusableQuery } from '../conditions/clauses.ts';
import { type Engine, EngineBusy, QueryTimeout, QueryTooLarge } from '../engine/engine.ts';
import { FileGone, TooManyBytes } from '../files/cache.ts';
import { DiskFull } from '../files/disk-full.ts';
import type { QueryInputs } from '../queries/query.ts';
import { type Found, type FoundSource, type Sources, TooManyFiles, type Wanted } from './source.ts';

type Run = QueryInputs['run'];
type EachPerson = QueryInputs['eachPerson'];

/** The query reads too much at once. Reading less helps. */
export class TooMuch extends BadRequest {}

/** How to read less, and with which parameter. */
export interface Narrowing {
  parameter: string;
  by: string;
  /** The parameter that selects fewer events. */
  filter: string;
}

const RANGE: Narrowing = { parameter: 'range', by: 'a shorter range', filter: 'where' };

/** The limits of a query. */
export interface Bounds {
  /** The signal from `QueryQueue.deadline`: one for all steps of a query. */
  signal: AbortSignal;
  /** Default: a shorter range. */
  narrowing?: Narrowing;
}

export interface QueryQueue {
  /** Returns a signal that aborts when a query that begins now has taken too long. */
  deadline(): AbortSignal;
  /** Throws TooMuch for too many files, and Unavailable. */
  find(wanted: Wanted, bounds: Bounds): Promise<Found>;
  /**
   * Runs on events, when a permit is free and before the deadline. Throws TooMuch and BadRequest for queries
   * that cannot be run, and Unavailable where a retry may help, at the deadline at the latest.
   */
  run<T>(
    projectId: string,
    found: Found,
    work: (source: FoundSource, run: Run, eachPerson: EachPerson) => Promise<T>,
    bounds: Bounds,
  ): Promise<T>;
}

export interface QueryLimits {
  /** Queries that run at a time. A project gets one less if this is more than one. */
  maxRunning: number;
  /** Queries that wait. Further ones get 503. */
  maxWaiting: number;
  /** The time of a query with its wait. */
  timeoutMs: number;
}

/** Running queries divide QUERY_MEMORY_BYTES. The time is below the 45 s that the gateway waits for a response. */
export const QUERY_LIMITS: QueryLimits = { maxRunning: 2, maxWaiting: 50, timeoutMs: 30_000 };

interface QueryQueueOptions extends QueryLimits {
  engine: Pick<Engine, 'query' | 'eachPerson'>;
  sources: Sources;
}

const RETRY_SECONDS = 5;
/** Each search may hold 20,000 files in memory. */
const MAX_FINDING = 4;

/** Queues queries fairly: none hangs, and no project blocks the others. */
export function createQueryQueue({
  engine,
  sources,
  maxRunning,
  maxWaiting,
  timeoutMs,
}: QueryQueueOptions): QueryQueue {
  const findingQueue = createFairQueue(MAX_FINDING, MAX_FINDING - 1);
  // A project leaves one permit to others, regardless of its queries.
  const queue = createFairQueue(maxRunning, Math.max(1, maxRunning - 1));
  const bounded = createBoundedQueue(maxRunning + maxWaiting, tooMany);

  return {
    deadline: () => AbortSignal.timeout(timeoutMs),

    async find(wanted, { signal, narrowing = RANGE }) {
      const find = () => sources.find(wanted, signal);
      try {
        return await withSignal(signal, findingQueue(wanted.projectId, find, signal));
      } catch (error) {
        return refuse(timely(error, signal), narrowing);
      }
    },

    async run(projectId, found, work, { signal: deadline, narrowing = RANGE }) {
      const entry = bounded.enter(projectId);
      const signal = AbortSignal.any([deadline, entry.signal]);
      const run = () => {
        entry.begin();
        return found.read(signal, (source) =>
          work(
            source,
            (query) => engine.query(query, signal),
            (query, visit) => engine.eachPerson(query, visit, signal),
          ),
        );
      };
      // A query that stops after the deadline keeps its permit until it ends.
      const answering = queue(projectId, run, signal).finally(entry.leave);
      try {
        return await withSignal(signal, answering);
      } catch (error) {
        return refuse(timely(error, deadline), narrowing);
      }
    },
  };
}

const tooMany = () =>
  new Unavailable('Too many queries at a time. Retry after the time in Retry-After.', RETRY_SECONDS);

function timely(error: unknown, signal: AbortSignal): unknown {
  return signal.aborted ? new QueryTimeout('Too late.', { cause: error }) : error;
}

function refuse(error: unknown, { parameter, by, filter }: Narrowing): never {
  if (error instanceof UnusableRange) {
    throw new BadRequest(`range: ${error.message}`);
  }
  if (error instanceof UnusableQuery) throw new BadRequest(error.message);
  if (error instanceof TooManyFiles || error instanceof TooManyBytes) {
    throw new TooMuch(`${parameter}: too many events; use ${by} or fewer event names`);
  }
  if (error instanceof QueryTooLarge) {
    throw new TooMuch(
      `${parameter}: the result needs too much memory; use ${by} or narrow it with ${filter}`,
    );
  }
  if (error instanceof QueryTimeout) {
    throw new Unavailable(
      `The query took too long. Retry after the time in Retry-After, or use ${by}.`,
      RETRY_SECONDS,
    );
  }
  if (error instanceof DiskFull) {
    throw new Unavailable(
      'The disk of the query cache has no space left. Retry after the time in Retry-After.',
      RETRY_SECONDS,
    );
  }
  if (error instanceof EngineBusy) {
    throw new Unavailable('The event database is busy. Retry after the time in Retry-After.', RETRY_SECONDS);
  }
  if (error instanceof ObjectStoreError) {
    throw new Unavailable(
      'The object store with the events is unavailable. Retry after the time in Retry-After.',
      RETRY_SECONDS,
    );
  }
  if (error instanceof FileGone) {
    throw new Unavailable('The files of the query were just replaced. Retry after the time in Retry-After.');
  }
  throw error;
}
