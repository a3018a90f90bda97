import { z } from '@hono/zod-openapi';
import { anyJson } from './fields/fields.ts';
import { clause } from './flags.ts';

/**
 * The compacted topic on which flags publishes the existing cohorts. It has one partition, so its records are in
 * order.
 */
export const COHORTS_TOPIC = 'cohorts';

const id = z.string().min(1);
/** Accepts more than the clause of a request, so that stored records stay readable. */
export const storedClause = clause.extend({ value: anyJson.optional() });

/**
 * The JSON value of a record on `cohorts`: the members of a cohort, without its name. A record without a value
 * deletes the cohort.
 */
export const cohortRecord = z.object({
  projectId: id,
  id,
  match: z
    .array(storedClause)
    .meta({ description: 'People who match all clauses are in the cohort. If empty, no one matches.' }),
  distinctIds: z.array(id).nullable().meta({
    description:
      'Further people in the cohort. null: the cohort is too large for a record, and `match` is empty.',
  }),
});
export type CohortRecord = z.infer<typeof cohortRecord>;

const keyParts = z.tuple([id, id]);

/** Returns the key of a cohort's record. */
export function cohortKey(projectId: string, cohortId: string): string {
  return JSON.stringify([projectId, cohortId]);
}

/** Parses the key of a record. Returns undefined for any other key. */
export function parseCohortKey(key: string): { projectId: string; id: string } | undefined {
  try {
    const [projectId, cohortId] = keyParts.parse(JSON.parse(key));
    return { projectId, id: cohortId };
  } catch {
    return undefined;
  }
}
