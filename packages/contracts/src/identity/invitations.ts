import { z } from '@hono/zod-openapi';
import { emailAddress, id } from '../fields/fields.ts';
import { companyId } from '../fields/ids.ts';
import { managementOf } from '../management/common.ts';
import { deleted, jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { ROLES } from '../operation/permissions.ts';

const invitation = z.object({ id, email: z.string(), role: z.enum(ROLES) }).openapi('Invitation', {
  example: { id: '9f86d081884c7d65', email: 'grace@acme.example', role: 'editor' },
});
export type Invitation = z.infer<typeof invitation>;

const common = { ...managementOf('identity'), permission: 'members.write' } as const;
const params = z.object({ companyId });
const PATH = '/management/v1/companies/{companyId}/invitations';

export const createInvitation = operation({
  ...common,
  operationId: 'createInvitation',
  method: 'post',
  path: PATH,
  summary: 'Invite a person to a company by e-mail',
  description:
    'The person becomes a member when they accept, within seven days. The roles admin and owner need admins.write. The mail is in the language of Accept-Language.',
  request: {
    params,
    body: jsonBody(z.object({ email: emailAddress.toLowerCase(), role: z.enum(ROLES) }), {
      email: 'grace@acme.example',
      role: 'editor',
    }),
  },
  responses: { 201: jsonResponse('The invitation.', invitation) },
  errors: { 429: 'Too many invitations. Retry after the time in Retry-After.' },
});

export const listInvitations = operation({
  ...common,
  operationId: 'listInvitations',
  method: 'get',
  path: PATH,
  summary: 'List the open invitations to a company',
  description: 'Returns at most 100, those that expire first at the start.',
  request: { params },
  responses: {
    200: jsonResponse('The invitations.', z.object({ invitations: z.array(invitation) })),
  },
});

export const deleteInvitation = operation({
  ...common,
  operationId: 'deleteInvitation',
  method: 'delete',
  path: '/management/v1/companies/{companyId}/invitations/{invitationId}',
  summary: 'Withdraw an invitation to a company',
  description: 'Invitations of admins and owners need admins.write.',
  request: {
    params: z.object({
      companyId,
      invitationId: id.openapi({ param: { name: 'invitationId', in: 'path' } }),
    }),
  },
  responses: { 204: deleted },
});
