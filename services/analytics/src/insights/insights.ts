import type { InsightQuery, ReportContent } from '@switchboard/contracts';
import { BadRequest, Unavailable } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import { UnusableRange } from '../calendar/calendar.ts';
import type { ListedMembers } from '../cohort-lists/listed-members.ts';
import type { People } from '../people/people.ts';
import type { Point } from '../queries/point.ts';
import type { QueryInputs } from '../queries/query.ts';
import { peopleOf, resultOf } from '../queries/result.ts';
import { scopeOf } from '../queries/scope.ts';
import type { QueryQueue } from '../query-queue/query-queue.ts';
import { jsonOf, type Result, type Results } from '../results/results.ts';
import type { Watermark } from '../watermark/watermark.ts';

export interface Insights {
  /** Runs a query. The result has a report. Throws BadRequest and Unavailable. */
  ask(projectId: string, query: InsightQuery): Promise<Result<{ report: ReportContent }>>;
  /** Returns the ids of the people behind a value of a query, in order. Throws the same. */
  people(projectId: string, query: InsightQuery, value: PeopleOfValue): Promise<Result<Ids>>;
}

/** The people behind the value that a point names, after an id. */
export interface PeopleOfValue {
  point: Point;
  after: string | null;
  limit: number;
}

export interface Ids {
  /** One more than the limit if more follow. */
  ids: string[];
}

interface InsightsOptions {
  queue: QueryQueue;
  results: Results;
  people: Pick<People, 'of'>;
  listed: ListedMembers;
  watermark: Pick<Watermark, 'asOf'>;
  clock: Clock;
}

const HOUR_MS = 3_600_000;
const RETRY_SECONDS = 10;

export function createInsights({
  queue,
  results,
  people,
  listed,
  watermark,
  clock,
}: InsightsOptions): Insights {
  /** `parts` are what a result depends on besides the query. */
  async function read<T extends object>(
    projectId: string,
    query: InsightQuery,
    { parts = [], listsPeople }: { parts?: readonly unknown[]; listsPeople: boolean },
    compute: (inputs: QueryInputs) => Promise<T>,
  ): Promise<Result<T>> {
    const now = clock.now().getTime();
    const asOf = watermark.asOf();
    // Which periods have ended is only known once `asOf` is known.
    if (query.kind === 'retention' && asOf === 0) throw notKnownYet();
    const { span, ...scope } = inBounds(() => scopeOf(query, now));
    const { cohorts, lists, wanted, version, ...reads } = await people.of(projectId, query);
    const readsPersons = listsPeople || reads.readsPersons;
    const signal = queue.deadline();
    const found = await queue.find({ projectId, ...scope, people: wanted, readsPersons }, { signal });
    // A retention period can end without new events, so these results are kept for an hour at most.
    const hour = query.kind === 'retention' ? Math.floor(asOf / HOUR_MS) : 0;
    return results.of([projectId, query, ...parts, span, hour, version, found.version], asOf, async () =>
      jsonOf(
        await queue.run(
          projectId,
          found,
          (source, run, eachPerson) =>
            listed.read(projectId, { cohorts, lists }, signal, (known) =>
              compute({ source: { ...source, cohorts: known }, now, asOf, run, eachPerson }),
            ),
          { signal },
        ),
      ),
    );
  }

  return {
    ask: (projectId, query) =>
      read(projectId, query, { listsPeople: false }, async (inputs) => ({
        report: await resultOf(query, inputs),
      })),

    people: (projectId, query, { point, after, limit }) =>
      read(
        projectId,
        query,
        { parts: ['people', point, after, limit], listsPeople: true },
        async (inputs) => ({ ids: await peopleOf(query, point, { after, limit: limit + 1 }, inputs) }),
      ),
  };
}

const notKnownYet = () =>
  new Unavailable('Insights are still starting. Retry after the time in Retry-After.', RETRY_SECONDS);

function inBounds<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UnusableRange)) throw error;
    throw new BadRequest(`range: ${error.message}`);
  }
}
