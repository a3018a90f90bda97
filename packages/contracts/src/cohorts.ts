import { z } from '@hono/zod-openapi';
import { anyJson } from './fields/fields.ts';
import { clause } from './flags.ts';

/** The compacted topic on which flags says which cohorts exist. One partition: records are in order. */
export const COHORTS_TOPIC = 'cohorts';

const id = z.string().min(1);
/** Wider than the clause of a request, so that stored records stay readable. */
export const storedClause = clause.extend({ value: anyJson.optional() });

/**
 * The JSON value of a record on `cohorts`: who belongs to a cohort, without its name. Without a value the cohort is
 * gone.
 */
export const cohortRecord = z.object({
  projectId: id,
  id,
  match: z
    .array(storedClause)
    .meta({ description: 'Whoever fulfils all of them belongs to it; nobody if empty.' }),
  distinctIds: z.array(id).nullable().meta({
    description:
      'Who belongs to it besides. null: the cohort is too large for a record, and `match` is empty.',
  }),
});
export type CohortRecord = z.infer<typeof cohortRecord>;

const keyParts = z.tuple([id, id]);

/** The key of a cohort's record. */
export function cohortKey(projectId: string, cohortId: string): string {
  return JSON.stringify([projectId, cohortId]);
}

/** What a key names; undefined for another key. */
export function parseCohortKey(key: string): { projectId: string; id: string } | undefined {
  try {
    const [projectId, cohortId] = keyParts.parse(JSON.parse(key));
    return { projectId, id: cohortId };
  } catch {
    return undefined;
  }
}
