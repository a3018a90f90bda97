import { z } from '@hono/zod-openapi';
import { id, timestamp } from './fields/fields.ts';
import { managementOf, projectParams } from './management/common.ts';
import { deleted, jsonBody, jsonResponse } from './operation/bodies.ts';
import { operation } from './operation/operation.ts';
import { paging } from './operation/paging.ts';

const eventsPerSecond = z.int().min(0).max(1_000_000).openapi({
  description:
    'Events, identify and group calls, and replay chunks that ingestion accepts from the project, per second and region. 0: ingestion responds as if it accepted them, and drops them.',
});

export const throttleDefinition = z.object({ eventsPerSecond }).openapi('ThrottleDefinition');
export type ThrottleDefinition = z.infer<typeof throttleDefinition>;

export const throttle = z
  .object({ projectId: id, eventsPerSecond, createdAt: timestamp })
  .openapi('Throttle', {
    example: { projectId: 'acme-shop', eventsPerSecond: 100, createdAt: '2026-03-01T03:00:00.000Z' },
  });
export type Throttle = z.infer<typeof throttle>;

const common = { ...managementOf('catalogue'), permission: 'projects.throttle' } as const;
const page = paging(200);
const PATH = '/management/v1/throttles/{projectId}';

export const listThrottles = operation({
  ...common,
  operationId: 'listThrottles',
  method: 'get',
  path: '/management/v1/throttles',
  summary: 'List the projects that are throttled',
  description: page.description,
  request: { query: z.object(page.query) },
  responses: {
    200: jsonResponse('A page of throttles.', z.object({ throttles: z.array(throttle), ...page.answer })),
  },
});

export const getThrottle = operation({
  ...common,
  operationId: 'getThrottle',
  method: 'get',
  path: PATH,
  summary: 'Get the throttle of a project',
  request: { params: z.object(projectParams) },
  responses: { 200: jsonResponse('The throttle.', throttle) },
  errors: { 404: 'The project is not throttled.' },
});

export const putThrottle = operation({
  ...common,
  operationId: 'putThrottle',
  method: 'put',
  path: PATH,
  summary: 'Throttle a project, or drop its events',
  description:
    'Takes effect in every region within seconds, until it is deleted. Above the rate, ingestion answers 429 with Retry-After.',
  request: {
    params: z.object(projectParams),
    body: jsonBody(throttleDefinition, { eventsPerSecond: 100 }),
  },
  responses: { 200: jsonResponse('The throttle.', throttle) },
  errors: { 404: 'Project not found.' },
});

export const deleteThrottle = operation({
  ...common,
  operationId: 'deleteThrottle',
  method: 'delete',
  path: PATH,
  summary: 'Stop throttling a project',
  request: { params: z.object(projectParams) },
  responses: { 204: deleted },
});
