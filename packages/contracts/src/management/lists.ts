import { z } from '@hono/zod-openapi';
import { jsonAnswer } from '../bodies.ts';
import { id, text, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { companyId } from '../path-ids.ts';
import { aiModel, plan } from './catalogue.ts';
import { company, member, project, report } from './directory.ts';
import { managementOf, projectParams } from './facts.ts';
import { teammate } from './messenger.ts';

/** An identity secret without what it is. */
export const identitySecretSummary = z.object({ id, createdAt: timestamp }).openapi('IdentitySecretSummary');
export type IdentitySecretSummary = z.infer<typeof identitySecretSummary>;

const ofCatalogue = { ...managementOf('catalogue'), method: 'get' } as const;
const ofMessenger = { ...managementOf('messenger'), method: 'get' } as const;
const noCompany = { 404: 'No such company.' };
const noProject = { 404: 'No such project.' };

const page = {
  description: '200 a page. cursor is the nextCursor of the page before; null on the last.',
  query: z.object({ cursor: text({ min: 1, max: 200 }).optional() }),
};
const nextCursor = z.string().nullable();

export const listManagedPlans = operation({
  ...ofCatalogue,
  operationId: 'listManagedPlans',
  path: '/management/v1/plans',
  summary: 'Every plan, in the order they were first created',
  responses: { 200: jsonAnswer('The plans.', z.object({ plans: z.array(plan) })) },
});

export const listManagedAiModels = operation({
  ...ofCatalogue,
  operationId: 'listManagedAiModels',
  path: '/management/v1/ai/models',
  summary: 'Every AI model with its prices before the markup, by id',
  responses: { 200: jsonAnswer('The models.', z.object({ models: z.array(aiModel) })) },
});

export const listCompanies = operation({
  ...ofCatalogue,
  operationId: 'listCompanies',
  path: '/management/v1/companies',
  summary: 'Companies, by id',
  description: page.description,
  request: { query: page.query },
  responses: {
    200: jsonAnswer('A page of companies.', z.object({ companies: z.array(company), nextCursor })),
  },
});

export const listMembers = operation({
  ...ofCatalogue,
  operationId: 'listMembers',
  path: '/management/v1/companies/{companyId}/members',
  summary: 'Members of a company, by sub',
  description: page.description,
  request: { params: z.object({ companyId }), query: page.query },
  responses: { 200: jsonAnswer('A page of members.', z.object({ members: z.array(member), nextCursor })) },
  errors: noCompany,
});

export const listProjects = operation({
  ...ofCatalogue,
  operationId: 'listProjects',
  path: '/management/v1/companies/{companyId}/projects',
  summary: 'Projects of a company, by id',
  description: page.description,
  request: { params: z.object({ companyId }), query: page.query },
  responses: { 200: jsonAnswer('A page of projects.', z.object({ projects: z.array(project), nextCursor })) },
  errors: noCompany,
});

export const listReports = operation({
  ...ofCatalogue,
  operationId: 'listReports',
  path: '/management/v1/projects/{projectId}/reports',
  summary: 'Saved reports of a project, by id',
  description: page.description,
  request: { params: z.object(projectParams), query: page.query },
  responses: { 200: jsonAnswer('A page of reports.', z.object({ reports: z.array(report), nextCursor })) },
  errors: noProject,
});

export const listTeammates = operation({
  ...ofMessenger,
  operationId: 'listTeammates',
  path: '/management/v1/projects/{projectId}/team',
  summary: 'All who answer visitors of a project, by id',
  request: { params: z.object(projectParams) },
  responses: { 200: jsonAnswer('The team.', z.object({ team: z.array(teammate) })) },
  errors: noProject,
});

export const listIdentitySecrets = operation({
  ...ofMessenger,
  operationId: 'listIdentitySecrets',
  path: '/management/v1/projects/{projectId}/identity-secrets',
  summary: 'The live identity secrets of a project, oldest first',
  description: 'Which there are; a secret itself is answered once, when it is made.',
  request: { params: z.object(projectParams) },
  responses: {
    200: jsonAnswer('The secrets.', z.object({ secrets: z.array(identitySecretSummary) })),
  },
  errors: noProject,
});
