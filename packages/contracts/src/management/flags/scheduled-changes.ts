import { z } from '@hono/zod-openapi';
import { id, timestamp } from '../../fields/fields.ts';
import { flagKey } from '../../fields/ids.ts';
import { flagEntry, warnings } from '../../flags.ts';
import { jsonBody, jsonResponse } from '../../operation/bodies.ts';
import { operation } from '../../operation/operation.ts';
import { paging } from '../../operation/paging.ts';
import { managementOf, projectParams } from '../common.ts';
import { approvalRequired, approvedBy, changeReason } from './flag-history.ts';
import { flagDefinition } from './flags.ts';

/** The properties of a flag that a change replaces. The others are kept. */
export const flagPatch = flagEntry
  .omit({ key: true })
  .partial()
  .refine((patch) => Object.keys(patch).length > 0, 'empty; name the properties to change')
  .openapi('FlagPatch');
export type FlagPatch = z.infer<typeof flagPatch>;

const change = z.object({
  key: flagKey,
  at: timestamp,
  flag: flagDefinition
    .optional()
    .openapi({ description: 'The new definition of the flag. The flag is created if it does not exist.' }),
  patch: flagPatch.optional().openapi({ description: 'Instead of flag: the properties to replace.' }),
  reason: changeReason.optional(),
  ifVersion: z.int().min(0).max(2_147_483_647).optional().openapi({
    description: 'The change fails unless the flag has this version at that time.',
  }),
});

export const scheduledChangeDefinition = change
  .refine(({ flag, patch }) => (flag === undefined) !== (patch === undefined), {
    path: ['patch'],
    message: 'send either flag or patch',
  })
  .openapi('ScheduledChangeDefinition');
export type ScheduledChangeDefinition = z.infer<typeof scheduledChangeDefinition>;

export const scheduledChange = change
  .extend({
    id,
    author: z.string().nullable().openapi({
      description: 'The sub of the author, or the id of the service token. null if erased.',
    }),
    createdAt: timestamp,
    approvedBy: approvedBy.optional(),
    failure: z.object({ failedAt: timestamp, message: z.string() }).nullable().openapi({
      description: 'The reason why the change failed. null while it waits.',
    }),
  })
  .openapi('ScheduledChange');
export type ScheduledChange = z.infer<typeof scheduledChange>;

const common = managementOf('flags');
const page = paging(50);
const CHANGES_PATH = '/management/v1/projects/{projectId}/scheduled-changes';
const params = z.object(projectParams);

export const scheduleFlagChange = operation({
  ...common,
  operationId: 'scheduleFlagChange',
  permission: 'flags.write',
  method: 'post',
  path: CHANGES_PATH,
  summary: 'Schedule a change of a flag',
  description:
    'The change is applied once, within seconds of its time, as a version by its author. The author needs the permission at that time too: changes of a removed member or of a revoked or expired token fail. A failed change alters nothing and is kept with the reason. Deleting the flag fails its waiting changes.',
  request: {
    params,
    body: jsonBody(scheduledChangeDefinition, {
      key: 'new-checkout',
      at: '2026-12-01T08:00:00.000Z',
      patch: { rolloutPercentage: 100 },
      reason: 'Launch',
      ifVersion: 3,
    }),
  },
  responses: { 201: jsonResponse('The scheduled change.', scheduledChange.extend({ warnings })) },
  errors: {
    404: 'Project not found.',
    409: {
      description: 'Too many scheduled changes. APPROVAL_REQUIRED: open a change request with at.',
      message: {
        CONFLICT: 'The project has 100 scheduled changes, including failed ones. Cancel one first.',
        ...approvalRequired,
      },
    },
  },
});

export const listScheduledChanges = operation({
  ...common,
  operationId: 'listScheduledChanges',
  permission: 'flags.read',
  method: 'get',
  path: CHANGES_PATH,
  summary: 'List the scheduled changes of flags',
  description: `Returns waiting and failed changes, sorted by time. key selects those of a flag. ${page.description}`,
  request: { params, query: z.object({ key: flagKey.optional(), ...page.query }) },
  responses: {
    200: jsonResponse('A page of changes.', z.object({ changes: z.array(scheduledChange), ...page.answer })),
  },
  errors: { 404: 'Project not found.' },
});

export const cancelScheduledChange = operation({
  ...common,
  operationId: 'cancelScheduledChange',
  permission: 'flags.write',
  method: 'delete',
  path: '/management/v1/projects/{projectId}/scheduled-changes/{changeId}',
  summary: 'Cancel a scheduled change, or delete a failed one',
  request: { params: z.object({ ...projectParams, changeId: id }) },
  responses: { 204: { description: 'Cancelled.' } },
  errors: {
    404: {
      description: 'Project not found, or the change was already applied or cancelled.',
      message: 'Scheduled change not found. It may have been applied already.',
    },
  },
});
