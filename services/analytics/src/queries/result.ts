import { clausesOf, conditionsFault, type InsightQuery, type ReportContent } from '@switchboard/contracts';
import { UnusableQuery } from '../conditions/clauses.ts';
import { firstOf, type Part } from './first-people.ts';
import { funnel, funnelPeople } from './funnel.ts';
import { lifecycle, lifecyclePeople } from './lifecycle.ts';
import { paths, pathsPeople } from './paths.ts';
import type { Point } from './point.ts';
import type { QueryInputs } from './query.ts';
import { isAboutEvents, pathText } from './reads.ts';
import { retention, retentionPeople } from './retention.ts';
import { stickiness, stickinessPeople } from './stickiness.ts';
import { trends, trendsPeople } from './trends.ts';

/** Runs a query of any kind. Throws UnusableRange, UnusableQuery and errors of the engine. */
export async function resultOf(given: InsightQuery, sources: QueryInputs): Promise<ReportContent> {
  const query = readable(given, sources);
  const inputs = inputsOf(query, sources);
  switch (query.kind) {
    case 'trends':
      return trends(query, inputs);
    case 'funnel':
      return funnel(query, inputs);
    case 'paths':
      return paths(query, inputs);
    case 'retention':
      return retention(query, inputs);
    case 'stickiness':
      return stickiness(query, inputs);
    case 'lifecycle':
      return lifecycle(query, inputs);
  }
}

function inputsOf(query: InsightQuery, inputs: QueryInputs): QueryInputs {
  const { kept, countPeople, ...source } = inputs.source;
  // Rows that depend on traits, cohorts or ids of people are not kept, because these change.
  const found = isAboutEvents(query) ? { kept, countPeople } : {};
  return { ...inputs, source: { ...source, ...found, hasBots: query.bots } };
}

/** Adds the cohort of a query as one more condition. */
function withinCohort<Q extends InsightQuery>(query: Q): Q {
  const { cohort, where = [] } = query;
  if (cohort === undefined) return query;
  return { ...query, where: [...where, { attribute: 'cohort', op: 'in_cohort', value: cohort }] };
}

/**
 * Returns the ids of the first people behind the value of a result that a point names, in order. Throws what `resultOf`
 * throws, and UnusableQuery for a point that names no value.
 */
export async function peopleOf(
  given: InsightQuery,
  point: Point,
  part: Part,
  sources: QueryInputs,
): Promise<string[]> {
  const query = readable(given, sources);
  const inputs = inputsOf(query, sources);
  switch (query.kind) {
    case 'trends':
      return firstOf(await trendsPeople(query, point, inputs), part, inputs);
    case 'funnel':
      return funnelPeople(query, point, part, inputs);
    case 'paths':
      return pathsPeople(query, point, part, inputs);
    case 'retention':
      return firstOf(await retentionPeople(query, point, inputs), part, inputs);
    case 'stickiness':
      return firstOf(stickinessPeople(query, point, inputs), part, inputs);
    case 'lifecycle':
      return firstOf(lifecyclePeople(query, point, inputs), part, inputs);
  }
}

/** Adds the cohort of a query to its conditions. Throws UnusableQuery if an engine would take too long to plan them. */
function readable<Q extends InsightQuery>(given: Q, inputs: QueryInputs): Q {
  const ofCohorts = [...inputs.source.cohorts].flatMap(([id, { match }]) =>
    match.map((clause) => ({ path: [`cohort "${id}"`], clause, times: 1 })),
  );
  const fault = conditionsFault([...clausesOf(given), ...ofCohorts]);
  if (fault !== undefined) throw new UnusableQuery(`${pathText(fault.path)}: ${fault.message}`);
  return withinCohort(given);
}
