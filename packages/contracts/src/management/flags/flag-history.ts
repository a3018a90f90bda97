import { z } from '@hono/zod-openapi';
import { text } from '../../fields/fields.ts';
import { flagKey } from '../../fields/ids.ts';
import { flagEntry } from '../../flags.ts';
import { jsonBody, jsonResponse } from '../../operation/bodies.ts';
import { operation } from '../../operation/operation.ts';
import { paging } from '../../operation/paging.ts';
import { managementOf, projectParams } from '../common.ts';

/** The reason for a change to a flag, for its history. */
export const changeReason = text({ min: 1, max: 500 });

/** Rejects a change unless the flag has this version: the `ETag` that it was read with. */
export const ifMatchHeaders = z.object({
  'If-Match': text({ min: 1, max: 50 }).optional().openapi({ example: '"3"' }),
});

/** `ifMatchHeaders`, and one that rejects the change of a flag that exists. */
export const putHeaders = ifMatchHeaders.extend({
  'If-None-Match': z.literal('*').optional().openapi({
    description: 'Creates the flag, and rejects the request if the flag exists.',
  }),
});

export const versionConflict = {
  description: 'The flag is not at the version that If-Match names.',
  message: 'If-Match: the flag is at version 4. Read it again and repeat your change.',
};

const version = z.int().min(1).openapi({ description: 'Increases by one with each change of the flag.' });

/** The people who approved a change of a flag. */
export const approvedBy = z.array(z.string().nullable()).openapi({
  description: 'The subs of the people who approved the change; null if erased. Absent if no one did.',
});

/** A change that needs an approval first. */
export const approvalRequired = {
  APPROVAL_REQUIRED:
    'A change of a flag in this project needs 2 approvals. Open a change request, or only switch the flag off.',
};

/** The differences between two states of a flag. */
export const propertyChanges = z
  .array(z.object({ property: z.string(), before: z.unknown(), after: z.unknown() }))
  .openapi({ description: 'The differences from the previous version. before or after is absent if unset.' });

/** One state of a flag, its author and the reason. */
export const flagVersion = z
  .object({
    version,
    flag: flagEntry.nullable().openapi({ description: 'null: the flag was deleted.' }),
    changes: propertyChanges,
    author: z.string().nullable().openapi({
      description: 'The sub of the author. null if unknown or erased.',
    }),
    reason: z.string().nullable(),
    at: z.iso.datetime(),
    approvedBy: approvedBy.optional(),
    emergency: z.literal(true).optional().openapi({
      description: 'Present if the flag was switched off without the approvals that the project requires.',
    }),
  })
  .openapi('FlagVersion');
export type FlagVersion = z.infer<typeof flagVersion>;

const common = managementOf('flags');
const page = paging(50);
const flagParams = z.object({ ...projectParams, key: flagKey });
const VERSIONS_PATH = '/management/v1/projects/{projectId}/flags/{key}/versions';

export const listFlagVersions = operation({
  ...common,
  operationId: 'listFlagVersions',
  permission: 'flags.read',
  method: 'get',
  path: VERSIONS_PATH,
  summary: 'List the versions of a flag, newest first',
  description: `Includes deleted flags. The last 200 versions are kept. ${page.description}`,
  request: {
    params: flagParams,
    query: z.object(page.query),
  },
  responses: {
    200: jsonResponse('The versions.', z.object({ versions: z.array(flagVersion), ...page.answer })),
  },
});

export const restoreFlagVersion = operation({
  ...common,
  operationId: 'restoreFlagVersion',
  permission: 'flags.write',
  method: 'post',
  path: '/management/v1/projects/{projectId}/flags/{key}/restore',
  summary: 'Restore an earlier version of a flag',
  description: 'Creates a new version. A deleted flag is created again.',
  request: {
    params: flagParams,
    headers: ifMatchHeaders,
    body: jsonBody(z.object({ version, reason: changeReason.optional() }), {
      version: 2,
      reason: 'The new checkout fails in Safari.',
    }),
  },
  responses: { 200: jsonResponse('The flag.', flagEntry) },
  errors: {
    404: { description: 'Project or version not found.', message: 'Version not found.' },
    409: {
      description:
        'This version is a deletion, or it conflicts with the current flags. APPROVAL_REQUIRED: open a change request.',
      message: {
        CONFLICT: 'Version 2 is a deletion. Use DELETE to delete the flag.',
        ...approvalRequired,
      },
    },
    412: versionConflict,
  },
});
