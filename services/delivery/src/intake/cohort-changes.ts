import { COHORT_CHANGES_TOPIC, type CohortChanges, cohortChanges } from '@switchboard/contracts';
import type { Happening } from './intake.ts';

/** The people who entered and left watched cohorts, which analytics publishes. */
export const cohorts = {
  group: 'delivery.cohort-changes',
  topic: COHORT_CHANGES_TOPIC,
  schema: cohortChanges,
  invalid: 'not a change of a cohort',
  happeningsOf,
};

function happeningsOf({ projectId, cohortId, at, entered, left }: CohortChanges): Happening[] {
  const of =
    (type: 'cohort.entered' | 'cohort.left') =>
    (distinctId: string): Happening => {
      const data = { projectId, cohortId, distinctId };
      const sourceId = JSON.stringify([cohortId, distinctId, at]);
      return {
        projectId,
        acceptedAt: at,
        type,
        cohortId,
        occurrence: { type, at, subject: distinctId, sourceId, ids: data, data },
      };
    };
  return [...left.map(of('cohort.left')), ...entered.map(of('cohort.entered'))];
}
