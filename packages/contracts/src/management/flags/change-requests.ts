import { z } from '@hono/zod-openapi';
import { id, timestamp } from '../../fields/fields.ts';
import { changeRequestId, flagKey } from '../../fields/ids.ts';
import { flagEntry } from '../../flags.ts';
import { jsonBody, jsonResponse } from '../../operation/bodies.ts';
import { operation } from '../../operation/operation.ts';
import { paging } from '../../operation/paging.ts';
import { managementOf, projectParams } from '../common.ts';
import { changeReason, propertyChanges } from './flag-history.ts';
import { flagDefinition } from './flags.ts';
import { flagPatch } from './scheduled-changes.ts';

const proposal = z.object({
  flag: flagDefinition.nullable().optional().openapi({
    description: 'The new definition of the flag. null deletes the flag.',
  }),
  patch: flagPatch.optional().openapi({ description: 'Instead of flag: the properties to replace.' }),
  from: id.optional().openapi({
    description:
      'Instead of flag: the id of the project to copy the definition from. You need flags.read there.',
    example: 'web-shop-staging',
  }),
});

export const changeRequestDefinition = proposal
  .extend({
    key: flagKey,
    at: timestamp.optional().openapi({
      description: 'The time to make the change, once it is approved. Absent: at the last approval.',
    }),
    reason: changeReason.optional(),
    ifVersion: z.int().min(0).max(2_147_483_647).optional().openapi({
      description: 'The request is rejected unless the flag has this version.',
    }),
  })
  .refine((given) => [given.flag, given.patch, given.from].filter((one) => one !== undefined).length === 1, {
    path: ['flag'],
    message: 'send one of flag, patch and from',
  })
  .refine(({ at, flag }) => at === undefined || flag !== null, {
    path: ['at'],
    message: 'a deletion cannot be scheduled',
  })
  .openapi('ChangeRequestDefinition');
export type ChangeRequestDefinition = z.infer<typeof changeRequestDefinition>;

export const changeRequestState = z.enum(['waiting', 'approved', 'rejected', 'withdrawn', 'expired']);
export type ChangeRequestState = z.infer<typeof changeRequestState>;

/** A change of a flag that waits for approvals, or its outcome. */
export const changeRequest = z
  .object({
    id,
    key: flagKey,
    state: changeRequestState.openapi({
      description: 'approved: the change is made, or scheduled for the time at.',
    }),
    version: z
      .int()
      .min(0)
      .openapi({ description: 'The version of the flag that it changes. 0: the flag does not exist yet.' }),
    flag: flagEntry.nullable().openapi({ description: 'The proposed state. null: the flag is deleted.' }),
    changes: propertyChanges,
    author: z.string().nullable().openapi({
      description: 'The sub of the person who asks, or the id of the service token. null if erased.',
    }),
    reason: z.string().nullable(),
    at: timestamp.nullable(),
    createdAt: timestamp,
    expiresAt: timestamp,
    approvals: z.array(z.object({ sub: id, at: timestamp })),
    needed: z.int().min(1).openapi({ description: 'The number of approvals that the project requires now.' }),
    closed: z
      .object({
        at: timestamp,
        by: z.string().nullable().openapi({ description: 'null if the flag changed, or if erased.' }),
        note: z.string().nullable(),
      })
      .nullable()
      .openapi({ description: 'null while it waits, and if it expired.' }),
    unread: z.boolean().openapi({
      description:
        'Whether it is yours, and was closed by others or expired since you last got it by its id.',
    }),
  })
  .openapi('ChangeRequest');
export type ChangeRequest = z.infer<typeof changeRequest>;

const common = managementOf('flags');
const page = paging(20);
const REQUESTS_PATH = '/management/v1/projects/{projectId}/change-requests';
const params = z.object(projectParams);
const requestParams = z.object({ ...projectParams, requestId: changeRequestId });
const notFound = {
  description: 'Project or change request not found.',
  message: 'Change request not found.',
};

export const requestFlagChange = operation({
  ...common,
  operationId: 'requestFlagChange',
  permission: 'flags.write',
  method: 'post',
  path: REQUESTS_PATH,
  summary: 'Request a change of a flag',
  description:
    'The change is made once, when flagApprovals of the project other people have approved it, and at least one. A request of a service token needs one approval more, because the person who uses the token may approve. The request is withdrawn when the flag changes, and expires after 30 days or at its time. The same request again returns the waiting one.',
  request: {
    params,
    body: jsonBody(changeRequestDefinition, {
      key: 'new-checkout',
      patch: { rolloutPercentage: 100 },
      reason: 'Launch',
    }),
  },
  responses: { 201: jsonResponse('The change request.', changeRequest) },
  errors: {
    404: 'Project not found.',
    409: {
      description: 'Too many requests wait, or the change conflicts with the current flags.',
      message: 'The flag has 10 waiting change requests. Withdraw one first.',
    },
    412: {
      description: 'The flag is not at the version that ifVersion names.',
      message: 'ifVersion: the flag is at version 4. Read it again and repeat your request.',
    },
  },
});

export const listChangeRequests = operation({
  ...common,
  operationId: 'listChangeRequests',
  permission: 'flags.read',
  method: 'get',
  path: REQUESTS_PATH,
  summary: 'List the change requests of flags',
  description: `Returns the newest first. The last 200 closed ones of a project are kept. key selects those of a flag. ${page.description}`,
  request: {
    params,
    query: z.object({
      key: flagKey.optional(),
      state: z.enum(['waiting', 'closed', 'current']).optional().openapi({
        description: 'current: those that wait, and unread ones.',
      }),
      ...page.query,
    }),
  },
  responses: {
    200: jsonResponse(
      'A page of change requests.',
      z.object({
        requests: z.array(changeRequest),
        toDecide: z
          .int()
          .openapi({ description: 'The number of waiting requests that you may still approve.' }),
        toRead: z.int().openapi({ description: 'The number of unread requests.' }),
        ...page.answer,
      }),
    ),
  },
  errors: { 404: 'Project not found.' },
});

export const getChangeRequest = operation({
  ...common,
  operationId: 'getChangeRequest',
  permission: 'flags.read',
  method: 'get',
  path: `${REQUESTS_PATH}/{requestId}`,
  summary: 'Get a change request',
  description: 'Marks its outcome as read if it is yours.',
  request: { params: requestParams },
  responses: { 200: jsonResponse('The change request.', changeRequest) },
  errors: { 404: notFound },
});

export const decideChangeRequest = operation({
  ...common,
  operationId: 'decideChangeRequest',
  permission: 'flags.write',
  method: 'post',
  path: `${REQUESTS_PATH}/{requestId}/decisions`,
  summary: 'Approve, reject or withdraw a change request',
  description:
    'Only the author withdraws. Other people approve or reject; service tokens do not. The last approval makes the change. Approvals of people who no longer have flags.write do not count.',
  request: {
    params: requestParams,
    body: jsonBody(
      z.object({
        decision: z.enum(['approve', 'reject', 'withdraw']),
        note: changeReason.optional(),
      }),
      { decision: 'approve' },
    ),
  },
  responses: { 200: jsonResponse('The change request.', changeRequest) },
  errors: {
    403: {
      description: 'You may not make this decision.',
      message: 'Your own change requests need the approval of others. Withdraw it instead.',
    },
    404: notFound,
    409: {
      description:
        'The request is closed, its author may no longer change flags, or it conflicts with the current flags.',
      message: 'The change request is withdrawn.',
    },
  },
});
