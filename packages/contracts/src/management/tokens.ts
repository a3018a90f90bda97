import { z } from '@hono/zod-openapi';
import { id, name, timestamp } from '../fields/fields.ts';
import { companyId, sub, tokenId } from '../fields/ids.ts';
import { deleted, jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { paging } from '../operation/paging.ts';
import { rolePermissions } from '../operation/permissions.ts';
import { managementOf } from './common.ts';

export const API_TOKEN_KINDS = ['personal', 'service'] as const;
export type ApiTokenKind = (typeof API_TOKEN_KINDS)[number];

/** The value of a personal access token or a service token. The last six characters are a checksum. */
export const API_TOKEN_PATTERN = /^sb(?:pat|svc)_[0-9a-f]{32}[0-9A-Za-z]{38}$/;

/** The maximum lifetime of a token that the setting TOKEN_MAX_DAYS can allow, in days. */
export const MAX_TOKEN_DAYS = 3_650;

const tokenPermission = z.enum(rolePermissions, { error: 'not a permission that a role has' });
const expiresInDays = z.int().min(1).max(MAX_TOKEN_DAYS).default(90).openapi({
  description: 'Days until the token expires. The deployment sets the maximum, by default 365.',
});

export const apiTokenDefinition = z
  .object({
    name: name(100),
    kind: z.enum(API_TOKEN_KINDS).openapi({
      description:
        'personal: acts as its creator, with no more permissions than their role has at that moment. service: belongs to the company, and needs tokens.write.',
    }),
    permissions: z.array(tokenPermission).min(1).max(rolePermissions.length).openapi({
      description: 'The permissions of the token, limited to those of its creator.',
    }),
    projectIds: z.array(id).min(1).max(100).nullable().default(null).openapi({
      description: 'The only projects that the token works in. null: the company and all of its projects.',
    }),
    expiresInDays,
  })
  .openapi('ApiTokenDefinition');
export type ApiTokenDefinition = z.infer<typeof apiTokenDefinition>;

const EXAMPLE = {
  id: 'tok_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
  kind: 'service',
  name: 'deploy pipeline',
  sub: null,
  createdBy: 'sub-ada',
  permissions: ['flags.read', 'flags.write'],
  projectIds: ['web-shop'],
  createdAt: '2026-03-01T09:30:00.000Z',
  expiresAt: '2026-05-30T09:30:00.000Z',
  rotatedAt: null,
  lastUsedAt: null,
};

export const apiToken = z
  .object({
    id,
    kind: z.enum(API_TOKEN_KINDS),
    name: z.string(),
    sub: sub
      .nullable()
      .openapi({ description: 'The person that a personal token acts as. null for a service token.' }),
    createdBy: sub.nullable().openapi({ description: 'null if unknown or erased.' }),
    permissions: z.array(z.string()),
    projectIds: z.array(id).nullable(),
    createdAt: timestamp,
    expiresAt: timestamp,
    rotatedAt: timestamp.nullable(),
    lastUsedAt: timestamp.nullable().openapi({ description: 'Accurate to two minutes. null if never used.' }),
  })
  .openapi('ApiToken', {
    example: EXAMPLE,
  });
export type ApiToken = z.infer<typeof apiToken>;

/** A token with its value, which is returned only once. */
export const newApiToken = apiToken
  .extend({ token: z.string().regex(API_TOKEN_PATTERN) })
  .openapi('NewApiToken', {
    example: {
      ...EXAMPLE,
      token: `sbsvc_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f${'0'.repeat(38)}`,
    },
  });
export type NewApiToken = z.infer<typeof newApiToken>;

export const apiTokenRotation = z
  .object({
    expiresInDays,
    overlapSeconds: z.int().min(0).max(604_800).default(3_600).openapi({
      description: 'Seconds that the old value stays valid. 0 ends it immediately.',
    }),
  })
  .openapi('ApiTokenRotation');
export type ApiTokenRotation = z.infer<typeof apiTokenRotation>;

const page = paging(200);
const common = { ...managementOf('catalogue'), permission: 'tokens.own' } as const;
const TOKENS_PATH = '/management/v1/companies/{companyId}/tokens';
const TOKEN_PATH = '/management/v1/companies/{companyId}/tokens/{tokenId}';
const tokenParams = z.object({ companyId, tokenId });

export const createApiToken = operation({
  ...common,
  operationId: 'createApiToken',
  method: 'post',
  path: TOKENS_PATH,
  summary: 'Create a personal access token or a service token',
  description: 'Only this response contains the value. A token created with a token expires with it.',
  request: {
    params: z.object({ companyId }),
    body: jsonBody(apiTokenDefinition, {
      name: 'deploy pipeline',
      kind: 'service',
      permissions: ['flags.read', 'flags.write'],
      projectIds: ['web-shop'],
    }),
  },
  responses: { 201: jsonResponse('The token with its value.', newApiToken) },
  errors: {
    404: 'Company not found.',
    409: {
      description: 'The company, or the person in it, has the maximum number of tokens.',
      message: 'The company has 200 service tokens. Revoke one first.',
    },
  },
});

export const listApiTokens = operation({
  ...common,
  operationId: 'listApiTokens',
  method: 'get',
  path: TOKENS_PATH,
  summary: 'List tokens, newest first',
  description: `Returns your personal tokens; with tokens.write, all tokens of the company. ${page.description}`,
  request: {
    params: z.object({ companyId }),
    query: z.object(page.query),
  },
  responses: {
    200: jsonResponse(
      'A page of tokens, without their values.',
      z.object({ tokens: z.array(apiToken), ...page.answer }),
    ),
  },
  errors: { 404: 'Company not found.' },
});

export const rotateApiToken = operation({
  ...common,
  operationId: 'rotateApiToken',
  method: 'post',
  path: '/management/v1/companies/{companyId}/tokens/{tokenId}/rotate',
  summary: 'Rotate a token',
  description: 'Replaces the value of one of your personal tokens, or with tokens.write of a service token.',
  request: { params: tokenParams, body: jsonBody(apiTokenRotation, { overlapSeconds: 3_600 }) },
  responses: { 200: jsonResponse('The token with its new value.', newApiToken) },
  errors: { 404: 'Token not found.' },
});

export const revokeApiToken = operation({
  ...common,
  operationId: 'revokeApiToken',
  method: 'delete',
  path: TOKEN_PATH,
  summary: 'Revoke a token',
  description:
    'Revokes one of your personal tokens, or with tokens.write any token of the company. Takes effect within a second.',
  request: { params: tokenParams },
  responses: { 204: deleted },
  errors: {
    404: {
      description: 'Token not found, for callers without tokens.write.',
      message: 'Token not found.',
    },
  },
});
