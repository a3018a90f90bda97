import { z } from '@hono/zod-openapi';
import { id, timestamp } from '../fields/fields.ts';
import { companyId } from '../fields/ids.ts';
import { jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { paging } from '../operation/paging.ts';
import { aiModel, plan } from './catalogue.ts';
import { managementOf, projectParams } from './common.ts';
import { company, member, project, report } from './directory.ts';
import { teammate } from './messenger.ts';

/** An identity secret without its value. */
export const identitySecretSummary = z.object({ id, createdAt: timestamp }).openapi('IdentitySecretSummary');
export type IdentitySecretSummary = z.infer<typeof identitySecretSummary>;

const ofCatalogue = { ...managementOf('catalogue'), method: 'get' } as const;
const ofMessenger = { ...managementOf('messenger'), method: 'get' } as const;
const noCompany = { 404: 'Company not found.' };
const noProject = { 404: 'Project not found.' };

const page = paging(200);

export const listManagedPlans = operation({
  ...ofCatalogue,
  operationId: 'listManagedPlans',
  permission: 'catalogue.read',
  path: '/management/v1/plans',
  summary: 'List all plans in order of creation',
  responses: { 200: jsonResponse('The plans.', z.object({ plans: z.array(plan) })) },
});

export const listManagedAiModels = operation({
  ...ofCatalogue,
  operationId: 'listManagedAiModels',
  permission: 'catalogue.read',
  path: '/management/v1/ai/models',
  summary: 'List all AI models with prices before the markup',
  responses: { 200: jsonResponse('The models.', z.object({ models: z.array(aiModel) })) },
});

export const listCompanies = operation({
  ...ofCatalogue,
  operationId: 'listCompanies',
  permission: 'companies.list',
  path: '/management/v1/companies',
  summary: 'List companies',
  description: page.description,
  request: { query: z.object(page.query) },
  responses: {
    200: jsonResponse('A page of companies.', z.object({ companies: z.array(company), ...page.answer })),
  },
});

export const listMembers = operation({
  ...ofCatalogue,
  operationId: 'listMembers',
  permission: 'directory.read',
  path: '/management/v1/companies/{companyId}/members',
  summary: 'List the members of a company',
  description: page.description,
  request: { params: z.object({ companyId }), query: z.object(page.query) },
  responses: {
    200: jsonResponse('A page of members.', z.object({ members: z.array(member), ...page.answer })),
  },
  errors: noCompany,
});

export const listProjects = operation({
  ...ofCatalogue,
  operationId: 'listProjects',
  permission: 'directory.read',
  path: '/management/v1/companies/{companyId}/projects',
  summary: 'List the projects of a company',
  description: page.description,
  request: { params: z.object({ companyId }), query: z.object(page.query) },
  responses: {
    200: jsonResponse('A page of projects.', z.object({ projects: z.array(project), ...page.answer })),
  },
  errors: noCompany,
});

export const listReports = operation({
  ...ofCatalogue,
  operationId: 'listReports',
  permission: 'directory.read',
  path: '/management/v1/projects/{projectId}/reports',
  summary: 'List the saved reports of a project',
  description: page.description,
  request: { params: z.object(projectParams), query: z.object(page.query) },
  responses: {
    200: jsonResponse('A page of reports.', z.object({ reports: z.array(report), ...page.answer })),
  },
  errors: noProject,
});

export const listTeammates = operation({
  ...ofMessenger,
  operationId: 'listTeammates',
  permission: 'messenger.read',
  path: '/management/v1/projects/{projectId}/team',
  summary: 'List the teammates of a project',
  request: { params: z.object(projectParams) },
  responses: { 200: jsonResponse('The team.', z.object({ team: z.array(teammate) })) },
  errors: noProject,
});

export const listIdentitySecrets = operation({
  ...ofMessenger,
  operationId: 'listIdentitySecrets',
  permission: 'secrets.write',
  path: '/management/v1/projects/{projectId}/identity-secrets',
  summary: 'List the identity secrets of a project',
  description: 'Active secrets, oldest first, without their values. A value is returned once, on creation.',
  request: { params: z.object(projectParams) },
  responses: {
    200: jsonResponse('The secrets.', z.object({ secrets: z.array(identitySecretSummary) })),
  },
  errors: noProject,
});
