import { z } from '@hono/zod-openapi';
import { id, text, timestamp } from '../fields/fields.ts';
import { projectId } from '../fields/ids.ts';
import { jsonResponse, notModified } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { paging } from '../operation/paging.ts';
import { listedPerson, listedPersonExample } from './people.ts';

const common = {
  service: 'analytics',
  host: 'api',
  credential: 'access-token',
  errorShape: 'B',
  tag: 'People',
  permission: 'people.read',
  method: 'get',
} as const;

const PATH = '/v1/projects/{projectId}/groups';
const page = paging(100);

const group = z.object({
  type: id,
  id,
  traits: z.record(z.string(), z.unknown()),
  members: z.int().openapi({
    description:
      'The number of people of whom this is the group of its type. Follows calls within a few seconds.',
  }),
  firstSeenAt: timestamp
    .nullable()
    .openapi({ description: 'The minute of the earliest group call that names the group.' }),
  lastSeenAt: timestamp.nullable().openapi({ description: 'The minute of the latest one.' }),
});

/** A group in a list. */
export const listedGroup = group.openapi('ListedGroup');
export type ListedGroup = z.infer<typeof listedGroup>;

const example: ListedGroup = {
  type: 'company',
  id: 'acme',
  traits: { name: 'Acme', seats: 12 },
  members: 1,
  firstSeenAt: '2026-01-12T08:15:00.000Z',
  lastSeenAt: '2026-03-03T09:29:00.000Z',
};
const headers = z.object({ ETag: z.string() });

export const listGroups = operation({
  ...common,
  operationId: 'listGroups',
  path: PATH,
  summary: 'List the groups of a project',
  description: `Returns every group that a group call named, sorted. A group that everyone has left is listed until it expires. ${page.description}`,
  request: {
    params: z.object({ projectId }),
    query: z.object({
      type: id.optional().openapi({ description: 'Only groups of this type.', example: 'company' }),
      search: text({ min: 1, max: 200 }).optional().openapi({
        description: 'The beginning of an id, or of the trait name in any case.',
        example: 'ac',
      }),
      sort: z.enum(['last_seen', 'members']).default('last_seen').openapi({
        description: 'Sorts by lastSeenAt, latest first, or members, most first.',
        example: 'members',
      }),
      ...page.query,
    }),
  },
  responses: {
    200: {
      ...jsonResponse('A page of groups.', z.object({ groups: z.array(listedGroup), ...page.answer }), {
        groups: [example],
        nextCursor: null,
      }),
      headers,
    },
    304: notModified,
  },
});

export const getGroup = operation({
  ...common,
  operationId: 'getGroup',
  path: `${PATH}/{type}/{id}`,
  summary: 'Get a group with its members',
  description: `The members are sorted by the id that names the person. An unknown group has none. ${page.description}`,
  request: {
    params: z.object({
      projectId,
      type: id.openapi({ example: 'company' }),
      id: id.openapi({ example: 'acme' }),
    }),
    query: z.object(page.query),
  },
  responses: {
    200: {
      ...jsonResponse(
        'The group, and a page of its members.',
        group
          .extend({
            people: z.array(listedPerson).openapi({ description: 'A page of the members.' }),
            ...page.answer,
          })
          .openapi('Group'),
        { ...example, people: [listedPersonExample], nextCursor: null },
      ),
      headers,
    },
    304: notModified,
  },
});
