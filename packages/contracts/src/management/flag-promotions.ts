import { z } from '@hono/zod-openapi';
import { id } from '../fields/fields.ts';
import { flagKey } from '../fields/ids.ts';
import { flagEntry } from '../flags.ts';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { managementOf, projectParams } from './common.ts';
import { changeReason } from './flag-history.ts';

export const promoteFlag = operation({
  ...managementOf('flags'),
  operationId: 'promoteFlag',
  permission: 'flags.write',
  method: 'post',
  path: '/management/v1/projects/{projectId}/flags/{key}/promotions',
  summary: 'Copy a flag to another project of the company',
  description:
    'Replaces the flag of the same key there, as a new version. A cohort becomes the one that has its name there. The caller needs the permission in both projects. Both must be in the region of the deployment.',
  request: {
    params: z.object({ ...projectParams, key: flagKey }),
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
        'The other project lacks a cohort or a prerequisite, or has a flag that depends on the present definition.',
      message: 'The other project has no cohort "Beta testers". Create it there first.',
    },
    412: {
      description: 'The flag of the other project is not at the version that ifVersion names.',
      message: 'If-Match: the flag is at version 4. Read it again and repeat your change.',
    },
  },
});
