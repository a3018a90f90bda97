import { z } from '@hono/zod-openapi';
import { jsonAnswer, jsonBody } from '../bodies.ts';
import { id, writtenText } from '../fields.ts';
import { clause, type FlagEntry, flagEntry } from '../flags.ts';
import { operation } from '../operation.ts';
import { cohortId, flagKey } from '../path-ids.ts';
import { deleted, managementOf, projectParams } from './facts.ts';

/** A ruleset entry as it is written: everything but the key, which is in the path. */
export const flagDefinition = flagEntry
  .omit({ key: true })
  .check((context) => {
    for (const { path, message } of flagFaults(context.value)) {
      context.issues.push({ code: 'custom', input: context.value, path, message });
    }
  })
  .openapi('FlagDefinition');
export type FlagDefinition = z.infer<typeof flagDefinition>;

function* flagFaults({ type, variations = [] }: Omit<FlagEntry, 'key'>) {
  const keys = new Set<string>();
  for (const [index, { key, value }] of variations.entries()) {
    if (keys.has(key)) yield { path: ['variations', index, 'key'], message: `"${key}" is there twice` };
    keys.add(key);
    if (type && type !== 'json' && typeof value !== type) {
      yield { path: ['variations', index, 'value'], message: `not a ${type}, as the flag's type says` };
    }
  }
  const weights = variations.reduce((sum, { weight }) => sum + weight, 0);
  if (variations.length > 0 && weights === 0)
    yield { path: ['variations'], message: 'the weights add up to 0' };
}

const cohortClause = clause.refine(({ op }) => op !== 'in_cohort' && op !== 'not_in_cohort', {
  path: ['op'],
  message: 'a cohort does not refer to cohorts',
});

/** A cohort as it is written: whoever is named, and whoever all clauses match when there are any. */
export const cohortDefinition = z
  .object({
    name: writtenText(200),
    match: z.array(cohortClause).max(50).optional(),
    distinctIds: z.array(id).max(10_000).optional(),
  })
  .openapi('CohortDefinition');
export type CohortDefinition = z.infer<typeof cohortDefinition>;

export const cohort = cohortDefinition.extend({ id }).openapi('Cohort');
export type Cohort = z.infer<typeof cohort>;

const facts = managementOf('flags');
const flagParams = z.object({ ...projectParams, key: flagKey });
const cohortParams = z.object({ ...projectParams, cohortId });
const flagPath = '/management/v1/projects/{projectId}/flags/{key}';
const cohortPath = '/management/v1/projects/{projectId}/cohorts/{cohortId}';

export const listFlags = operation({
  ...facts,
  operationId: 'listFlags',
  method: 'get',
  path: '/management/v1/projects/{projectId}/flags',
  summary: 'Every flag of a project',
  request: { params: z.object(projectParams) },
  responses: { 200: jsonAnswer('The flags, by key.', z.object({ flags: z.array(flagEntry) })) },
});

export const getFlag = operation({
  ...facts,
  operationId: 'getFlag',
  method: 'get',
  path: flagPath,
  summary: 'One flag',
  request: { params: flagParams },
  responses: { 200: jsonAnswer('The flag.', flagEntry) },
  errors: { 404: 'No such project or flag.' },
});

export const putFlag = operation({
  ...facts,
  operationId: 'putFlag',
  method: 'put',
  path: flagPath,
  summary: 'Create or replace a flag',
  description:
    'Refused with 400: a cycle of prerequisites, an unknown prerequisite, a negative weight, weights that add up to 0, a value that is not of the type.',
  request: {
    params: flagParams,
    body: jsonBody(flagDefinition, {
      enabled: true,
      rolloutPercentage: 50,
      type: 'string',
      targeting: [{ attribute: 'plan', op: 'in', value: ['pro', 'team'] }],
      variations: [
        { key: 'green', value: '#0a0', weight: 1 },
        { key: 'blue', value: '#00a', weight: 1 },
      ],
    }),
  },
  responses: { 200: jsonAnswer('The flag as stored.', flagEntry) },
  errors: { 404: 'No such project.' },
});

export const deleteFlag = operation({
  ...facts,
  operationId: 'deleteFlag',
  method: 'delete',
  path: flagPath,
  summary: 'Remove a flag',
  request: { params: flagParams },
  responses: { 204: deleted },
  errors: { 409: 'Another flag has it as a prerequisite.' },
});

export const listCohorts = operation({
  ...facts,
  operationId: 'listCohorts',
  method: 'get',
  path: '/management/v1/projects/{projectId}/cohorts',
  summary: 'Every cohort of a project, without the people it names',
  request: { params: z.object(projectParams) },
  responses: {
    200: jsonAnswer(
      'The cohorts, by id.',
      z.object({ cohorts: z.array(cohort.pick({ id: true, name: true, match: true })) }),
    ),
  },
});

export const getCohort = operation({
  ...facts,
  operationId: 'getCohort',
  method: 'get',
  path: cohortPath,
  summary: 'One cohort',
  request: { params: cohortParams },
  responses: { 200: jsonAnswer('The cohort.', cohort) },
  errors: { 404: 'No such project or cohort.' },
});

export const putCohort = operation({
  ...facts,
  operationId: 'putCohort',
  method: 'put',
  path: cohortPath,
  summary: 'Create or replace a cohort',
  maxBodyBytes: 4 * 1024 * 1024,
  request: {
    params: cohortParams,
    body: jsonBody(cohortDefinition, {
      name: 'Beta testers',
      match: [{ attribute: 'email', op: 'contains', value: '@example.com' }],
      distinctIds: ['user-1'],
    }),
  },
  responses: { 200: jsonAnswer('The cohort as stored.', cohort) },
  errors: { 404: 'No such project.' },
});

export const deleteCohort = operation({
  ...facts,
  operationId: 'deleteCohort',
  method: 'delete',
  path: cohortPath,
  summary: 'Remove a cohort',
  request: { params: cohortParams },
  responses: { 204: deleted },
});
