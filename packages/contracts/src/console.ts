import { z } from '@hono/zod-openapi';
import { id, nonBlankText } from './fields/fields.ts';
import { project } from './management/directory.ts';
import { jsonResponse } from './operation/bodies.ts';
import { operation } from './operation/operation.ts';
import { paging } from './operation/paging.ts';
import { ROLES, rolePermissions } from './operation/permissions.ts';

const common = {
  service: 'catalogue',
  host: 'api',
  credential: 'console',
  errorShape: 'B',
  tag: 'Console',
} as const;
const page = paging(200);

/** A company of the caller, and what they may do in it. */
export const ownCompany = z
  .object({
    id,
    name: nonBlankText(200),
    role: z.enum(ROLES),
    permissions: z.array(z.enum(rolePermissions)),
  })
  .openapi('OwnCompany');
export type OwnCompany = z.infer<typeof ownCompany>;

export const getMe = operation({
  ...common,
  operationId: 'getMe',
  method: 'get',
  path: '/v1/me',
  summary: 'Get the caller and their permissions',
  description: `Returns the person of the access token, and their companies with their role and permissions in each. ${page.description}`,
  request: { query: z.object(page.query) },
  responses: {
    200: jsonResponse(
      'The person and a page of their companies.',
      z.object({
        sub: id,
        name: z.string().nullable().openapi({ description: 'As in the access token.' }),
        companies: z.array(ownCompany),
        ...page.answer,
      }),
      {
        sub: 'sub-ada',
        name: 'Ada Lovelace',
        companies: [
          { id: 'acme', name: 'Acme', role: 'viewer', permissions: ['directory.read', 'flags.read'] },
        ],
        nextCursor: null,
      },
    ),
  },
});

export const listOwnProjects = operation({
  ...common,
  operationId: 'listOwnProjects',
  method: 'get',
  path: '/v1/projects',
  summary: 'List the projects of all companies of the caller',
  description: page.description,
  request: { query: z.object(page.query) },
  responses: {
    200: jsonResponse('A page of projects.', z.object({ projects: z.array(project), ...page.answer }), {
      projects: [{ id: 'acme-shop', companyId: 'acme', name: 'Shop', region: 'eu', defaultLanguage: 'en' }],
      nextCursor: null,
    }),
  },
});
