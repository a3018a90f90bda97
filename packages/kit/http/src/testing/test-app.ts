import { upgradeWebSocket } from '@hono/node-server';
import { operation } from '@switchboard/contracts';
import { ObjectStoreError } from '@switchboard/object-store';
import { type CommonConfig, commonSettings, type ServiceContext, serviceContext } from '@switchboard/runtime';
import { type AccessTokens, accessTokens } from '@switchboard/testkit';
import { z } from 'zod';
import type { AccessDirectory } from '../access/credentials.ts';
import { newEntry } from '../audit/request.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { BadRequest, PayloadTooLarge, RateLimited, Rejection } from '../exchange/errors.ts';
import { type HttpServer, listen } from '../server/server.ts';
import { createApp, type ServiceApp } from '../service/app.ts';
import { startable } from '../service/define-service.ts';

/** For the kit's own tests: an app of sample operations on a real port, with a directory of two projects. */

const ok = { description: 'ok', content: { 'application/json': { schema: z.looseObject({}) } } };
const common = { service: 'flags', host: 'api', tag: 'Test', responses: { 200: ok } } as const;
const body = {
  required: true,
  content: {
    'application/json': { schema: z.strictObject({ items: z.array(z.object({ size: z.int() })) }) },
  },
};

export const readThing = operation({
  ...common,
  operationId: 'readThing',
  credential: 'project-key',
  errorShape: 'A',
  method: 'get',
  path: '/things/{name}',
  request: { query: z.object({ count: z.coerce.number().int().optional() }) },
});

export const writeThing = operation({
  ...common,
  operationId: 'writeThing',
  credential: 'project-key',
  errorShape: 'A',
  method: 'post',
  path: '/things/{name}',
  maxBodyBytes: 10_000,
  maxWireBytes: 2_000,
  request: { body },
});

export const beacon = operation({
  ...common,
  operationId: 'beacon',
  credential: 'ingestion',
  errorShape: 'empty',
  method: 'post',
  path: '/beacon',
  maxBodyValues: 50_000,
  request: { body: { content: { 'application/json': { schema: z.looseObject({ n: z.int() }) } } } },
});

export const readProject = operation({
  ...common,
  operationId: 'readProject',
  permission: 'flags.read',
  credential: 'access-token',
  errorShape: 'B',
  method: 'get',
  path: '/projects/{projectId}',
});

export const manage = operation({
  ...common,
  operationId: 'manage',
  permission: 'catalogue.write',
  host: 'management',
  credential: 'management',
  errorShape: 'B',
  method: 'put',
  path: '/management/v1/thing',
  request: { body },
});

const console = { ...common, credential: 'console', errorShape: 'B', method: 'get' } as const;

export const lookFromConsole = operation({
  ...console,
  operationId: 'lookFromConsole',
  permission: 'flags.read',
  path: '/projects/{projectId}/look',
});

export const touchFromConsole = operation({
  ...console,
  operationId: 'touchFromConsole',
  permission: 'flags.write',
  path: '/projects/{projectId}/touch',
});

export const takeFile = operation({
  ...common,
  operationId: 'takeFile',
  credential: 'conversation',
  errorShape: 'B',
  method: 'post',
  path: '/files/{outcome}',
});

export const KEY = `pk_eu_${'a'.repeat(32)}`;
/** The key of another project. */
export const OTHER_KEY = `pk_eu_${'c'.repeat(32)}`;
export const OTHER_REGION_KEY = `pk_us_${'b'.repeat(32)}`;

const directory: AccessDirectory = {
  async projectKey(key) {
    if (key === KEY) return { key, projectId: 'p1', companyId: 'c1', region: 'eu' };
    if (key === OTHER_KEY) return { key, projectId: 'p3', companyId: 'c1', region: 'eu' };
    if (key === OTHER_REGION_KEY) return { key, projectId: 'p2', companyId: 'c1', region: 'us' };
    return undefined;
  },
  async project(id) {
    if (id !== 'p1') return undefined;
    return { id, companyId: 'c1', name: 'One', region: 'eu', defaultLanguage: 'en' };
  },
  async member(companyId, sub) {
    if (sub !== 'ada') return undefined;
    return { companyId, sub, name: 'Ada', email: 'ada@example.com', avatarUrl: null, pushSubscriptions: [] };
  },
  isMember: async (sub) => sub === 'ada' || sub === 'grace',
  token: async () => undefined,
  tokenUsed: () => undefined,
};

interface Answer {
  message: string;
  statusCode: number;
  error: { code: string; message: string };
  problems: Record<string, string>;
}

export const json = async (response: Response): Promise<Answer> => (await response.json()) as Answer;

export interface TestApp {
  url: string;
  app: ServiceApp;
  tokens: AccessTokens;
  stop(): Promise<void>;
}

interface More extends Partial<Pick<ServiceContext<CommonConfig>, 'logger' | 'tracing'>> {
  audit?: AuditTrail;
}

const NO_TRAIL: AuditTrail = {
  begin: (operation, call) => ({
    entry: newEntry(operation, call, { service: 'flags', region: 'eu', at: new Date() }),
    change: {
      transaction: () => Promise.reject(new Error('no database')),
      describe: () => undefined,
      record: async () => undefined,
    },
    isWritten: () => false,
  }),
  refused: async () => undefined,
  scheduled: async () => undefined,
  start: () => undefined,
  stop: async () => undefined,
};

export async function startTestApp(
  env: Record<string, string> = {},
  { audit = NO_TRAIL, ...more }: More = {},
): Promise<TestApp> {
  const tokens = await accessTokens();
  const definition = startable({
    name: 'flags',
    settings: z.object(commonSettings),
    migrations: [],
    create: () => {
      throw new Error('not run');
    },
  });
  const base = serviceContext(definition, {
    LOG_LEVEL: 'silent',
    REGION: 'eu',
    AUTH_ISSUER: tokens.issuer,
    AUTH_AUDIENCE: tokens.audience,
    AUTH_JWKS_URL: tokens.jwksUrl,
    OUTGOING_PRIVATE_NETWORKS: '127.0.0.0/8',
    CONSOLE_URL: 'https://console.example/app',
    DATABASE_URL: 'postgres://unused.example/x',
    ...env,
  });
  const context = { ...base, ...more };
  const app = createApp({ service: 'flags', context, directory, audit });
  app.implement(readThing, (c) =>
    c.json({
      name: c.req.param('name'),
      project: c.get('project'),
      count: c.req.valid('query').count ?? null,
    }),
  );
  app.implement(writeThing, (c) => c.json(c.req.valid('json')));
  app.implement(beacon, (c) => c.json({ project: c.get('project').id }));
  app.implement(readProject, (c) => c.json({ project: c.get('project'), person: c.get('person') }));
  app.implement(lookFromConsole, (c) => c.json({ sub: c.get('person').sub }));
  app.implement(touchFromConsole, (c) => c.json({}));
  app.implement(manage, () => {
    throw new Error('postgres://user:secret@db/x is broken');
  });
  const outcomes: Record<string, () => never> = {
    large: () => {
      throw new PayloadTooLarge('too large');
    },
    limited: () => {
      throw new RateLimited('too many', 1);
    },
    named: () => {
      throw new Rejection(403, 'FILE_OWN', 'message of the rule');
    },
    malformed: () => {
      throw new BadRequest('name: too long');
    },
    unstored: () => {
      throw new ObjectStoreError('put a: SlowDown');
    },
    defect: () => {
      throw new Error('a defect');
    },
  };
  app.implement(takeFile, (c) => outcomes[c.req.param('outcome') ?? '']?.() ?? c.json({}), {
    errorCodes: { 403: 'FILES_OFF', 413: 'FILE_TOO_LARGE', 429: 'FILE_RATE', 500: 'FILE_FAILED' },
  });
  const upgrade = upgradeWebSocket(() => ({
    onMessage: (event, socket) => socket.send(`${event.data}`),
  }));
  app.hono.get('/socket', upgrade);
  app.hono.get('/address', (c) => c.text(c.env.address));
  app.health.started();
  const server: HttpServer = await listen({ fetch: app.hono.fetch, host: '127.0.0.1', port: 0 });
  return {
    url: `http://127.0.0.1:${server.port}`,
    app,
    tokens,
    async stop() {
      await server.close(0);
      await tokens.stop();
    },
  };
}
