import { z } from '@hono/zod-openapi';
import { timestamp } from '../fields/fields.ts';

/**
 * The compacted topic on which delivery publishes the cohorts that the webhooks of a project watch, with the project's
 * id as key. A record without a value: none. It has one partition.
 */
export const WATCHED_COHORTS_TOPIC = 'watched-cohorts';

/** The topic on which analytics publishes who entered and left watched cohorts. */
export const COHORT_CHANGES_TOPIC = 'cohort-changes';

/** The maximum number of cohorts that the webhooks of a project watch. */
export const MAX_WATCHED_COHORTS = 10;

const id = z.string().min(1);

/** The JSON value of a record on `watched-cohorts`. */
export const watchedCohorts = z.object({ projectId: id, cohortIds: z.array(id) });
export type WatchedCohorts = z.infer<typeof watchedCohorts>;

/**
 * The JSON value of a record on `cohort-changes`: people who entered or left a cohort, and the state of the cohort. A
 * comparison that finds many people has several records.
 */
export const cohortChanges = z.object({
  projectId: id,
  cohortId: id,
  at: timestamp,
  entered: z.array(id),
  left: z.array(id),
  members: z.int().min(0).nullable().meta({ description: 'null: not known yet.' }),
  failure: z.string().nullable().meta({ description: 'Why the members could not be compared.' }),
});
export type CohortChanges = z.infer<typeof cohortChanges>;
