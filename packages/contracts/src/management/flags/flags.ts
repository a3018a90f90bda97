import { z } from '@hono/zod-openapi';
import { cohortList, combination, didConditions } from '../../cohorts.ts';
import { id, name } from '../../fields/fields.ts';
import { cohortId, flagKey } from '../../fields/ids.ts';
import { clause, type FlagEntry, flagEntry, warnings } from '../../flags.ts';
import { deleted, jsonBody, jsonResponse } from '../../operation/bodies.ts';
import { operation } from '../../operation/operation.ts';
import { managementOf, projectParams } from '../common.ts';
import {
  approvalRequired,
  changeReason,
  flagVersion,
  ifMatchHeaders,
  putHeaders,
  versionConflict,
} from './flag-history.ts';

/** The maximum sum of a flag's weights. */
const MAX_TOTAL_WEIGHT = 1_000_000;

/** Rejects a flag with inconsistent parts. */
export function checkFlag({ value, issues }: z.core.ParsePayload<Omit<FlagEntry, 'key'>>): void {
  for (const { path, message } of flagFaults(value)) {
    issues.push({ code: 'custom', input: value, path, message });
  }
}

/** A flag without its key, which is in the path. */
export const flagDefinition = flagEntry.omit({ key: true }).check(checkFlag).openapi('FlagDefinition');
export type FlagDefinition = z.infer<typeof flagDefinition>;

function* flagFaults({ type, variations = [], rules = [] }: Omit<FlagEntry, 'key'>) {
  const keys = new Set<string>();
  const names = new Set<string>();
  for (const [index, { key, value }] of variations.entries()) {
    if (keys.has(key)) yield { path: ['variations', index, 'key'], message: `duplicate key "${key}"` };
    keys.add(key);
    if (type && type !== 'json' && typeof value !== type) {
      yield { path: ['variations', index, 'value'], message: `not a ${type}, which is the type of the flag` };
    }
  }
  const total = variations.reduce((sum, { weight }) => sum + weight, 0);
  if (variations.length > 0 && total === 0)
    yield { path: ['variations'], message: 'the weights sum to 0; at least one must be positive' };
  if (total > MAX_TOTAL_WEIGHT)
    yield { path: ['variations'], message: `the weights sum to more than ${MAX_TOTAL_WEIGHT}` };
  for (const [index, { name, variation }] of rules.entries()) {
    if (name !== undefined && names.has(name))
      yield { path: ['rules', index, 'name'], message: `duplicate name "${name}"` };
    if (name !== undefined) names.add(name);
    if (variation !== undefined && !keys.has(variation))
      yield { path: ['rules', index, 'variation'], message: `there is no variation "${variation}"` };
  }
}

const cohortClause = clause.refine(({ op }) => op !== 'in_cohort' && op !== 'not_in_cohort', {
  path: ['op'],
  message: 'a cohort cannot refer to another cohort',
});

/** A cohort: the people it lists, and the people who match all of its clauses and did what its conditions say. */
export const cohortDefinition = z
  .object({
    name: name(200),
    match: z.array(cohortClause).max(50).optional(),
    distinctIds: z.array(id).max(10_000).optional(),
    did: didConditions
      .optional()
      .openapi({ description: 'Conditions on what people did. Computed at least every 15 minutes.' }),
    combine: combination.optional().openapi({
      description:
        'all, the default: people who match and fulfill every condition of did. any: people who match or fulfill one of them. Listed people are always in the cohort.',
    }),
  })
  .openapi('CohortDefinition');
export type CohortDefinition = z.infer<typeof cohortDefinition>;

export const cohort = cohortDefinition
  .extend({
    id,
    list: cohortList
      .optional()
      .openapi({ description: 'The people who fulfill did, as last computed. Absent without did.' }),
  })
  .openapi('Cohort');
export type Cohort = z.infer<typeof cohort>;

const common = managementOf('flags');
const flagParams = z.object({ ...projectParams, key: flagKey });
const cohortParams = z.object({ ...projectParams, cohortId });
const changeQuery = z.object({
  reason: changeReason
    .optional()
    .openapi({ description: 'The reason of the change, for the history of the flag.' }),
});
const FLAG_PATH = '/management/v1/projects/{projectId}/flags/{key}';
const COHORT_PATH = '/management/v1/projects/{projectId}/cohorts/{cohortId}';

const lastChange = flagVersion
  .pick({ version: true, author: true, at: true })
  .extend({ key: flagKey })
  .openapi('LastFlagChange');
export type LastFlagChange = z.infer<typeof lastChange>;

export const listFlags = operation({
  ...common,
  operationId: 'listFlags',
  permission: 'flags.read',
  method: 'get',
  path: '/management/v1/projects/{projectId}/flags',
  summary: 'List the flags of a project',
  request: { params: z.object(projectParams) },
  responses: {
    200: jsonResponse(
      'The flags, sorted by key, and the latest change of each.',
      z.object({ flags: z.array(flagEntry), lastChanges: z.array(lastChange) }),
    ),
  },
});

export const getFlag = operation({
  ...common,
  operationId: 'getFlag',
  permission: 'flags.read',
  method: 'get',
  path: FLAG_PATH,
  summary: 'Get a flag',
  request: { params: flagParams },
  responses: { 200: jsonResponse('The flag. ETag is its version.', flagEntry) },
  errors: { 404: { description: 'Project or flag not found.', message: 'Flag not found.' } },
});

export const putFlag = operation({
  ...common,
  operationId: 'putFlag',
  permission: 'flags.write',
  method: 'put',
  path: FLAG_PATH,
  summary: 'Create or replace a flag',
  description:
    'Returns 400 for a cycle of prerequisites, an unknown prerequisite, a negative weight, weights that sum to 0 or to more than 1,000,000, a value that does not have the type of the flag, two rules of the same name, or a rule for an unknown variation.',
  request: {
    params: flagParams,
    query: changeQuery,
    headers: putHeaders,
    body: jsonBody(flagDefinition, {
      enabled: true,
      rolloutPercentage: 50,
      type: 'string',
      rules: [
        {
          name: 'Staff',
          targeting: [{ attribute: 'email', op: 'contains', value: '@example.com' }],
          variation: 'blue',
        },
      ],
      targeting: [{ attribute: 'plan', op: 'in', value: ['pro', 'team'] }],
      variations: [
        { key: 'green', value: '#0a0', weight: 1 },
        { key: 'blue', value: '#00a', weight: 1 },
      ],
    }),
  },
  responses: { 200: jsonResponse('The stored flag. ETag is its version.', flagEntry.extend({ warnings })) },
  errors: {
    404: 'Project not found.',
    409: {
      description:
        'Another flag requires a variation that this one would no longer serve. APPROVAL_REQUIRED: open a change request.',
      message: {
        CONFLICT:
          'The flag is a prerequisite of "checkout" (variation "green"). Change or delete those flags first.',
        ...approvalRequired,
      },
    },
    412: {
      ...versionConflict,
      description: `${versionConflict.description} Or it exists, and If-None-Match is *.`,
    },
  },
});

export const deleteFlag = operation({
  ...common,
  operationId: 'deleteFlag',
  permission: 'flags.write',
  method: 'delete',
  path: FLAG_PATH,
  summary: 'Delete a flag',
  request: { params: flagParams, query: changeQuery, headers: ifMatchHeaders },
  responses: { 204: deleted },
  errors: {
    409: {
      description: 'The flag is a prerequisite of another flag. APPROVAL_REQUIRED: open a change request.',
      message: {
        CONFLICT: 'The flag is a prerequisite of "checkout". Change or delete those flags first.',
        ...approvalRequired,
      },
    },
    412: versionConflict,
  },
});

export const promoteFlag = operation({
  ...common,
  operationId: 'promoteFlag',
  permission: 'flags.write',
  method: 'post',
  path: `${FLAG_PATH}/promotions`,
  summary: 'Copy a flag to another project of the company',
  description:
    'Replaces the flag of the same key there, as a new version. A cohort becomes the one that has its name there. The caller needs the permission in both projects. Both must be in the region of the deployment.',
  request: {
    params: flagParams,
    body: jsonBody(
      z.object({
        to: id.openapi({ description: 'The id of the other project.' }),
        reason: changeReason.optional(),
        ifVersion: z.int().min(1).max(2_147_483_647).optional().openapi({
          description: 'Rejects the promotion unless the flag has this version there.',
        }),
      }),
      { to: 'prj_live', reason: 'Tested in staging' },
    ),
  },
  responses: { 200: jsonResponse('The flag of the other project. ETag is its version there.', flagEntry) },
  errors: {
    404: { description: 'Project or flag not found.', message: 'to: project not found' },
    409: {
      description:
        'The other project lacks a cohort or a prerequisite, or has a flag that depends on the present definition. APPROVAL_REQUIRED: open a change request in the other project, with from.',
      message: {
        CONFLICT: 'The other project has no cohort "Beta testers". Create it there first.',
        ...approvalRequired,
      },
    },
    412: {
      description: 'The flag of the other project is not at the version that ifVersion names.',
      message: 'If-Match: the flag is at version 4. Read it again and repeat your change.',
    },
  },
});

export const listCohorts = operation({
  ...common,
  operationId: 'listCohorts',
  permission: 'cohorts.read',
  method: 'get',
  path: '/management/v1/projects/{projectId}/cohorts',
  summary: 'List the cohorts of a project',
  request: { params: z.object(projectParams) },
  responses: {
    200: jsonResponse(
      'The cohorts, sorted by id, without the people they list.',
      z.object({ cohorts: z.array(cohort.omit({ distinctIds: true })) }),
    ),
  },
});

export const getCohort = operation({
  ...common,
  operationId: 'getCohort',
  permission: 'cohorts.read',
  method: 'get',
  path: COHORT_PATH,
  summary: 'Get a cohort',
  request: { params: cohortParams },
  responses: { 200: jsonResponse('The cohort.', cohort) },
  errors: { 404: { description: 'Project or cohort not found.', message: 'Cohort not found.' } },
});

export const putCohort = operation({
  ...common,
  operationId: 'putCohort',
  permission: 'cohorts.write',
  method: 'put',
  path: COHORT_PATH,
  summary: 'Create or replace a cohort',
  maxBodyBytes: 4 * 1024 * 1024,
  maxBodyValues: 50_000,
  request: {
    params: cohortParams,
    body: jsonBody(cohortDefinition, {
      name: 'Beta testers',
      match: [{ attribute: 'email', op: 'contains', value: '@example.com' }],
      distinctIds: ['user-1'],
      did: [{ event: 'order placed', count: { gte: 3 }, within: { days: 30 } }],
      combine: 'any',
    }),
  },
  responses: { 200: jsonResponse('The stored cohort.', cohort.extend({ warnings })) },
  errors: { 404: 'Project not found.' },
});

export const deleteCohort = operation({
  ...common,
  operationId: 'deleteCohort',
  permission: 'cohorts.write',
  method: 'delete',
  path: COHORT_PATH,
  summary: 'Delete a cohort',
  request: { params: cohortParams },
  responses: { 204: deleted },
  errors: { 409: 'The flags "new-checkout" name the cohort. Change or delete those flags first.' },
});
