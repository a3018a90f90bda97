import { z } from '@hono/zod-openapi';
import { id, name, timestamp } from '../fields/fields.ts';
import { companyId } from '../fields/ids.ts';
import { managementOf } from '../management/common.ts';
import { deleted, jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { ROLES } from '../operation/permissions.ts';

/** The maximum number of SCIM tokens of a company. */
export const SCIM_TOKENS_MAX_COUNT = 5;
export const COMPANY_DOMAINS_MAX_COUNT = 50;
const MAX_GROUP_ROLES = 500;

/** The name of an e-mail domain. */
export const companyDomainName = z
  .string()
  .max(253)
  .regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/, 'not a domain name in lower case')
  .openapi({ param: { name: 'domain', in: 'path' }, example: 'acme.example' });

/**
 * Issuers that stand for more than one: a discovery document at its own address can name any issuer, and the shared
 * tenants of Entra ID let every tenant in.
 */
const SHARED_ISSUER =
  /\/\.well-known(?:\/|$)|^https:\/\/(?:login\.microsoftonline\.com|sts\.windows\.net)\/(?:common|organizations|consumers|9188040d-6c67-4c5b-b112-36a304b66dad)(?:\/|$)/i;

/** The issuer of an OpenID provider. */
export const providerIssuer = z
  .url()
  .max(500)
  .regex(/^https:\/\/|^http:\/\/127\.0\.0\.1[:/]/, 'not an https address')
  .refine((issuer) => !SHARED_ISSUER.test(issuer), {
    error: 'not the issuer of one organisation. Use the issuer in the discovery document of your own tenant.',
  });

const provider = z
  .object({
    name: name(50).openapi({ description: 'Shown on the sign-in page.' }),
    issuer: providerIssuer,
    clientId: name(200),
    scopes: z.array(name(100)).max(20).default(['openid', 'profile', 'email']),
    groupsClaim: name(100).default('groups').openapi({
      description: "The claim with the names of the person's groups.",
    }),
    enforced: z.boolean().default(false).openapi({
      description:
        "Whether people with an address of the company's domains must use the provider. Owners can still use their own factors.",
    }),
  })
  .openapi('SignInProvider');

const groupRoles = z
  .array(
    z.object({
      group: name(256).openapi({ description: 'The name of a group. Case is ignored.' }),
      role: z.enum(ROLES),
    }),
  )
  .max(MAX_GROUP_ROLES)
  .openapi({
    description: 'The roles of groups from the provider and from SCIM. A member gets the greatest one.',
  });

const domain = z
  .object({
    domain: z.string(),
    record: z
      .object({ name: z.string(), value: z.string() })
      .openapi({ description: 'The TXT record that proves the domain.' }),
    verifiedAt: timestamp.nullable(),
  })
  .openapi('CompanyDomain', {
    example: {
      domain: 'acme.example',
      record: { name: '_switchboard.acme.example', value: 'switchboard=3q2-7wKb1sX9' },
      verifiedAt: null,
    },
  });

const scimToken = z.object({ id, name: z.string(), createdAt: timestamp }).openapi('ScimToken');

const SIGN_IN_PATH = '/management/v1/companies/{companyId}/sign-in';
const DOMAIN_PATH = '/management/v1/companies/{companyId}/domains/{domain}';
const SCIM_TOKENS_PATH = '/management/v1/companies/{companyId}/scim-tokens';
const common = { ...managementOf('identity'), permission: 'signIn.write' } as const;
const params = z.object({ companyId });
const domainParams = z.object({ companyId, domain: companyDomainName });

const settings = z
  .object({
    provider: provider.nullable(),
    groupRoles,
    scimUrl: z.string().openapi({ description: 'The address that SCIM clients use.' }),
    callbackUrl: z.string().openapi({
      description: 'The redirect address to register at the provider.',
    }),
  })
  .openapi('SignInSettings');
export type SignInSettings = z.infer<typeof settings>;

export const signInSettingsInput = z
  .object({
    provider: provider
      .extend({
        clientSecret: name(1000)
          .optional()
          .openapi({ description: 'Required for a new provider. If absent, the secret stays.' }),
      })
      .nullable()
      .openapi('SignInProviderInput'),
    groupRoles: groupRoles.default([]),
  })
  .openapi('SignInSettingsInput');
export type SignInSettingsInput = z.infer<typeof signInSettingsInput>;

export const getSignInSettings = operation({
  ...common,
  operationId: 'getSignInSettings',
  method: 'get',
  path: SIGN_IN_PATH,
  summary: 'Get how the people of a company sign in',
  description: 'The secret of the provider is not returned.',
  request: { params },
  responses: { 200: jsonResponse('The settings.', settings) },
});

export const putSignInSettings = operation({
  ...common,
  operationId: 'putSignInSettings',
  method: 'put',
  path: SIGN_IN_PATH,
  summary: 'Set the OpenID provider of a company and the roles of its groups',
  description: 'Replaces both. Its people sign in with the provider by an address of a verified domain.',
  request: {
    params,
    body: jsonBody(signInSettingsInput, {
      provider: {
        name: 'Acme',
        issuer: 'https://login.acme.example',
        clientId: 'switchboard',
        clientSecret: 'kH3yN8',
        groupsClaim: 'groups',
        enforced: true,
      },
      groupRoles: [{ group: 'Support', role: 'support' }],
    }),
  },
  responses: { 200: jsonResponse('The settings.', settings) },
});

export const testSignInProvider = operation({
  ...common,
  operationId: 'testSignInProvider',
  method: 'post',
  path: '/management/v1/companies/{companyId}/sign-in/test',
  summary: 'Test the OpenID provider of a company',
  description: 'Reads the discovery document of the provider, and checks the client and its secret.',
  request: { params },
  responses: {
    200: jsonResponse(
      'The result.',
      z
        .object({
          problem: z.string().nullable().openapi({
            description: 'The reason for which people cannot sign in. null: the provider accepts the client.',
          }),
          authorizationEndpoint: z.string().nullable().openapi({
            description: 'The address where people sign in. null if unknown.',
          }),
        })
        .openapi('SignInProviderTest'),
      { problem: null, authorizationEndpoint: 'https://login.acme.example/authorize' },
    ),
  },
  errors: { 404: 'Provider not found: the company has none.' },
});

export const listCompanyDomains = operation({
  ...common,
  operationId: 'listCompanyDomains',
  method: 'get',
  path: '/management/v1/companies/{companyId}/domains',
  summary: 'List the e-mail domains of a company',
  request: { params },
  responses: {
    200: jsonResponse('The domains, by name.', z.object({ domains: z.array(domain) })),
  },
});

export const getCompanyDomain = operation({
  ...common,
  operationId: 'getCompanyDomain',
  method: 'get',
  path: DOMAIN_PATH,
  summary: 'Get an e-mail domain of a company',
  request: { params: domainParams },
  responses: { 200: jsonResponse('The domain.', domain) },
  errors: { 404: 'Domain not found.' },
});

export const putCompanyDomain = operation({
  ...common,
  operationId: 'putCompanyDomain',
  method: 'put',
  path: DOMAIN_PATH,
  summary: 'Add an e-mail domain of a company',
  description:
    'Create the TXT record of the response, then verify the domain. Repeating the call returns the same record.',
  request: { params: domainParams },
  responses: { 200: jsonResponse('The domain.', domain) },
  errors: { 409: `The company already has ${COMPANY_DOMAINS_MAX_COUNT} domains; remove one first.` },
});

export const verifyCompanyDomain = operation({
  ...common,
  operationId: 'verifyCompanyDomain',
  method: 'post',
  path: '/management/v1/companies/{companyId}/domains/{domain}/verify',
  summary: 'Verify an e-mail domain of a company',
  description: 'Reads the TXT record of the domain. An operator of the deployment needs no record.',
  request: { params: domainParams },
  responses: { 200: jsonResponse('The verified domain.', domain) },
  errors: {
    404: 'Domain not found.',
    409: {
      description: 'The record does not exist, or another company has verified the domain.',
      message:
        '_switchboard.acme.example has no TXT record with the value switchboard=3q2-7wKb1sX9. Create it and verify again.',
    },
  },
});

export const deleteCompanyDomain = operation({
  ...common,
  operationId: 'deleteCompanyDomain',
  method: 'delete',
  path: DOMAIN_PATH,
  summary: 'Remove an e-mail domain of a company',
  request: { params: domainParams },
  responses: { 204: deleted },
});

export const listScimTokens = operation({
  ...common,
  operationId: 'listScimTokens',
  method: 'get',
  path: SCIM_TOKENS_PATH,
  summary: 'List the SCIM tokens of a company',
  request: { params },
  responses: {
    200: jsonResponse(
      'The tokens, oldest first, without their values.',
      z.object({ scimTokens: z.array(scimToken) }),
    ),
  },
});

export const createScimToken = operation({
  ...common,
  operationId: 'createScimToken',
  method: 'post',
  path: SCIM_TOKENS_PATH,
  summary: 'Create a SCIM token of a company',
  description:
    'A provider manages the members of the company with it. Only this response contains the value.',
  request: { params, body: jsonBody(z.object({ name: name(100) }), { name: 'Entra ID' }) },
  responses: {
    201: jsonResponse(
      'The token with its value.',
      scimToken.extend({ token: z.string() }).openapi('NewScimToken'),
    ),
  },
  errors: { 409: `The company already has ${SCIM_TOKENS_MAX_COUNT} SCIM tokens; remove one first.` },
});

export const deleteScimToken = operation({
  ...common,
  operationId: 'deleteScimToken',
  method: 'delete',
  path: '/management/v1/companies/{companyId}/scim-tokens/{scimTokenId}',
  summary: 'Delete a SCIM token of a company',
  description: 'Takes effect at once.',
  request: {
    params: z.object({
      companyId,
      scimTokenId: id.openapi({ param: { name: 'scimTokenId', in: 'path' } }),
    }),
  },
  responses: { 204: deleted },
});
