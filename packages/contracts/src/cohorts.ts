import { z } from '@hono/zod-openapi';
import { conditionsFault } from './analytics/conditions.ts';
import { insightClause } from './analytics/query.ts';
import { anyJson, int32, text, timestamp } from './fields/fields.ts';
import { clause } from './flags.ts';

/**
 * The compacted topic on which flags publishes the existing cohorts. It has one partition, so its records are in
 * order.
 */
export const COHORTS_TOPIC = 'cohorts';

/**
 * The compacted topic on which analytics publishes who fulfills the conditions `did` of each cohort. It has one
 * partition. A list is divided into parts by the MD5 of the distinct id, so that a change publishes few of them.
 */
export const COHORT_MEMBERS_TOPIC = 'cohort-members';

const id = z.string().min(1);
const times = int32.min(0);

/** A condition on an event alone. */
export const eventClause = insightClause
  .refine(({ attribute }) => !/^(?:trait|group)\./.test(attribute), {
    path: ['attribute'],
    message: 'not part of an event; name traits and groups in match',
  })
  .refine(({ op }) => op !== 'in_cohort' && op !== 'not_in_cohort', {
    path: ['op'],
    message: 'a cohort cannot refer to another cohort',
  });

/** A condition on how often a person sent an event in the last days. */
export const didCondition = z
  .strictObject({
    event: text({ min: 1, max: 200 }),
    where: z
      .array(eventClause)
      .max(20)
      .optional()
      .openapi({ description: 'Conditions on the event. All must match.' }),
    count: z
      .strictObject({ gte: times.optional(), lte: times.optional(), eq: times.optional() })
      .refine((count) => Object.keys(count).length === 1, 'has to name exactly one of gte, lte and eq')
      .openapi({
        description:
          'How many times. A count that 0 fulfills includes everyone known who did not send the event: people with any event or identify call.',
      }),
    within: z.strictObject({ days: z.int().min(1).max(365) }),
  })
  .openapi('DidCondition');
export type DidCondition = z.infer<typeof didCondition>;

/** Whether all conditions must hold, or any. */
export const combination = z.enum(['all', 'any']);
export type Combination = z.infer<typeof combination>;

/** The conditions `did` of a cohort. */
export const didConditions = z
  .array(didCondition)
  .min(1)
  .max(10)
  .check(({ value, issues }) => {
    const clauses = value.flatMap(({ where = [] }, index) =>
      where.map((clause, at) => ({ path: [index, 'where', at], clause, times: 1 })),
    );
    const fault = conditionsFault(clauses);
    if (fault) issues.push({ code: 'custom', input: value, ...fault });
  });

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
  did: didConditions.optional(),
  combine: combination.optional().meta({
    description:
      'all, the default: people who match, and fulfill every condition of `did`. any: people who match, or fulfill one.',
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

/** The JSON value of a record on `cohort-members`: the state of the list of a cohort. */
export const cohortList = z.object({
  computedAt: timestamp.nullable().meta({ description: 'null: not computed yet.' }),
  size: z.int().min(0),
  failure: z.string().optional().meta({ description: 'Why the last computation failed. The list is older.' }),
});
export type CohortList = z.infer<typeof cohortList>;

/**
 * The JSON value of a record on `cohort-members`: the members with the prefix in the key: the beginning of the
 * MD5 of their distinct id, in hex. A record without a value removes them.
 */
export const cohortMembers = z.object({ members: z.array(id) });
export type CohortMembers = z.infer<typeof cohortMembers>;

const prefix = z.string().regex(/^[0-9a-f]{0,3}$/);
const listKeyParts = z.union([keyParts, z.tuple([id, id, prefix])]);

/** Returns the key of the state of a cohort's list, or of the part with this prefix. */
export function cohortListKey(projectId: string, cohortId: string, ofPrefix?: string): string {
  return JSON.stringify(ofPrefix === undefined ? [projectId, cohortId] : [projectId, cohortId, ofPrefix]);
}

/** Parses the key of a record on `cohort-members`. Returns undefined for any other key. */
export function parseCohortListKey(
  key: string,
): { projectId: string; id: string; prefix: string | undefined } | undefined {
  try {
    const [projectId, cohortId, ofPrefix] = listKeyParts.parse(JSON.parse(key));
    return { projectId, id: cohortId, prefix: ofPrefix };
  } catch {
    return undefined;
  }
}
