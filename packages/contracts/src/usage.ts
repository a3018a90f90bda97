import { z } from '@hono/zod-openapi';
import { id, timestamp } from './fields/fields.ts';
import { companyId } from './fields/ids.ts';
import { entitlements } from './management/catalogue.ts';
import { managementOf, projectParams } from './management/common.ts';
import { jsonResponse } from './operation/bodies.ts';
import { operation } from './operation/operation.ts';

const count = z.int().min(0);

/** The highest number to which usage is counted, so that counting stays cheap. */
export const MAX_COUNTED_USAGE = 100_000;
const counted = count.max(MAX_COUNTED_USAGE);
/** The days of which usage is counted. */
export const USAGE_DAYS = 30;

/** How long a kind of data is kept. */
export const retainedData = z
  .object({
    data: z.enum([
      ...['events', 'recordings', 'people', 'conversations', 'messages', 'threads', 'shares', 'reportRuns'],
      'auditEntries',
    ] as const),
    setting: z.string().openapi({ description: 'The setting of the service that decides.' }),
    days: z.int().nullable().openapi({ description: 'null: the data is kept until it is erased.' }),
    earliestAt: timestamp.nullable().optional().openapi({
      description: 'The time of the earliest data. null: there is none. Absent: it is not looked up.',
    }),
  })
  .openapi('RetainedData');
export type RetainedData = z.infer<typeof retainedData>;

const quota = z
  .object({ used: count, most: count.openapi({ description: 'The entitlement, or its default.' }) })
  .openapi('Quota');
const kept = z.array(retainedData);
const auditEntries = {
  data: 'auditEntries',
  setting: 'AUDIT_RETENTION_DAYS',
  days: 400,
  earliestAt: '2026-01-05T08:00:00.000Z',
} as const;

export const getCompanyUsage = operation({
  ...managementOf('catalogue'),
  operationId: 'getCompanyUsage',
  permission: 'directory.read',
  method: 'get',
  path: '/management/v1/companies/{companyId}/usage',
  summary: 'Get the plan of a company and the use of its quotas',
  request: { params: z.object({ companyId }) },
  responses: {
    200: jsonResponse(
      'The plan, the entitlements with those of the company, and the use of quotas.',
      z
        .object({
          plan: z.object({ tier: id, cycle: id }),
          entitlements,
          quotas: z.object({ seats: quota, projects: quota, reports: quota, refreshedReports: quota }),
          retention: kept,
        })
        .openapi('CompanyUsage'),
      {
        plan: { tier: 'pro', cycle: 'monthly' },
        entitlements: { articleSearch: true },
        quotas: {
          seats: { used: 12, most: 500 },
          projects: { used: 3, most: 100 },
          reports: { used: 148, most: 2000 },
          refreshedReports: { used: 20, most: 100 },
        },
        retention: [auditEntries],
      },
    ),
  },
  errors: { 404: 'Company not found.' },
});

export const getMessengerUsage = operation({
  ...managementOf('messenger'),
  operationId: 'getMessengerUsage',
  permission: 'directory.read',
  method: 'get',
  path: '/management/v1/projects/{projectId}/messenger-usage',
  summary: 'Get the conversations and AI translations of a project',
  request: { params: z.object(projectParams) },
  responses: {
    200: jsonResponse(
      'The usage.',
      z
        .object({
          conversations: counted.openapi({
            description: `Conversations with a turn in the last ${USAGE_DAYS} days, counted up to ${MAX_COUNTED_USAGE}.`,
          }),
          month: z.string().openapi({ description: 'The month of the AI translations, in UTC.' }),
          aiTranslationBytes: count.openapi({
            description: 'UTF-8 bytes that all projects of the company translated in this month.',
          }),
          aiTranslationBytesPerMonth: count.nullable().openapi({
            description: 'The limit of the plan. null: no limit. 0: the plan has no AI translations.',
          }),
          retention: kept,
        })
        .openapi('MessengerUsage'),
      {
        conversations: 148,
        month: '2026-03',
        aiTranslationBytes: 120_000,
        aiTranslationBytesPerMonth: 1_000_000,
        retention: [
          {
            data: 'conversations',
            setting: 'CONVERSATIONS_RETENTION_DAYS',
            days: null,
            earliestAt: '2026-01-05T08:00:00.000Z',
          },
        ],
      },
    ),
  },
  errors: { 404: 'Project not found.' },
});

export const getArchiveUsage = operation({
  ...managementOf('archive'),
  operationId: 'getArchiveUsage',
  permission: 'directory.read',
  method: 'get',
  path: '/management/v1/projects/{projectId}/archive-usage',
  summary: 'Get the recordings of a project, and how long events and recordings are kept',
  request: { params: z.object(projectParams) },
  responses: {
    200: jsonResponse(
      'The usage.',
      z
        .object({
          recordings: counted.openapi({
            description: `Recordings that began to arrive in the last ${USAGE_DAYS} days, counted up to ${MAX_COUNTED_USAGE}.`,
          }),
          retention: kept,
        })
        .openapi('ArchiveUsage'),
      {
        recordings: 320,
        retention: [
          {
            data: 'events',
            setting: 'ARCHIVE_RETENTION_DAYS',
            days: 730,
            earliestAt: '2026-01-05T00:00:00.000Z',
          },
        ],
      },
    ),
  },
  errors: { 404: 'Project not found.' },
});

export const getCollaborationUsage = operation({
  ...managementOf('collaboration'),
  operationId: 'getCollaborationUsage',
  permission: 'directory.read',
  method: 'get',
  path: '/management/v1/projects/{projectId}/collaboration-usage',
  summary: 'Get how long comment threads, shares and runs of reports are kept',
  request: { params: z.object(projectParams) },
  responses: {
    200: jsonResponse('The retention.', z.object({ retention: kept }).openapi('CollaborationUsage'), {
      retention: [
        {
          data: 'shares',
          setting: 'SHARES_RETENTION_DAYS',
          days: 90,
          earliestAt: '2026-01-05T08:00:00.000Z',
        },
      ],
    }),
  },
  errors: { 404: 'Project not found.' },
});

export const getPeopleUsage = operation({
  ...managementOf('flags'),
  operationId: 'getPeopleUsage',
  permission: 'directory.read',
  method: 'get',
  path: '/management/v1/projects/{projectId}/people-usage',
  summary: 'Get how long people and groups are kept',
  request: { params: z.object(projectParams) },
  responses: {
    200: jsonResponse('The retention.', z.object({ retention: kept }).openapi('PeopleUsage'), {
      retention: [{ data: 'people', setting: 'PEOPLE_RETENTION_DAYS', days: 400 }],
    }),
  },
  errors: { 404: 'Project not found.' },
});
