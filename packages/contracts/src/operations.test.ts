import { z } from '@hono/zod-openapi';
import { expect, test } from 'vitest';
import { auditedAs } from './operation/audit.ts';
import { errorBodyA, errorBodyB, errorBodyOfrep } from './operation/error-responses.ts';
import type { Credential, Host, Operation, ServiceName } from './operation/operation.ts';
import { permissionGrants } from './operation/permissions.ts';
import {
  consoleOperations,
  interfaceOperations,
  managementOperations,
  operations,
  publicOperations,
  serviceOperations,
} from './operations.ts';

type Row = [method: string, path: string, host: Host, credential: Credential, service: ServiceName];

const project = '/v1/projects/{projectId}';
const report = `${project}/reports/{reportId}`;
const conversation = '/v1/conversations/{id}';

/** Copied from the interface's own tables, not from the definitions. */
const interfaceTable: Row[] = [
  ['GET', '/v1/plans', 'api', 'public', 'catalogue'],
  ['GET', '/v1/ai/models', 'api', 'public', 'catalogue'],
  ['GET', '/v1/shared-reports/{token}', 'api', 'public', 'collaboration'],
  ['GET', `${project}/annotations`, 'api', 'access-token', 'collaboration'],
  ['POST', `${project}/annotations`, 'api', 'access-token', 'collaboration'],
  ['PATCH', `${project}/annotations/{annotationId}`, 'api', 'access-token', 'collaboration'],
  ['DELETE', `${project}/annotations/{annotationId}`, 'api', 'access-token', 'collaboration'],
  ['GET', `${report}/public-link`, 'api', 'access-token', 'collaboration'],
  ['PUT', `${report}/public-link`, 'api', 'access-token', 'collaboration'],
  ['DELETE', `${report}/public-link`, 'api', 'access-token', 'collaboration'],
  ['POST', `${report}/shares`, 'api', 'access-token', 'collaboration'],
  ['GET', `${report}/comment-threads`, 'api', 'access-token', 'collaboration'],
  ['POST', `${report}/comment-threads`, 'api', 'access-token', 'collaboration'],
  ['POST', `${project}/comment-threads/{threadId}/comments`, 'api', 'access-token', 'collaboration'],
  ['PATCH', `${project}/comments/{commentId}`, 'api', 'access-token', 'collaboration'],
  ['DELETE', `${project}/comments/{commentId}`, 'api', 'access-token', 'collaboration'],
  ['PUT', `${project}/comment-threads/{threadId}/resolution`, 'api', 'access-token', 'collaboration'],
  ['DELETE', `${project}/comment-threads/{threadId}/resolution`, 'api', 'access-token', 'collaboration'],
  ['PUT', `${project}/comments/{commentId}/reactions/{emoji}`, 'api', 'access-token', 'collaboration'],
  ['DELETE', `${project}/comments/{commentId}/reactions/{emoji}`, 'api', 'access-token', 'collaboration'],
  ['GET', `${project}/messenger/help-centre`, 'api', 'access-token', 'messenger'],
  ['POST', `${project}/messenger/help-centre/refresh`, 'api', 'access-token', 'messenger'],
  ['PUT', `${project}/messenger/article-search`, 'api', 'access-token', 'messenger'],
  ['POST', `${project}/messenger/translations`, 'api', 'access-token', 'messenger'],
  ['POST', '/v1/conversations', 'api', 'project-key', 'messenger'],
  ['POST', `${conversation}/turns`, 'api', 'conversation', 'messenger'],
  ['GET', conversation, 'api', 'conversation', 'messenger'],
  ['POST', `${conversation}/attachments`, 'api', 'conversation', 'messenger'],
  ['GET', `${conversation}/attachments/{attachmentId}`, 'api', 'conversation', 'messenger'],
  ['GET', '/v1/flags', 'api', 'project-key', 'flags'],
  ['GET', '/v1/flags/snapshot', 'api', 'project-key', 'flags'],
  ['GET', '/v1/flags/memberships', 'api', 'project-key', 'flags'],
  ['GET', '/v1/messages', 'api', 'project-key', 'messenger'],
  ['POST', '/v1/messages/read', 'api', 'project-key', 'messenger'],
  ['GET', '/v1/messenger/config', 'api', 'project-key', 'messenger'],
  ['GET', '/v1/messenger/avatar/{user_id}/{file}', 'api', 'project-key', 'messenger'],
  ['POST', '/v1/events', 'events', 'ingestion', 'ingestion'],
  ['POST', '/v1/identify', 'events', 'ingestion', 'ingestion'],
  ['POST', '/v1/group', 'events', 'ingestion', 'ingestion'],
  ['POST', '/v1/replay', 'replay', 'ingestion', 'ingestion'],
];

const row = ({ method, path, host, credential, service }: Operation): Row => [
  method.toUpperCase(),
  path,
  host,
  credential,
  service,
];
const byAddress = (rows: Row[]) => rows.map((cells) => cells.join(' ')).sort();
const named = (operationId: string) =>
  operations.filter((operation) => operation.operationId === operationId);

test('the public API has 40 operations, each with its host and credential', () => {
  expect(interfaceTable).toHaveLength(40);
  expect(byAddress(interfaceOperations.map(row))).toEqual(byAddress(interfaceTable));
});

test('operation ids and addresses are unique', () => {
  const twins = new Set(consoleOperations);
  const ids = operations.filter((one) => !twins.has(one)).map(({ operationId }) => operationId);
  const addresses = operations.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(addresses).size).toBe(addresses.length);
});

test('every management operation is below /management/v1, takes an access token and has errors of shape B', () => {
  for (const { path, host, credential, errorShape } of managementOperations) {
    expect(path).toMatch(/^\/management\/v1\//);
    expect({ host, credential, errorShape }).toEqual({
      host: 'management',
      credential: 'management',
      errorShape: 'B',
    });
  }
});

/** Operations without a permission, because every caller may read their own data. */
const aboutTheCaller = ['getMe', 'listOwnProjects'];

test('the console has a counterpart of exactly those management operations that a role allows', () => {
  const allowed = managementOperations.filter(
    ({ permission }) => permission !== undefined && permissionGrants[permission].role !== null,
  );
  expect(consoleOperations.map(({ operationId }) => operationId)).toEqual(
    allowed.map(({ operationId }) => operationId),
  );
  expect(allowed.length).toBeLessThan(managementOperations.length);
  for (const { path, host, credential, permission } of consoleOperations) {
    expect(path).toMatch(/^\/v1\/(companies|projects)\//);
    expect({ host, credential }).toEqual({ host: 'api', credential: 'console' });
    expect(permission && permissionGrants[permission].role).not.toBeNull();
  }
});

test('every operation with an access token names a permission, except those about the caller', () => {
  const without = operations.filter(
    ({ credential, permission }) =>
      ['access-token', 'management', 'console'].includes(credential) && permission === undefined,
  );
  expect(without.map(({ operationId }) => operationId)).toEqual(aboutTheCaller);
});

/** Operations other than GET that leave no entry when they are allowed. */
const notInTrail: Record<string, string> = {
  askInsight: 'reads counts',
  listInsightPeople: 'reads people, which has an entry as a read',
  runSql: 'reads people, which has an entry as a read',
  countPeople: 'reads counts',
  evaluateOfrepFlags: 'reads the flags of a context',
  evaluateOfrepFlag: 'reads a flag of a context',
  listOwnConversations: 'a visitor reads their own conversations',
  openConversation: 'a visitor writes to the team',
  appendTurn: 'a visitor writes to the team',
  rateConversation: 'a visitor writes to the team',
  uploadAttachment: 'a visitor writes to the team',
  markMessageRead: 'a visitor reads their inbox',
  putConversationPresence: 'shows presence, and stores nothing',
  ingestEvents: 'what visitors do',
  identify: 'what visitors do',
  group: 'what visitors do',
  uploadReplayChunk: 'what visitors do',
  previewAlert: 'reads counts',
  reportFlagUsage: 'counts of what clients evaluate',
  callFlagHook: 'writes its own entry, by the hook',
};

test('every operation that writes is in the audit trail, or states why not', () => {
  const unaudited = operations.filter(
    (operation) => operation.method !== 'get' && auditedAs(operation) !== 'write',
  );
  const names = new Set(unaudited.map(({ operationId }) => operationId));
  expect([...names].toSorted()).toEqual(Object.keys(notInTrail).toSorted());
});

test('every operation that reads what a visitor said or did is in the audit trail', () => {
  const reads = operations.filter((operation) => auditedAs(operation) === 'read');
  expect(reads.map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining([
      'listEvents',
      'findEvent',
      'getPerson',
      'listPeople',
      'listGroups',
      'getGroup',
      'listInsightPeople',
      'runSql',
      'listConversations',
      'readConversation',
      'listReplays',
      'getReplay',
      'readReplayEvents',
      'readReplayChunks',
    ]),
  );
});

test('no path of one service hides a path of another', () => {
  for (const one of publicOperations) {
    const like = new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    const hidden = publicOperations.filter(
      (other) => other.host === one.host && other.path !== one.path && like.test(other.path),
    );
    // Hono prefers the literal path if both belong to one service. The gateway knows services only.
    expect(hidden.filter(({ service }) => service !== one.service).map(({ path }) => path)).toEqual([]);
  }
});

test('every paged list has the same cursor, limit and nextCursor', () => {
  const fieldsOf = (schema: unknown) => (schema instanceof z.ZodObject ? schema.shape : {});
  const answerOf = ({ responses }: (typeof operations)[number]) => {
    const ok = responses[200];
    const media = ok && 'content' in ok ? ok.content?.['application/json'] : undefined;
    return fieldsOf(media && 'schema' in media ? media.schema : undefined);
  };
  const inputOf = ({ method, request }: (typeof operations)[number]) => {
    const media = request?.body?.content['application/json'];
    return fieldsOf(
      method === 'get' ? request?.query : media && 'schema' in media ? media.schema : undefined,
    );
  };
  const paged = operations.filter((one) => 'nextCursor' in answerOf(one) || 'cursor' in inputOf(one));
  expect(paged.length).toBeGreaterThan(10);
  for (const one of paged) {
    const { cursor, limit } = inputOf(one);
    const refused = (field: unknown, value: unknown) =>
      !(field instanceof z.ZodType) || !field.safeParse(value).success;
    expect(Object.keys(answerOf(one)), one.operationId).toContain('nextCursor');
    expect(
      [undefined, 'a'].map((value) => refused(cursor, value)),
      one.operationId,
    ).toEqual([false, false]);
    expect(
      ['', 'x'.repeat(2001)].map((value) => refused(cursor, value)),
      one.operationId,
    ).toEqual([true, true]);
    expect(
      [undefined, '1'].map((value) => refused(limit, value)),
      one.operationId,
    ).toEqual([false, false]);
    for (const value of ['0', '-1', '1.5', 'all', '', '201']) {
      expect(refused(limit, value), `${one.operationId}: ${value}`).toBe(true);
    }
  }
});

test('every resource that the management API can write can be read', () => {
  const readable = new Set(
    managementOperations.filter(({ method }) => method === 'get').map(({ path }) => path),
  );
  const written = managementOperations.filter(
    ({ method, path }) => method === 'put' && !/(avatar|status|\{part\})$/.test(path),
  );
  expect(written.map(({ path }) => path).filter((path) => !readable.has(path))).toEqual([]);
});

test('every resource that the management API can delete can be listed', () => {
  const listed = new Set(
    managementOperations.filter(({ method }) => method === 'get').map(({ path }) => path),
  );
  // A project is listed with those of its company.
  const listOf = (path: string) =>
    path.endsWith('/projects/{projectId}')
      ? '/management/v1/companies/{companyId}/projects'
      : path.replace(/(\/\{\w+\})+$/, '');
  const removed = managementOperations.filter(({ method }) => method === 'delete');
  expect(removed.length).toBeGreaterThan(8);
  expect(removed.filter(({ path }) => !listed.has(listOf(path))).map(({ path }) => path)).toEqual([]);
});

test('every operation belongs to one service', () => {
  const services: ServiceName[] = [
    'catalogue',
    'collaboration',
    'messenger',
    'flags',
    'ingestion',
    'archive',
    'analytics',
    'identity',
    'delivery',
  ];
  expect(services.flatMap((service) => serviceOperations(service)).length).toBe(operations.length);
});

test('errors have shape B on attachments, for access tokens and without credentials, no body on replay, and shape A elsewhere', () => {
  const shapeA = interfaceOperations
    .filter(({ errorShape }) => errorShape === 'A')
    .map((it) => it.operationId);
  const empty = interfaceOperations.filter(({ errorShape }) => errorShape === 'empty');
  expect(shapeA.sort()).toEqual(
    [
      ...[
        'appendTurn',
        'evaluateFlags',
        'getAvatar',
        'getConversation',
        'getFlagSnapshot',
        'getMessengerConfig',
      ],
      ...['group', 'identify', 'ingestEvents', 'listMemberships', 'listMessages', 'markMessageRead'],
      'openConversation',
    ].sort(),
  );
  expect(empty.map((operation) => operation.operationId)).toEqual(['uploadReplayChunk']);
});

test('every operation declares exactly the parameters in its path', () => {
  for (const { path, request } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = request?.params && 'shape' in request.params ? Object.keys(request.params.shape) : [];
    expect(declared.sort()).toEqual(inPath.sort());
  }
});

test.each([
  ['createAnnotation', 201],
  ['changeAnnotation', 200],
  ['deleteAnnotation', 204],
  ['putPublicLink', 200],
  ['deletePublicLink', 204],
  ['putDashboardLink', 200],
  ['deleteDashboardLink', 204],
  ['shareReport', 201],
  ['startThread', 201],
  ['replyToThread', 201],
  ['deleteComment', 200],
  ['openConversation', 201],
  ['appendTurn', 201],
  ['uploadAttachment', 201],
  ['ingestEvents', 202],
  ['uploadReplayChunk', 202],
])('the operation %s succeeds with %i', (operationId, status) => {
  const successes = named(operationId).flatMap(({ responses }) =>
    Object.keys(responses).filter((code) => code.startsWith('2')),
  );
  expect(successes).toEqual([String(status)]);
});

test('every error response of an operation has the shape of the operation', () => {
  const bodies = { A: errorBodyA, B: errorBodyB, ofrep: errorBodyOfrep };
  for (const { operationId, errorShape, responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      const where = `${operationId} ${status}`;
      if (errorShape === 'empty') {
        expect(response, where).not.toHaveProperty('content');
        expect(response, where).toHaveProperty(['headers', 'X-Error']);
      } else {
        expect(response, where).toHaveProperty(['content', 'application/json', 'schema'], bodies[errorShape]);
      }
    }
  }
});

test('every operation declares the errors that its credential and body imply', () => {
  for (const { operationId, credential, request, responses } of operations) {
    const follow = ['500', '503'];
    if (credential !== 'public') follow.push('401');
    if (credential !== 'public' && !aboutTheCaller.includes(operationId)) follow.push('403');
    if (credential === 'access-token') follow.push('404');
    if (request?.body) follow.push('400', '413', '415');
    expect(Object.keys(responses), operationId).toEqual(expect.arrayContaining(follow));
  }
});
