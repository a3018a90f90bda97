import { z } from '@hono/zod-openapi';
import { insightQuery } from '../analytics/query.ts';
import { base64url, emailAddress, httpsUrl, id, languageTag, name, text } from '../fields/fields.ts';
import { companyId, reportId, sub } from '../fields/ids.ts';
import { deleted, jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { DEFAULT_ROLE, ROLES } from '../operation/permissions.ts';
import { WIRES } from '../wires/names.ts';
import { entitlements } from './catalogue.ts';
import { managementOf, projectParams } from './common.ts';

export const companyDefinition = z
  .object({
    name: name(200),
    plan: z.object({ tier: id, cycle: id }),
    entitlements: entitlements
      .optional()
      .openapi({ description: 'Entitlements that override those of the plan, one by one.' }),
  })
  .openapi('CompanyDefinition');
export type CompanyDefinition = z.infer<typeof companyDefinition>;

export const company = companyDefinition.extend({ id }).openapi('Company');
export type Company = z.infer<typeof company>;

/** A push subscription in the JSON form of the W3C Push API. Keys are base64url. */
export const pushSubscription = z
  .object({
    endpoint: httpsUrl,
    expirationTime: z.number().nullable().optional(),
    keys: z
      .object({ p256dh: base64url(65), auth: base64url(16) })
      .optional()
      .openapi({
        description: 'Never returned. If absent, the stored keys of this endpoint stay.',
      }),
  })
  .openapi('PushSubscription');
export type PushSubscription = z.infer<typeof pushSubscription>;

export const memberDefinition = z
  .object({
    name: name(200),
    email: emailAddress,
    role: z.enum(ROLES).default(DEFAULT_ROLE).openapi({
      description: 'The permissions of the member in the company. Each role includes those before it.',
    }),
    avatarUrl: httpsUrl.nullable().optional(),
    pushSubscriptions: z.array(pushSubscription).max(20).optional().openapi({
      description: 'If absent, the subscriptions stay unchanged.',
    }),
  })
  .openapi('MemberDefinition');
export type MemberDefinition = z.input<typeof memberDefinition>;
/** A member to store. */
export type MemberContent = z.output<typeof memberDefinition> & { sub: string };

const FOR_ADMINS = 'Only for callers with members.read and for the member';
export const member = memberDefinition
  .extend({
    sub: id,
    email: z
      .string()
      .nullable()
      .openapi({ description: `${FOR_ADMINS}; null for others.` }),
    avatarUrl: httpsUrl.nullable(),
    pushSubscriptions: z
      .array(z.object({ endpoint: httpsUrl }))
      .openapi({ description: `${FOR_ADMINS}; empty for others.` }),
  })
  .openapi('Member');
export type Member = z.infer<typeof member>;

/** A service token of a member who leaves or gets fewer permissions. */
export const leftServiceToken = z
  .object({
    id,
    name: z.string(),
    permissions: z.array(z.string()),
    revoked: z.boolean(),
  })
  .openapi('LeftServiceToken', {
    example: {
      id: 'tok_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
      name: 'provisioning',
      permissions: ['members.write'],
      revoked: true,
    },
  });
export type LeftServiceToken = z.infer<typeof leftServiceToken>;

const serviceTokens = z.array(leftServiceToken).openapi({
  description:
    'Service tokens that the member created or rotated, and tokens created with these. Tokens are revoked if they may write members, tokens, keys, secrets or the company and the member no longer may, unless keepServiceTokens is true.',
});
const leaving = z.object({
  keepServiceTokens: z
    .stringbool({ truthy: ['true'], falsy: ['false'] })
    .default(false)
    .openapi({
      type: 'boolean',
      description: 'Set to true to keep all service tokens.',
      example: false,
    }),
});

export const region = z
  .string()
  .regex(/^[a-z][a-z0-9]{0,15}$/, 'not a region; use a letter a-z followed by up to 15 of a-z and 0-9')
  .openapi({ example: 'eu' });

/** An origin as browsers send it: scheme, host and a port that is not the scheme's own. */
const webOrigin = z
  .string()
  .max(300)
  .refine(isWebOrigin, 'not an origin; use one such as https://www.example.com')
  .openapi({ example: 'https://www.example.com' });

function isWebOrigin(value: string): boolean {
  return /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value;
}

/** The maximum of `flagApprovals` of a project. */
export const MAX_FLAG_APPROVALS = 10;

export const projectDefinition = z
  .object({
    companyId: id,
    name: name(200),
    region,
    defaultLanguage: languageTag,
    allowedOrigins: z.array(webOrigin).min(1).max(20).optional().openapi({
      description:
        'The origins of pages that may use the keys of the project. Absent: any origin. Requests without Origin do not come from pages and are accepted.',
    }),
    wires: z.array(z.enum(WIRES)).min(1).max(WIRES.length).optional().openapi({
      description:
        'The APIs of other products that the keys of the project work with, so that their SDKs can send here. Absent: none.',
    }),
    flagApprovals: z.int().min(0).max(MAX_FLAG_APPROVALS).optional().openapi({
      description:
        'How many other people must approve a change of a flag. Absent or 0: changes need no approval.',
    }),
  })
  .openapi('ProjectDefinition');
export type ProjectDefinition = z.infer<typeof projectDefinition>;

export const project = projectDefinition.extend({ id }).openapi('Project');
export type Project = z.infer<typeof project>;

/** The format of project keys. The region is between the underscores. */
export const PROJECT_KEY_PATTERN = /^pk_[a-z][a-z0-9]{0,15}_[0-9A-Za-z]{32}$/;

export const projectKey = z
  .string()
  .regex(PROJECT_KEY_PATTERN, 'not a project key; the format is pk_<region>_<32 of 0-9, A-Z, a-z>')
  .openapi({ example: 'pk_eu_0123456789ABCDEFGHIJKLMNOPQRSTUV' });

/** The interval at which a saved report runs automatically. */
export const reportRefresh = z.enum(['15m', 'hourly', 'daily']);
export type ReportRefresh = z.infer<typeof reportRefresh>;

export const reportDefinition = z
  .object({
    name: name(200),
    description: text({ max: 1000 }).nullable().default(null),
    publicAnnotations: z.boolean().default(false).openapi({
      description: 'Whether the page of its public link shows annotations to anyone with the address.',
    }),
    query: insightQuery.nullable().default(null).openapi({
      description: 'The query of the report. null: runs are recorded through the API.',
    }),
    refresh: reportRefresh.nullable().default(null).openapi({
      description: 'How often the report runs. null: only on request. Requires a query.',
    }),
  })
  .openapi('ReportDefinition');
export type ReportDefinition = z.infer<typeof reportDefinition>;

export const report = reportDefinition.extend({ id, projectId: id }).openapi('Report');
export type Report = z.infer<typeof report>;

const common = managementOf('catalogue');
const TOO_MANY_WRITES = 'Too many changes of this company. Retry after the time in Retry-After.';
const COMPANY_PATH = '/management/v1/companies/{companyId}';
const MEMBER_PATH = '/management/v1/companies/{companyId}/members/{sub}';
const PROJECT_PATH = '/management/v1/projects/{projectId}';
const KEYS_PATH = '/management/v1/projects/{projectId}/keys';
const REPORT_PATH = '/management/v1/projects/{projectId}/reports/{reportId}';
const companyParams = z.object({ companyId });
const memberParams = z.object({ companyId, sub });
const reportParams = z.object({ ...projectParams, reportId });

export const getCompany = operation({
  ...common,
  operationId: 'getCompany',
  permission: 'directory.read',
  method: 'get',
  path: COMPANY_PATH,
  summary: 'Get a company',
  request: { params: companyParams },
  responses: { 200: jsonResponse('The company.', company) },
  errors: { 404: 'Company not found.' },
});

export const putCompany = operation({
  ...common,
  operationId: 'putCompany',
  permission: 'company.write',
  method: 'put',
  path: COMPANY_PATH,
  summary: 'Create or replace a company',
  request: {
    params: companyParams,
    body: jsonBody(companyDefinition, { name: 'Acme', plan: { tier: 'pro', cycle: 'monthly' } }),
  },
  responses: { 200: jsonResponse('The stored company.', company) },
  errors: {
    409: {
      description: 'The company is being deleted, or the id belonged to a company that was deleted.',
      message: 'companyId: acme belonged to a company that was deleted; choose another',
    },
    429: TOO_MANY_WRITES,
  },
});

export const deleteCompany = operation({
  ...common,
  operationId: 'deleteCompany',
  permission: 'company.write',
  method: 'delete',
  path: COMPANY_PATH,
  summary: 'Delete a company with its members and projects',
  description:
    'Every service then erases the data of the company and its projects; list erasures to follow the progress. The ids are never used again. 503 after 8 s: the deletion is still running; repeat the request to wait for it.',
  request: { params: companyParams },
  responses: { 204: deleted },
  errors: { 429: TOO_MANY_WRITES },
});

export const getMember = operation({
  ...common,
  operationId: 'getMember',
  permission: 'directory.read',
  method: 'get',
  path: MEMBER_PATH,
  summary: 'Get a member of a company',
  request: { params: memberParams },
  responses: { 200: jsonResponse('The member.', member) },
  errors: { 404: { description: 'Company or member not found.', message: 'Member not found.' } },
});

export const putMember = operation({
  ...common,
  operationId: 'putMember',
  permission: 'members.write',
  method: 'put',
  path: MEMBER_PATH,
  summary: 'Create or replace a member of a company',
  description:
    'sub is the subject of the access tokens of the person. A lower role than before revokes service tokens as a deletion does, and serviceTokens lists them; otherwise it is empty.',
  request: {
    params: memberParams,
    query: leaving,
    body: jsonBody(memberDefinition, { name: 'Ada Lovelace', email: 'ada@example.com' }),
  },
  responses: { 200: jsonResponse('The stored member.', member.extend({ serviceTokens })) },
  errors: {
    404: 'Company not found.',
    409: {
      description: 'The company has the maximum number of members, or would be left without an owner.',
      message: 'The company has 20 members, and the entitlement seats allows 20. Delete one or raise it.',
    },
    429: TOO_MANY_WRITES,
  },
});

export const deleteMember = operation({
  ...common,
  operationId: 'deleteMember',
  permission: 'members.write',
  method: 'delete',
  path: MEMBER_PATH,
  summary: 'Delete a member of a company',
  request: { params: memberParams, query: leaving },
  responses: {
    200: jsonResponse(
      'Deleted. The member had created or rotated service tokens.',
      z.object({ serviceTokens }),
    ),
    204: deleted,
  },
  errors: {
    409: {
      description: 'The company would be left without an owner.',
      message: 'sub-ada is the only owner of the company. Give another member the role owner first.',
    },
    429: TOO_MANY_WRITES,
  },
});

export const getProject = operation({
  ...common,
  operationId: 'getProject',
  permission: 'directory.read',
  method: 'get',
  path: PROJECT_PATH,
  summary: 'Get a project',
  request: { params: z.object(projectParams) },
  responses: { 200: jsonResponse('The project.', project) },
  errors: { 404: 'Project not found.' },
});

export const putProject = operation({
  ...common,
  operationId: 'putProject',
  permission: 'projects.write',
  companyIn: 'body',
  method: 'put',
  path: PROJECT_PATH,
  summary: 'Create or replace a project',
  description: 'An unknown companyId gets 400.',
  request: {
    params: z.object(projectParams),
    body: jsonBody(projectDefinition, {
      companyId: 'acme',
      name: 'Web shop',
      region: 'eu',
      defaultLanguage: 'en',
    }),
  },
  responses: { 200: jsonResponse('The stored project.', project) },
  errors: {
    409: {
      description:
        'The project has keys, so its region and company cannot change; the id belonged to a project that was deleted; or the company has the maximum number of projects.',
      message:
        'Project acme-shop has keys, which fix its region and company; revoke them first or create another project.',
    },
    429: TOO_MANY_WRITES,
  },
});

export const deleteProject = operation({
  ...common,
  operationId: 'deleteProject',
  permission: 'projects.write',
  method: 'delete',
  path: PROJECT_PATH,
  summary: 'Delete a project with its keys and reports',
  description:
    'Every service then erases the data of the project; list erasures to follow the progress. The id is never used again.',
  request: { params: z.object(projectParams) },
  responses: { 204: deleted },
  errors: { 429: TOO_MANY_WRITES },
});

export const createProjectKey = operation({
  ...common,
  operationId: 'createProjectKey',
  permission: 'keys.write',
  method: 'post',
  path: KEYS_PATH,
  summary: 'Create a project key',
  description: 'The key contains the region of the project.',
  request: { params: z.object(projectParams) },
  responses: { 201: jsonResponse('The new key.', z.object({ key: projectKey })) },
  errors: {
    404: 'Project not found.',
    409: 'The project has 100 keys. Revoke one first.',
    429: TOO_MANY_WRITES,
  },
});

export const listProjectKeys = operation({
  ...common,
  operationId: 'listProjectKeys',
  permission: 'keys.write',
  method: 'get',
  path: KEYS_PATH,
  summary: 'List the keys of a project',
  request: { params: z.object(projectParams) },
  responses: { 200: jsonResponse('The active keys, oldest first.', z.object({ keys: z.array(projectKey) })) },
  errors: { 404: 'Project not found.' },
});

export const revokeProjectKey = operation({
  ...common,
  operationId: 'revokeProjectKey',
  permission: 'keys.write',
  method: 'delete',
  path: '/management/v1/projects/{projectId}/keys/{key}',
  summary: 'Revoke a project key',
  request: { params: z.object({ ...projectParams, key: projectKey }) },
  responses: { 204: deleted },
  errors: { 429: TOO_MANY_WRITES },
});

export const getReport = operation({
  ...common,
  operationId: 'getReport',
  permission: 'directory.read',
  method: 'get',
  path: REPORT_PATH,
  summary: 'Get a saved report',
  request: { params: reportParams },
  responses: { 200: jsonResponse('The report.', report) },
  errors: { 404: { description: 'Project or report not found.', message: 'Report not found.' } },
});

export const putReport = operation({
  ...common,
  operationId: 'putReport',
  permission: 'reports.write',
  method: 'put',
  path: REPORT_PATH,
  summary: 'Create or replace a saved report',
  request: { params: reportParams, body: jsonBody(reportDefinition, { name: 'Weekly sign-ups' }) },
  responses: { 200: jsonResponse('The stored report.', report) },
  errors: {
    404: 'Project not found.',
    409: {
      description: 'The company has the maximum number of reports, or of reports with refresh.',
      message:
        'The company has 2000 reports, and the entitlement reports allows 2000. Delete one or raise it.',
    },
    429: TOO_MANY_WRITES,
  },
});

export const deleteReport = operation({
  ...common,
  operationId: 'deleteReport',
  permission: 'reports.write',
  method: 'delete',
  path: REPORT_PATH,
  summary: 'Delete a saved report',
  request: { params: reportParams },
  responses: { 204: deleted },
  errors: { 429: TOO_MANY_WRITES },
});
