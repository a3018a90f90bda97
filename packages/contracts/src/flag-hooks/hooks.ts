import { z } from '@hono/zod-openapi';
import { id, name, text, timestamp } from '../fields/fields.ts';
import { flagHookId, flagKey } from '../fields/ids.ts';
import { managementOf, projectParams } from '../management/common.ts';
import { deleted, jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';

/** The maximum number of hooks of a flag, and of a project. */
export const MAX_FLAG_HOOKS = { flag: 20, project: 100 } as const;

export const flagHookDefinition = z
  .object({
    name: name(100),
    secret: text({ min: 16, max: 200 }).optional().openapi({
      description:
        'The secret with which the monitor signs, such as the client secret of Sentry or the `whsec_` secret of a webhook. Default: a new one.',
    }),
  })
  .openapi('FlagHookDefinition', { example: { name: 'Grafana' } });
export type FlagHookDefinition = z.infer<typeof flagHookDefinition>;

const EXAMPLE = {
  id: 'fhk_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
  name: 'Grafana',
  url: 'https://api.example.com/v1/flag-hooks/fhk_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
  createdAt: '2026-03-01T09:30:00.000Z',
};

export const flagHook = z
  .object({
    id,
    name: z.string(),
    url: z.string().openapi({ description: 'The address that a monitor calls with POST.' }),
    createdAt: timestamp,
  })
  .openapi('FlagHook', { example: EXAMPLE });
export type FlagHook = z.infer<typeof flagHook>;

/** A hook with its secret, which is returned only once. */
export const newFlagHook = flagHook
  .extend({
    secret: z.string().openapi({ description: 'Sent by the monitor as a bearer token, or used to sign.' }),
  })
  .openapi('NewFlagHook', { example: { ...EXAMPLE, secret: `sbhook_${'0'.repeat(43)}` } });
export type NewFlagHook = z.infer<typeof newFlagHook>;

const common = managementOf('flags');
const HOOKS_PATH = '/management/v1/projects/{projectId}/flags/{key}/hooks';
const params = z.object({ ...projectParams, key: flagKey });
const noFlag = { 404: { description: 'Project or flag not found.', message: 'Flag not found.' } };

export const listFlagHooks = operation({
  ...common,
  operationId: 'listFlagHooks',
  permission: 'flags.read',
  method: 'get',
  path: HOOKS_PATH,
  summary: 'List the hooks of a flag',
  request: { params },
  responses: { 200: jsonResponse('The hooks, oldest first.', z.object({ hooks: z.array(flagHook) })) },
  errors: noFlag,
});

export const createFlagHook = operation({
  ...common,
  operationId: 'createFlagHook',
  permission: 'flags.write',
  method: 'post',
  path: HOOKS_PATH,
  summary: 'Create a hook that switches a flag off',
  description: 'Only this response contains the secret. Deleting the flag deletes its hooks.',
  request: { params, body: jsonBody(flagHookDefinition, { name: 'Grafana' }) },
  responses: { 201: jsonResponse('The hook with its secret.', newFlagHook) },
  errors: {
    ...noFlag,
    409: {
      description: 'The flag or the project has the maximum number of hooks.',
      message: `The flag has ${MAX_FLAG_HOOKS.flag} hooks. Delete one first.`,
    },
  },
});

export const deleteFlagHook = operation({
  ...common,
  operationId: 'deleteFlagHook',
  permission: 'flags.write',
  method: 'delete',
  path: `${HOOKS_PATH}/{hookId}`,
  summary: 'Delete a hook of a flag',
  request: { params: params.extend({ hookId: flagHookId }) },
  responses: { 204: deleted },
});
