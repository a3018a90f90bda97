import {
  type AuditEntry,
  appendTeammateTurn,
  auditedAs,
  managementOperations,
  type Operation,
  putMessengerSettings,
} from '@switchboard/contracts';
import { eventually } from '@switchboard/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type DemoJson, standaloneForTests } from './testing/launch.ts';

/** Every management operation, asked by an operator and by somebody of another company, and what the trail says of it. */

const OWN = { companyId: 'cmp_audit', projectId: 'prj_audit', reportId: 'rep_audit', sub: 'sub-new' };
const PLAN = { tier: 'audit', cycle: 'monthly' };
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
/** Of operations whose example does not fit what there is. */
const BODIES: Record<string, unknown> = {
  putCompany: { name: 'Audit', plan: PLAN },
  putProject: { companyId: OWN.companyId, name: 'Audit', region: 'eu', defaultLanguage: 'en' },
  putTeammateAvatar: PICTURE,
  putReport: {
    name: 'Audit',
    query: { kind: 'trends', range: { last: 7, unit: 'day' }, series: [{ event: 'order placed' }] },
  },
  putMessengerSettings: { ...z.looseObject({}).parse(exampleOf(putMessengerSettings)), team: [] },
  createApiToken: { name: 'audit', kind: 'service', permissions: ['flags.read'] },
  restoreFlagVersion: { version: 1 },
  scheduleFlagChange: {
    key: 'new-checkout',
    at: new Date(Date.now() + 3_600_000).toISOString(),
    patch: { enabled: false },
  },
};

const running = standaloneForTests();
let demo: DemoJson;
let conversation = '';
let recording = '';
let token = 'some-id';
let change = 'some-id';
const trail = new Map<string, AuditEntry>();
const answers = new Map<string, { status: number; text: string }>();

async function send(method: string, path: string, token: string, body?: unknown, requestId?: string) {
  const response = await fetch(`${demo.management_url}${path}`, {
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
  return { status: response.status, text: await response.text() };
}

function exampleOf({ request }: Operation): unknown {
  const media = request?.body?.content['application/json'];
  return media !== undefined && 'example' in media ? media.example : undefined;
}

function pathOf({ path, permission, operationId }: Operation): string {
  const isDemo = permission === 'replays.read' || operationId === 'readConversation';
  const ids: Record<string, string> = {
    ...OWN,
    ...PLAN,
    ...(isDemo ? { projectId: demo.project_id, id: conversation, sessionId: recording } : {}),
    ...(path.includes('conversations/') ? { projectId: demo.project_id, id: conversation } : {}),
    userId: 'grace',
    key: path.includes('/keys/') ? `pk_eu_${'0'.repeat(32)}` : 'new-checkout',
    tokenId: token,
    changeId: change,
  };
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? 'some-id');
}

/** What removes something comes last, what is removed with the rest after that. */
const ORDER = [
  'revokeApiToken',
  'deleteReport',
  'deleteMember',
  'deleteProject',
  'deleteCompany',
  'deletePlan',
];
const asked = [...managementOperations].sort(
  (a, b) => ORDER.indexOf(a.operationId) - ORDER.indexOf(b.operationId),
);

beforeAll(async () => {
  demo = running.demo;
  const { operator, outsider } = demo.tokens;
  const manage = async (method: string, path: string, body?: unknown) => {
    const answer = await send(method, `/management/v1${path}`, operator, body);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.text === '' ? undefined : JSON.parse(answer.text);
  };
  await manage('PUT', `/plans/${PLAN.tier}/${PLAN.cycle}`, { trialDays: 0, priced: false, entitlements: {} });
  await manage('PUT', `/companies/${OWN.companyId}`, BODIES['putCompany']);
  await manage('PUT', `/projects/${OWN.projectId}`, BODIES['putProject']);
  await manage('PUT', `/projects/${OWN.projectId}/reports/${OWN.reportId}`, BODIES['putReport']);
  const { conversations } = await manage('GET', `/projects/${demo.project_id}/conversations`);
  conversation = conversations[0].id;
  recording = await eventually(async () => {
    const { replays } = await manage('GET', `/projects/${demo.project_id}/replays`);
    expect(replays).not.toEqual([]);
    return replays[0].sessionId;
  });
  await eventually(async () => {
    const report = `/management/v1/projects/${OWN.projectId}/reports/${OWN.reportId}`;
    const seen = [
      await send('GET', `/management/v1/projects/${OWN.projectId}/flags`, operator),
      await send('GET', `/management/v1/projects/${OWN.projectId}/team`, operator),
      await send('GET', `/management/v1/projects/${OWN.projectId}/replays`, operator),
      await send('POST', `${report}/run`, operator),
      await send('GET', `${report}/runs/last`, operator),
    ];
    expect(seen.map(({ status }) => status)).toEqual([200, 200, 200, 202, 200]);
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
      answers.set(id, await send(method.toUpperCase(), pathOf(operation), bearer, body, id));
      if (id === 'operator-scheduleFlagChange') change = JSON.parse(answers.get(id)?.text ?? '{}').id;
      if (id === 'operator-createApiToken') token = JSON.parse(answers.get(id)?.text ?? '{}').id;
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
  });
}, 120_000);

describe('every management operation', () => {
  it.each(asked.map((operation) => ({ name: operation.operationId, operation })))(
    '$name is in the audit trail when it is refused',
    ({ name }) => {
      const id = `outsider-${name}`;
      expect(answers.get(id)?.status, answers.get(id)?.text).toBe(403);
      expect(trail.get(id)).toMatchObject({ action: name, outcome: 'refused', status: 403 });
    },
  );

  const recorded = asked.filter((operation) => auditedAs(operation) !== 'refusals');
  it.each(recorded.map((operation) => ({ name: operation.operationId, operation })))(
    '$name is in it when it is allowed',
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

  it('that only reads settings, flags or lists is not in it', () => {
    const others = asked.filter((operation) => auditedAs(operation) === 'refusals');
    expect(others.filter(({ operationId }) => trail.has(`operator-${operationId}`))).toEqual([]);
  });
});

it('says who read a conversation and a recording', () => {
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

it('holds no token, key, secret or text of a message', () => {
  const entries = JSON.stringify([...trail.values()]);
  const secret = JSON.parse(answers.get('operator-createIdentitySecret')?.text ?? '{}').secret;
  const { key } = JSON.parse(answers.get('operator-createProjectKey')?.text ?? '{}');
  for (const text of [secret, key, demo.tokens.operator.split('.')[2]]) {
    expect(text).toMatch(/.{20}/);
    expect(entries).not.toContain(text);
  }
  const { body } = z.object({ body: z.string() }).parse(exampleOf(appendTeammateTurn));
  expect(entries).not.toContain(body);
});
