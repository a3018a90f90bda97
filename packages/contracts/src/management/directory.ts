import { z } from '@hono/zod-openapi';
import { jsonAnswer, jsonBody } from '../bodies.ts';
import { base64url, httpsAddress, id, languageTag, writtenText } from '../fields.ts';
import { operation } from '../operation.ts';
import { companyId, reportId, sub } from '../path-ids.ts';
import { entitlements } from './catalogue.ts';
import { deleted, managementOf, projectParams } from './facts.ts';

export const companyDefinition = z
  .object({
    name: writtenText(200),
    plan: z.object({ tier: id, cycle: id }),
    entitlements: entitlements.optional().openapi({ description: "These override the plan's, one by one." }),
  })
  .openapi('CompanyDefinition');
export type CompanyDefinition = z.infer<typeof companyDefinition>;

export const company = companyDefinition.extend({ id }).openapi('Company');
export type Company = z.infer<typeof company>;

/** A browser's push subscription as the W3C Push API serialises it; keys are base64url. */
export const pushSubscription = z
  .object({
    endpoint: httpsAddress,
    expirationTime: z.number().nullable().optional(),
    keys: z.object({ p256dh: base64url(65), auth: base64url(16) }),
  })
  .openapi('PushSubscription');
export type PushSubscription = z.infer<typeof pushSubscription>;

export const memberDefinition = z
  .object({
    name: writtenText(200),
    email: z.email({ error: 'not an e-mail address' }).max(320),
    avatarUrl: httpsAddress.nullable().optional(),
    pushSubscriptions: z.array(pushSubscription).max(20).optional(),
  })
  .openapi('MemberDefinition');
export type MemberDefinition = z.infer<typeof memberDefinition>;

export const member = memberDefinition.extend({ sub: id }).openapi('Member');
export type Member = z.infer<typeof member>;

export const region = z
  .string()
  .regex(/^[a-z][a-z0-9]{0,15}$/, 'not a region: a letter a-z, then up to 15 of a-z and 0-9')
  .openapi({ example: 'eu' });

export const projectDefinition = z
  .object({ companyId: id, name: writtenText(200), region, defaultLanguage: languageTag })
  .openapi('ProjectDefinition');
export type ProjectDefinition = z.infer<typeof projectDefinition>;

export const project = projectDefinition.extend({ id }).openapi('Project');
export type Project = z.infer<typeof project>;

/** What a project key looks like; its region is what lies between the underscores. */
export const projectKeyPattern = /^pk_[a-z][a-z0-9]{0,15}_[0-9A-Za-z]{32}$/;

export const projectKey = z
  .string()
  .regex(projectKeyPattern, 'not a project key: pk_<region>_<32 of 0-9, A-Z, a-z>')
  .openapi({ example: 'pk_eu_0123456789ABCDEFGHIJKLMNOPQRSTUV' });

export const reportDefinition = z.object({ name: writtenText(200) }).openapi('ReportDefinition');
export type ReportDefinition = z.infer<typeof reportDefinition>;

export const report = reportDefinition.extend({ id, projectId: id }).openapi('Report');
export type Report = z.infer<typeof report>;

const facts = managementOf('catalogue');
const companyPath = '/management/v1/companies/{companyId}';
const memberPath = '/management/v1/companies/{companyId}/members/{sub}';
const projectPath = '/management/v1/projects/{projectId}';
const keysPath = '/management/v1/projects/{projectId}/keys';
const reportPath = '/management/v1/projects/{projectId}/reports/{reportId}';
const companyParams = z.object({ companyId });
const memberParams = z.object({ companyId, sub });
const reportParams = z.object({ ...projectParams, reportId });

export const getCompany = operation({
  ...facts,
  operationId: 'getCompany',
  method: 'get',
  path: companyPath,
  summary: 'One company',
  request: { params: companyParams },
  responses: { 200: jsonAnswer('The company.', company) },
  errors: { 404: 'No such company.' },
});

export const putCompany = operation({
  ...facts,
  operationId: 'putCompany',
  method: 'put',
  path: companyPath,
  summary: 'Create or replace a company',
  request: {
    params: companyParams,
    body: jsonBody(companyDefinition, { name: 'Acme', plan: { tier: 'pro', cycle: 'monthly' } }),
  },
  responses: { 200: jsonAnswer('The company as stored.', company) },
});

export const deleteCompany = operation({
  ...facts,
  operationId: 'deleteCompany',
  method: 'delete',
  path: companyPath,
  summary: 'Remove a company with its members and projects',
  description: 'Their keys and reports go with the projects.',
  request: { params: companyParams },
  responses: { 204: deleted },
});

export const getMember = operation({
  ...facts,
  operationId: 'getMember',
  method: 'get',
  path: memberPath,
  summary: 'One member of a company',
  request: { params: memberParams },
  responses: { 200: jsonAnswer('The member.', member) },
  errors: { 404: 'No such company or member.' },
});

export const putMember = operation({
  ...facts,
  operationId: 'putMember',
  method: 'put',
  path: memberPath,
  summary: 'Create or replace a member of a company',
  description: 'sub is the subject of the access tokens of this person.',
  request: {
    params: memberParams,
    body: jsonBody(memberDefinition, { name: 'Ada Lovelace', email: 'ada@example.com' }),
  },
  responses: { 200: jsonAnswer('The member as stored.', member) },
  errors: { 404: 'No such company.' },
});

export const deleteMember = operation({
  ...facts,
  operationId: 'deleteMember',
  method: 'delete',
  path: memberPath,
  summary: 'Remove a member from a company',
  request: { params: memberParams },
  responses: { 204: deleted },
});

export const getProject = operation({
  ...facts,
  operationId: 'getProject',
  method: 'get',
  path: projectPath,
  summary: 'One project',
  request: { params: z.object(projectParams) },
  responses: { 200: jsonAnswer('The project.', project) },
  errors: { 404: 'No such project.' },
});

export const putProject = operation({
  ...facts,
  operationId: 'putProject',
  method: 'put',
  path: projectPath,
  summary: 'Create or replace a project',
  description: 'An unknown companyId is refused with 400.',
  request: {
    params: z.object(projectParams),
    body: jsonBody(projectDefinition, {
      companyId: 'acme',
      name: 'Web shop',
      region: 'eu',
      defaultLanguage: 'en',
    }),
  },
  responses: { 200: jsonAnswer('The project as stored.', project) },
  errors: { 409: 'The region or company differs from that of a project that has keys.' },
});

export const deleteProject = operation({
  ...facts,
  operationId: 'deleteProject',
  method: 'delete',
  path: projectPath,
  summary: 'Remove a project with its keys and reports',
  request: { params: z.object(projectParams) },
  responses: { 204: deleted },
});

export const createProjectKey = operation({
  ...facts,
  operationId: 'createProjectKey',
  method: 'post',
  path: keysPath,
  summary: 'Make a new project key',
  description: 'The key carries the region of the project.',
  request: { params: z.object(projectParams) },
  responses: { 201: jsonAnswer('The new key.', z.object({ key: projectKey })) },
  errors: { 404: 'No such project.' },
});

export const listProjectKeys = operation({
  ...facts,
  operationId: 'listProjectKeys',
  method: 'get',
  path: keysPath,
  summary: 'The live keys of a project, oldest first',
  request: { params: z.object(projectParams) },
  responses: { 200: jsonAnswer('The keys.', z.object({ keys: z.array(projectKey) })) },
  errors: { 404: 'No such project.' },
});

export const revokeProjectKey = operation({
  ...facts,
  operationId: 'revokeProjectKey',
  method: 'delete',
  path: '/management/v1/projects/{projectId}/keys/{key}',
  summary: 'Revoke a project key for good',
  request: { params: z.object({ ...projectParams, key: projectKey }) },
  responses: { 204: deleted },
});

export const getReport = operation({
  ...facts,
  operationId: 'getReport',
  method: 'get',
  path: reportPath,
  summary: 'One saved report',
  request: { params: reportParams },
  responses: { 200: jsonAnswer('The report.', report) },
  errors: { 404: 'No such project or report.' },
});

export const putReport = operation({
  ...facts,
  operationId: 'putReport',
  method: 'put',
  path: reportPath,
  summary: 'Create or replace a saved report',
  request: { params: reportParams, body: jsonBody(reportDefinition, { name: 'Weekly sign-ups' }) },
  responses: { 200: jsonAnswer('The report as stored.', report) },
  errors: { 404: 'No such project.' },
});

export const deleteReport = operation({
  ...facts,
  operationId: 'deleteReport',
  method: 'delete',
  path: reportPath,
  summary: 'Remove a saved report',
  request: { params: reportParams },
  responses: { 204: deleted },
});
