import { z } from '@hono/zod-openapi';
import { id, timestamp } from '../fields/fields.ts';
import { companyId, erasureId } from '../fields/ids.ts';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { paging } from '../operation/paging.ts';
import { managementOf, projectParams } from './common.ts';

export const erasureState = z.enum(['running', 'done']);
export type ErasureState = z.infer<typeof erasureState>;

export const erasureKind = z.enum(['person', 'colleague', 'project', 'company']);
export type ErasureKind = z.infer<typeof erasureKind>;

const erasureExample = {
  id: 'ers_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
  kind: 'person' as const,
  projectId: 'acme-shop',
  companyId: 'acme',
  state: 'running' as const,
  createdAt: '2026-03-01T09:30:00.000Z',
  services: [
    { region: 'eu', service: 'archive', doneAt: null },
    { region: 'eu', service: 'flags', doneAt: '2026-03-01T09:30:04.000Z' },
  ],
};
const erasureOfPersonExample = { ...erasureExample, distinctIds: ['user-1', 'anonymous-7', 'visitor-1'] };

/** The progress of an erasure. It does not identify the person. */
export const erasure = z
  .object({
    id,
    kind: erasureKind,
    projectId: id.nullable().openapi({ description: 'Null for a colleague or a company.' }),
    companyId: id.nullable().openapi({
      description: 'The company of the project, or the deleted company. Null for a colleague.',
    }),
    state: erasureState,
    createdAt: timestamp,
    services: z.array(
      z.object({
        region: z.string(),
        service: z.string(),
        doneAt: timestamp.nullable().openapi({ description: 'Null until the erasure is done.' }),
      }),
    ),
  })
  .openapi('Erasure', { example: erasureExample });
export type Erasure = z.infer<typeof erasure>;

/** The erasure of a person, as its request answers it once. */
export const erasureOfPerson = erasure
  .extend({
    distinctIds: z.array(id).openapi({ description: 'All distinct ids of the person, which are erased.' }),
  })
  .openapi('ErasureOfPerson');
export type ErasureOfPerson = z.infer<typeof erasureOfPerson>;

/** The progress of one erasure, and whom it erases while it runs. */
export const erasureDetails = erasure
  .extend({
    distinctIds: z.array(id).nullable().openapi({
      description:
        'The distinct ids of the person, with those that were joined after the request. Null once the erasure is done, and for the other kinds.',
    }),
  })
  .openapi('ErasureDetails');
export type ErasureDetails = z.infer<typeof erasureDetails>;

export const personErasure = z
  .object({
    distinctIds: z.array(id).min(1).max(100),
    userId: id.optional().openapi({ description: 'The user id that your page gave the messenger.' }),
  })
  .openapi('PersonErasure');
export type PersonErasure = z.infer<typeof personErasure>;

export const colleagueErasure = z.object({ sub: id }).openapi('ColleagueErasure');
export type ColleagueErasure = z.infer<typeof colleagueErasure>;

const common = managementOf('catalogue');
const page = paging(200);
const ACCEPTED = 'Accepted. Read the erasure until its state is done.';

export const erasePerson = operation({
  ...common,
  operationId: 'erasePerson',
  permission: 'people.erase',
  method: 'post',
  path: '/management/v1/projects/{projectId}/erasures',
  summary: 'Erase a person from a project',
  description:
    'Erases all distinct ids of the person, and returns those that are known here: in another region only those that you list. Flags adds the others, up to 1,000 ids in all, and the erasure shows them until it is done. Every service erases the ids that it knows once it has read all records that the event log held at the request, and is done after flags. Stop sending their data first.',
  request: {
    params: z.object(projectParams),
    body: jsonBody(personErasure, { distinctIds: ['visitor-1', 'anonymous-7'], userId: 'user-1' }),
  },
  responses: { 202: jsonResponse(ACCEPTED, erasureOfPerson, erasureOfPersonExample) },
  errors: { 404: 'Project not found.' },
});

export const eraseColleague = operation({
  ...common,
  operationId: 'eraseColleague',
  permission: 'colleagues.erase',
  method: 'post',
  path: '/management/v1/erasures',
  summary: 'Erase a colleague from every company and project',
  description: 'Ends the memberships immediately. sub is the subject of the access tokens of the colleague.',
  request: { body: jsonBody(colleagueErasure, { sub: 'sub-ada' }) },
  responses: { 202: jsonResponse(ACCEPTED, erasure) },
});

export const listErasures = operation({
  ...common,
  operationId: 'listErasures',
  permission: 'erasures.read',
  method: 'get',
  path: '/management/v1/erasures',
  summary: 'List erasures',
  description: `Newest first. Deleting a project or company starts its erasure. ${page.description}`,
  request: {
    query: z.object({
      state: erasureState.optional(),
      kind: erasureKind.optional(),
      projectId: id.optional(),
      companyId: id.optional(),
      ...page.query,
    }),
  },
  responses: {
    200: jsonResponse('A page of erasures.', z.object({ erasures: z.array(erasure), ...page.answer })),
  },
});

export const listCompanyErasures = operation({
  ...common,
  operationId: 'listCompanyErasures',
  permission: 'people.erase',
  method: 'get',
  path: '/management/v1/companies/{companyId}/erasures',
  summary: 'List the erasures of a company and its projects',
  description: `Newest first, with those of deleted projects. ${page.description}`,
  request: {
    params: z.object({ companyId }),
    query: z.object({
      state: erasureState.optional(),
      kind: erasureKind.optional(),
      projectId: id.optional(),
      ...page.query,
    }),
  },
  responses: {
    200: jsonResponse('A page of erasures.', z.object({ erasures: z.array(erasure), ...page.answer })),
  },
});

export const getErasure = operation({
  ...common,
  operationId: 'getErasure',
  permission: 'erasures.read',
  method: 'get',
  path: '/management/v1/erasures/{erasureId}',
  summary: 'Get the state of an erasure',
  request: { params: z.object({ erasureId }) },
  responses: { 200: jsonResponse('The erasure.', erasureDetails, erasureOfPersonExample) },
  errors: { 404: 'Erasure not found.' },
});
