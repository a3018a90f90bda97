import { z } from '@hono/zod-openapi';
import { text, timestamp } from '../fields/fields.ts';
import { companyId } from '../fields/ids.ts';
import { operation } from '../operation/operation.ts';
import { paging } from '../operation/paging.ts';
import { managementOf, projectParams } from './common.ts';

const name = z.string().max(500);

/** The actor: a person, a service token, a hook of a flag (`service`) or a scheduled change. `nobody` if there was no valid token. */
const auditActor = z.object({
  kind: z.enum(['person', 'service', 'scheduler', 'nobody']),
  id: name.nullable().openapi({
    description: 'The sub of the person, or the id of the service token, flag hook or scheduled change.',
  }),
  tokenId: name
    .nullable()
    .openapi({ description: 'The personal or service token that was used, if one was.' }),
});
export type AuditActor = z.infer<typeof auditActor>;

export const auditOutcome = z.enum(['allowed', 'refused']);
export type AuditOutcome = z.infer<typeof auditOutcome>;

/** The action of the entry that says that a person is erased. */
export const FINISH_ERASURE = 'finishErasure';

/** One entry of the audit trail, and its record on the topic `audit`. */
export const auditEntry = z
  .object({
    id: name,
    at: timestamp,
    actor: auditActor,
    action: name.openapi({
      description:
        'The operationId; applyScheduledChange, disableWebhook or finishErasure, where no request acted.',
    }),
    object: name.openapi({ description: 'The object of the action, as kind:id.' }),
    outcome: auditOutcome,
    status: z.int().nullable().openapi({ description: 'The status of a refusal: 401, 403 or 404.' }),
    companyId: name.nullable(),
    projectId: name.nullable(),
    before: z.unknown().optional().openapi({
      description: 'The state before, for flags, roles and tokens. Absent if the object did not exist.',
    }),
    after: z.unknown().optional().openapi({
      description: 'The state after, for flags, roles and tokens. Absent if the object does not exist.',
    }),
    reason: name.nullable().openapi({ description: 'The reason that the caller gave.' }),
    address: name.openapi({
      description: 'IPv4 address or IPv6 /64 network of the caller; `none` for the scheduler.',
    }),
    requestId: name.nullable(),
    region: name,
    service: name,
    count: z.int().min(1).openapi({
      description: 'Above 1: the number of similar refusals between at and until that share this entry.',
    }),
    until: timestamp.nullable(),
  })
  .openapi('AuditEntry', {
    example: {
      id: 'aud_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
      at: '2026-03-01T09:30:00.000Z',
      actor: { kind: 'person', id: 'sub-ada', tokenId: null },
      action: 'readConversation',
      object: 'conversation:cnv_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
      outcome: 'allowed',
      status: null,
      companyId: 'acme',
      projectId: 'acme-shop',
      reason: null,
      address: '198.51.100.7',
      requestId: '0198c5f1-6d2a-7c3e-9f40-5b8d2e1a7c64',
      region: 'eu',
      service: 'messenger',
      count: 1,
      until: null,
    },
  });
export type AuditEntry = z.infer<typeof auditEntry>;

const paged = paging(200);
const filter = text({ min: 1, max: 500 }).optional();

const auditQuery = z.object({
  actor: filter.openapi({ description: 'The id of a person or of a token.', example: 'sub-ada' }),
  action: filter.openapi({ example: 'readConversation' }),
  object: filter.openapi({ example: 'conversation:cnv_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f' }),
  outcome: auditOutcome.optional(),
  from: timestamp.optional().openapi({ description: 'The start of the range, inclusive.' }),
  to: timestamp.optional().openapi({ description: 'The end of the range, exclusive.' }),
  ...paged.query,
  format: z.enum(['json', 'ndjson']).default('json').openapi({
    description:
      'ndjson returns every matching entry, one per line, without pages. Accept: application/x-ndjson does the same.',
  }),
});
export type AuditQuery = z.infer<typeof auditQuery>;

const page = z.object({ entries: z.array(auditEntry), ...paged.answer });
export type AuditPage = z.infer<typeof page>;

/** The handler may return a stream, so the response type must not be that of a JSON value. */
const formats: Record<string, { schema: z.ZodType }> = {
  'application/json': { schema: page },
  'application/x-ndjson': { schema: z.string() },
};

const common = {
  ...managementOf('catalogue'),
  permission: 'audit.read',
  method: 'get',
  description: `Newest first. An entry appears within a second or two. ${paged.description}`,
  responses: { 200: { description: 'Entries.', content: formats } },
} as const;

export const listAudit = operation({
  ...common,
  operationId: 'listAudit',
  permission: 'audit.list',
  path: '/management/v1/audit',
  summary: 'Read the audit trail of the deployment',
  request: { query: auditQuery },
});

export const listCompanyAudit = operation({
  ...common,
  operationId: 'listCompanyAudit',
  path: '/management/v1/companies/{companyId}/audit',
  summary: 'Read the audit trail of a company and its projects',
  request: { params: z.object({ companyId }), query: auditQuery },
});

export const listProjectAudit = operation({
  ...common,
  operationId: 'listProjectAudit',
  path: '/management/v1/projects/{projectId}/audit',
  summary: 'Read the audit trail of a project',
  request: { params: z.object(projectParams), query: auditQuery },
});
