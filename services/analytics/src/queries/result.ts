import { clausesOf, conditionsFault, type InsightQuery, type ReportContent } from '@switchboard/contracts';
import { UnusableQuery } from '../conditions/clauses.ts';
import { funnel } from './funnel.ts';
import { lifecycle } from './lifecycle.ts';
import type { QueryInputs } from './query.ts';
import { pathText } from './reads.ts';
import { retention } from './retention.ts';
import { stickiness } from './stickiness.ts';
import { trends } from './trends.ts';

/** Runs a query of any kind. Throws UnusableRange, UnusableQuery and errors of the engine. */
export async function resultOf(given: InsightQuery, inputs: QueryInputs): Promise<ReportContent> {
  const ofCohorts = [...inputs.source.cohorts].flatMap(([id, { match }]) =>
    match.map((clause) => ({ path: [`cohort "${id}"`], clause, times: 1 })),
  );
  const fault = conditionsFault([...clausesOf(given), ...ofCohorts]);
  if (fault !== undefined) throw new UnusableQuery(`${pathText(fault.path)}: ${fault.message}`);
  const query = withinCohort(given);
  switch (query.kind) {
    case 'trends':
      return trends(query, inputs);
    case 'funnel':
      return funnel(query, inputs);
    case 'retention':
      return retention(query, inputs);
    case 'stickiness':
      return stickiness(query, inputs);
    case 'lifecycle':
      return lifecycle(query, inputs);
  }
}

/** Adds the cohort of a query as one more condition. */
function withinCohort<Q extends InsightQuery>(query: Q): Q {
  const { cohort, where = [] } = query;
  if (cohort === undefined) return query;
  return { ...query, where: [...where, { attribute: 'cohort', op: 'in_cohort', value: cohort }] };
}
