import { z } from '@hono/zod-openapi';
import { timestamp } from '../fields/fields.ts';
import { managementOf, projectParams } from '../management/common.ts';
import { jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';

const clients = z.int().min(0);

/** The clients of a project that learn of changes of flags at once. */
export const flagClients = z
  .object({
    changedAt: timestamp.openapi({ description: 'The time of the last change of a flag or cohort.' }),
    connected: clients.openapi({ description: 'Open sockets and event streams, of pages and of servers.' }),
    notified: clients.openapi({ description: 'Those that were sent the last change.' }),
  })
  .openapi('FlagClients');
export type FlagClients = z.infer<typeof flagClients>;

export const getFlagClients = operation({
  ...managementOf('flags'),
  operationId: 'getFlagClients',
  permission: 'flags.read',
  method: 'get',
  path: '/management/v1/projects/{projectId}/flag-clients',
  summary: 'Count the clients that are connected to the flags of a project',
  description:
    'Counts over all instances of the service; those that do not answer within 300 ms are left out. Clients that poll, such as the SDKs of Unleash and PostHog, and pages of the console are not counted.',
  request: { params: z.object(projectParams) },
  responses: {
    200: jsonResponse('The clients, and how many of them were sent the last change.', flagClients, {
      changedAt: '2026-03-01T09:30:00.000Z',
      connected: 120,
      notified: 120,
    }),
  },
});
