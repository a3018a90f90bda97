import { z } from '@hono/zod-openapi';
import { id, timestamp } from '../fields/fields.ts';
import { managementOf, projectParams } from '../management/common.ts';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { joinedBy, PERSON_IDS_MAX_COUNT } from './topic.ts';

/** The distinct ids of a person. */
export const joinedPerson = z
  .object({
    personId: id.openapi({ description: 'The distinct id that names the person.' }),
    ids: z
      .array(
        z.object({
          distinctId: id,
          joinedAt: timestamp.nullable().openapi({ description: 'null for the id that names the person.' }),
          by: joinedBy.nullable(),
        }),
      )
      .openapi({ description: 'The id that names the person, then the others.' }),
    idsBeyondBound: z.int().openapi({
      description: `Ids that identify calls named and that are not joined, because a person has at most ${PERSON_IDS_MAX_COUNT.toLocaleString('en')}. Counted up to 10,001, which means more than 10,000.`,
    }),
  })
  .openapi('JoinedPerson');
export type JoinedPerson = z.infer<typeof joinedPerson>;

const example: JoinedPerson = {
  personId: 'grace',
  ids: [
    { distinctId: 'grace', joinedAt: null, by: null },
    {
      distinctId: 'grace@example.com',
      joinedAt: '2026-03-01T09:30:00.000Z',
      by: { kind: 'colleague', sub: 'sub-ada' },
    },
  ],
  idsBeyondBound: 0,
};

const ofFlags = managementOf('flags');
const common = { ...ofFlags, permission: 'people.write' } as const;
const params = { ...projectParams, distinctId: id };

export const listJoins = operation({
  ...ofFlags,
  operationId: 'listJoins',
  permission: 'people.read',
  method: 'get',
  path: '/management/v1/projects/{projectId}/people/{distinctId}/joins',
  summary: 'List the distinct ids of a person',
  request: { params: z.object(params) },
  responses: { 200: jsonResponse('The person.', joinedPerson, example) },
  errors: { 404: 'Project not found.' },
});

export const joinPeople = operation({
  ...common,
  operationId: 'joinPeople',
  method: 'post',
  path: '/management/v1/projects/{projectId}/people/{distinctId}/joins',
  summary: 'Join the person of another distinct id to a person',
  description: 'Deleting the join undoes it exactly. Does nothing if both ids are of one person.',
  request: {
    params: z.object(params),
    body: jsonBody(z.object({ distinctId: id }), { distinctId: 'grace@example.com' }),
  },
  responses: { 200: jsonResponse('The person.', joinedPerson, example) },
  errors: {
    404: 'Project not found.',
    409: {
      description: 'The person would have too many distinct ids.',
      message:
        'The persons have 900 and 101 ids. A person has at most 1,000. Part ids that are not of this person first.',
    },
  },
});

export const partPeople = operation({
  ...common,
  operationId: 'partPeople',
  method: 'delete',
  path: '/management/v1/projects/{projectId}/people/{distinctId}/joins/{joinedId}',
  summary: 'Part a distinct id from a person',
  description:
    "Undoes the colleague's join that named the id, or keeps the id apart although an identify call joins it. Ids that are joined to it stay with it.",
  request: { params: z.object({ ...params, joinedId: id }) },
  responses: { 200: jsonResponse('The person without the id.', joinedPerson, example) },
  errors: {
    404: 'Project not found.',
    409: {
      description: 'The id names the person.',
      message: 'grace names this person. Part the other ids instead.',
    },
  },
});
