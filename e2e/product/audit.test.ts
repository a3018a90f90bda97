import { hash } from 'node:crypto';
import {
  type AuditEntry,
  appendTeammateTurn,
  auditedAs,
  managementOperations,
  type Operation,
  publicOperations,
  putMessengerSettings,
  putWebhook,
} from '@switchboard/contracts';
import { eventually } from '@switchboard/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openEventLog } from './testing/event-log.ts';
import { type DemoJson, standaloneForTests } from './testing/launch.ts';

/**
 * Calls every operation that needs a permission, as a caller with the permission and as an outsider, and verifies the
 * audit trail.
 */

const OWN = { companyId: 'cmp_audit', projectId: 'prj_audit', reportId: 'rep_audit', sub: 'sub-new' };
const PLAN = { tier: 'audit', cycle: 'monthly' };
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const PART = Buffer.from(
  JSON.stringify({
    ...{ distinct_id: 'imported', event_id: 'imported', event_name: 'order placed' },
    ...{ schema_version: 1, timestamp: '2025-03-01T09:30:00Z' },
  }),
);
const COHORT = { name: 'Audit', did: [{ event: 'audited', count: { gte: 1 }, within: { days: 7 } }] };
/** Bodies of operations with an example that does not fit the existing data. */
const BODIES: Record<string, unknown> = {
  putCompany: { name: 'Audit', plan: PLAN },
  putProject: { companyId: OWN.companyId, name: 'Audit', region: 'eu', defaultLanguage: 'en' },
  putCohort: COHORT,
  joinPeople: { distinctId: 'joined-id' },
  sendMessage: { title: 'Hello', body: 'Welcome.', sendAt: new Date(Date.now() + 3_600_000).toISOString() },
  putTeammateAvatar: PICTURE,
  uploadTeammateAttachment: PICTURE,
  putImportPart: PART,
  putReport: {
    name: 'Audit',
    query: { kind: 'trends', range: { last: 7, unit: 'day' }, series: [{ event: 'order placed' }] },
  },
  putMessengerSettings: { ...z.looseObject({}).parse(exampleOf(putMessengerSettings)), team: [] },
  putManagedArticleSearch: { on: false, placement: 'tab' },
  createApiToken: { name: 'audit', kind: 'service', permissions: ['flags.read'] },
  restoreFlagVersion: { version: 1 },
  promoteFlag: { to: 'prj_audit_live' },
  decideChangeRequest: { decision: 'withdraw' },
  putPublicLink: { expiresOn: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10) },
  putDashboardLink: { expiresOn: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10) },
  putSubscription: {
    target: { kind: 'report', id: OWN.reportId },
    schedule: { every: 'day', at: '08:30', timeZone: 'UTC' },
    recipients: [OWN.sub],
  },
  startThread: { body: 'Why?' },
  translateTexts: { from: 'en', to: 'de', texts: [] },
  scheduleFlagChange: {
    key: 'new-checkout',
    at: new Date(Date.now() + 3_600_000).toISOString(),
    patch: { enabled: false },
  },
};

const running = standaloneForTests();
let demo: DemoJson;
let conversation = '';
let attachment = '';
let recording = '';
let apiToken = 'some-id';
let change = 'some-id';
let request = 'some-id';
let message = 'some-id';
let webhookMessage = '';
const ofDemo = { annotationId: '', threadId: '', commentId: '', dashboardId: 'audited' };
/** A visitor that staff look at. The id must not occur in any audit entry. */
const VISITOR = 'visitor-who-is-looked-at';
const trail = new Map<string, AuditEntry>();
const answers = new Map<string, { status: number; text: string }>();

async function send(
  method: string,
  path: string,
  token: string,
  body?: unknown,
  requestId?: string,
  url = demo.management_url,
) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(requestId === undefined ? {} : { 'X-Request-Id': requestId }),
      ...(body instanceof Uint8Array || body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined
      ? {}
      : { body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  // An event stream has no end.
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (isStream) await response.body?.cancel();
  return { status: response.status, text: isStream ? '' : await response.text() };
}

function exampleOf({ request }: Operation): unknown {
  const media = request?.body?.content['application/json'];
  return media !== undefined && 'example' in media ? media.example : undefined;
}

const isForMembers = ({ credential }: Operation) => credential === 'access-token';

function pathOf(operation: Operation): string {
  const { path, permission, operationId } = operation;
  const isDemo = permission === 'replays.read' || operationId === 'readConversation';
  const ids: Record<string, string> = {
    ...OWN,
    ...PLAN,
    ...(isDemo ? { projectId: demo.project_id, id: conversation, sessionId: recording } : {}),
    ...(path.includes('conversations/') ? { projectId: demo.project_id, id: conversation } : {}),
    ...(isForMembers(operation)
      ? { ...ofDemo, projectId: demo.project_id, reportId: demo.report_id, distinctId: VISITOR }
      : {}),
    ...(path.includes('messages/') ? { id: message } : {}),
    emoji: encodeURIComponent('🎉'),
    userId: 'grace',
    domain: 'audit.example',
    key: path.includes('/keys/') ? `pk_eu_${'0'.repeat(32)}` : 'new-checkout',
    kind: 'event',
    joinedId: 'joined-id',
    tokenId: apiToken,
    attachmentId: attachment,
    changeId: change,
    requestId: request,
    messageId: webhookMessage,
    topic: 'events',
    partition: '0',
    part: '0',
    offset: '0',
  };
  const query = QUERIES[operationId] ?? '';
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? 'some-id') + query;
}

/** The queries of operations that require one. */
const QUERIES: Record<string, string> = {
  searchTurns: '?text=refund',
  putImportPart: `?sha256=${hash('sha256', PART, 'hex')}`,
  getConversationReport: '?from=2026-03-01&to=2026-03-07',
};

/** Removals, which run last, in this order. A container is removed after its contents. */
const ORDER = [
  'cancelMessage',
  'deleteFlag',
  'partPeople',
  'deleteCohort',
  'deleteWebhook',
  'deleteAlert',
  'deleteSubscription',
  'removeReaction',
  'deleteComment',
  'deleteAnnotation',
  'deletePublicLink',
  'deleteDashboardLink',
  'revokeApiToken',
  'deleteReport',
  'deleteMember',
  'deleteProject',
  'deleteCompany',
  'deletePlan',
];
const asked = [...managementOperations, ...publicOperations.filter(isForMembers)].sort(
  (a, b) => ORDER.indexOf(a.operationId) - ORDER.indexOf(b.operationId),
);

/** Publishes a dead letter, at the place that the operations have. */
async function addDeadLetter(): Promise<void> {
  const log = await openEventLog(running.home);
  const headers = { project: OWN.projectId, count: '1', 'dead-letter-reason': 'x: missing' };
  await log.publish('events.dead-letter', [
    { partition: 0, key: 'audit', value: Buffer.from('{}'), headers },
  ]);
  await log.close();
}

beforeAll(async () => {
  demo = running.demo;
  const { operator, outsider, owner } = demo.tokens;
  const manage = async (method: string, path: string, body?: unknown) => {
    const answer = await send(method, `/management/v1${path}`, operator, body);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.text === '' ? undefined : JSON.parse(answer.text);
  };
  const write = async (path: string, body: unknown) => {
    const { text } = await send('POST', path, owner, body, undefined, demo.base_url);
    return JSON.parse(text);
  };
  const project = `/v1/projects/${demo.project_id}`;
  ofDemo.annotationId = (
    await write(`${project}/annotations`, { startsOn: '2026-03-01', text: 'Mine', tags: ['a'] })
  ).id;
  const thread = await write(`${project}/reports/${demo.report_id}/comment-threads`, { body: 'Mine' });
  ofDemo.threadId = thread.id;
  ofDemo.commentId = thread.comments[0].id;
  await manage('PUT', `/projects/${demo.project_id}/dashboards/${ofDemo.dashboardId}`, { name: 'Audited' });
  BODIES['shareReport'] = {
    recipients: [z.object({ owner: z.string() }).parse(demo['subs']).owner],
    link: `${demo.console_url}/projects/${demo.project_id}/reports/${demo.report_id}`,
    language: 'en',
  };
  await manage('PUT', `/plans/${PLAN.tier}/${PLAN.cycle}`, { trialDays: 0, priced: false, entitlements: {} });
  await manage('PUT', `/companies/${OWN.companyId}`, BODIES['putCompany']);
  await manage('PUT', `/projects/${OWN.projectId}`, BODIES['putProject']);
  await manage('PUT', '/projects/prj_audit_live', BODIES['putProject']);
  await manage('PUT', `/projects/${OWN.projectId}/reports/${OWN.reportId}`, BODIES['putReport']);
  await manage('PUT', `/projects/${OWN.projectId}/cohorts/some-id`, COHORT);
  // Analytics knows the cohort and the project a moment later.
  await eventually(() => manage('POST', `/projects/${OWN.projectId}/cohorts/some-id/compute`));
  const webhook = `/projects/${OWN.projectId}/webhooks/some-id`;
  // Delivery knows the project a moment later.
  await eventually(() => manage('PUT', webhook, exampleOf(putWebhook)));
  webhookMessage = (await manage('POST', `${webhook}/test`)).id;
  await addDeadLetter();
  // The archive lists it a moment later.
  await eventually(() => manage('GET', '/dead-letters/events/0/0'));
  const { conversations } = await manage('GET', `/projects/${demo.project_id}/conversations`);
  conversation = conversations[0].id;
  const files = `/projects/${demo.project_id}/conversations/${conversation}/attachments`;
  attachment = (await manage('POST', files, PICTURE)).id;
  recording = await eventually(async () => {
    const { replays } = await manage('GET', `/projects/${demo.project_id}/replays`);
    expect(replays).not.toEqual([]);
    return replays[0].sessionId;
  });
  await eventually(async () => {
    const report = `/management/v1/projects/${OWN.projectId}/reports/${OWN.reportId}`;
    const seen = [
      await send('GET', `/management/v1/projects/${OWN.projectId}/flags`, operator),
      await send('GET', '/management/v1/projects/prj_audit_live/flags', operator),
      await send('GET', `/management/v1/projects/${OWN.projectId}/team`, operator),
      await send('GET', `/management/v1/projects/${OWN.projectId}/replays`, operator),
      await send('POST', `${report}/run`, operator),
      await send('GET', `${report}/runs/last`, operator),
      await send('GET', `${project}/events`, owner, undefined, undefined, demo.base_url),
    ];
    expect(seen.map(({ status }) => status)).toEqual([200, 200, 200, 200, 202, 200, 200]);
  });

  for (const [who, bearer] of [
    ['outsider', outsider],
    ['operator', operator],
  ] as const) {
    for (const operation of asked) {
      const { operationId, method } = operation;
      const body =
        method === 'get' || method === 'delete' ? undefined : (BODIES[operationId] ?? exampleOf(operation));
      const id = `${who}-${operationId}`;
      const [url, token] = isForMembers(operation)
        ? [demo.base_url, who === 'operator' ? owner : bearer]
        : [demo.management_url, bearer];
      answers.set(id, await send(method.toUpperCase(), pathOf(operation), token, body, id, url));
      if (id === 'operator-scheduleFlagChange') change = JSON.parse(answers.get(id)?.text ?? '{}').id;
      if (id === 'operator-requestFlagChange') request = JSON.parse(answers.get(id)?.text ?? '{}').id;
      if (id === 'operator-sendMessage') message = JSON.parse(answers.get(id)?.text ?? '{}').id;
      if (id === 'operator-createApiToken') apiToken = JSON.parse(answers.get(id)?.text ?? '{}').id;
    }
  }
  const done = `${demo.management_url}/management/v1/audit?format=ndjson`;
  await eventually(async () => {
    const lines = await (await fetch(done, { headers: { Authorization: `Bearer ${operator}` } })).text();
    for (const line of lines.trim().split('\n')) {
      const entry: AuditEntry = JSON.parse(line);
      trail.set(entry.requestId ?? '', entry);
    }
    expect(trail.has('operator-listProjectAudit')).toBe(true);
    expect(trail.has('operator-deletePlan')).toBe(true);
    expect(trail.has('operator-deletePublicLink')).toBe(true);
    expect(trail.has('operator-getPerson')).toBe(true);
  });
});

describe('the audit of operations with a permission', () => {
  it.each(asked.map((operation) => ({ name: operation.operationId, operation })))(
    'records $name when it is refused',
    ({ name }) => {
      const id = `outsider-${name}`;
      expect(answers.get(id)?.status, answers.get(id)?.text).toBe(403);
      expect(trail.get(id)).toMatchObject({ action: name, outcome: 'refused', status: 403 });
    },
  );

  const recorded = asked.filter((operation) => auditedAs(operation) !== 'refusals');
  it.each(recorded.map((operation) => ({ name: operation.operationId, operation })))(
    'records $name when it is allowed',
    ({ name }) => {
      const id = `operator-${name}`;
      expect(answers.get(id)?.status, answers.get(id)?.text).toBeLessThan(300);
      expect(trail.get(id)).toMatchObject({
        action: name,
        outcome: 'allowed',
        actor: { kind: 'person', id: expect.any(String) },
      });
    },
  );

  it('does not record operations that only read settings, flags or lists', () => {
    const others = asked.filter((operation) => auditedAs(operation) === 'refusals');
    expect(others.filter(({ operationId }) => trail.has(`operator-${operationId}`))).toEqual([]);
  });
});

it('records who read a conversation and a recording', () => {
  const place = { companyId: expect.any(String), projectId: demo.project_id };
  const read = { outcome: 'allowed', address: '127.0.0.1' };
  expect(trail.get('operator-readConversation')).toMatchObject({
    ...place,
    ...read,
    object: `conversation:${conversation}`,
  });
  expect(trail.get('operator-readReplayEvents')).toMatchObject({
    ...place,
    ...read,
    object: `recording:${recording}`,
  });
});

it('records which person was read, without the distinct id', () => {
  expect(trail.get('operator-getPerson')?.object).toMatch(/^person:[0-9a-f]{16}$/);
});

it('stores no token, key, secret, message text or visitor id', () => {
  const entries = JSON.stringify([...trail.values()]);
  expect(entries).not.toContain(VISITOR);
  const secret = JSON.parse(answers.get('operator-createIdentitySecret')?.text ?? '{}').secret;
  const { key } = JSON.parse(answers.get('operator-createProjectKey')?.text ?? '{}');
  for (const text of [secret, key, demo.tokens.operator.split('.')[2]]) {
    expect(text).toMatch(/.{20}/);
    expect(entries).not.toContain(text);
  }
  const { body } = z.object({ body: z.string() }).parse(exampleOf(appendTeammateTurn));
  expect(entries).not.toContain(body);
});
