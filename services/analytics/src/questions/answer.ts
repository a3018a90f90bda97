import { clausesOf, conditionsFault, type InsightQuery, type ReportContent } from '@switchboard/contracts';
import { Unanswerable } from '../conditions/clauses.ts';
import { funnel } from './funnel.ts';
import { lifecycle } from './lifecycle.ts';
import type { Asking } from './question.ts';
import { pathText } from './reads.ts';
import { retention } from './retention.ts';
import { stickiness } from './stickiness.ts';
import { trends } from './trends.ts';

/** Answers a question of any kind. Throws UnusableRange, Unanswerable and errors of the engine. */
export async function answer(asked: InsightQuery, asking: Asking): Promise<ReportContent> {
  const ofCohorts = [...asking.source.cohorts].flatMap(([id, { match }]) =>
    match.map((clause) => ({ path: [`cohort "${id}"`], clause, times: 1 })),
  );
  const fault = conditionsFault([...clausesOf(asked), ...ofCohorts]);
  if (fault !== undefined) throw new Unanswerable(`${pathText(fault.path)}: ${fault.message}`);
  const question = withinCohort(asked);
  switch (question.kind) {
    case 'trends':
      return trends(question, asking);
    case 'funnel':
      return funnel(question, asking);
    case 'retention':
      return retention(question, asking);
    case 'stickiness':
      return stickiness(question, asking);
    case 'lifecycle':
      return lifecycle(question, asking);
  }
}

/** Adds the cohort of a question as one more condition. */
function withinCohort<Q extends InsightQuery>(question: Q): Q {
  const { cohort, where = [] } = question;
  if (cohort === undefined) return question;
  return { ...question, where: [...where, { attribute: 'cohort', op: 'in_cohort', value: cohort }] };
}
