import { type OperationEnv, RateLimited } from '@switchboard/http';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { discovery } from './discovery.ts';
import { notFound, ScimProblem } from './errors.ts';
import type { ScimGroups } from './groups.ts';
import { type Listed, type ListRequest, listedTogether, listRequest, searchQuery } from './lists.ts';
import { type Selection, selectionOf } from './selection.ts';
import type { ScimTokens } from './tokens.ts';
import type { ScimUsers } from './users.ts';

const CONTENT_TYPE = 'application/scim+json; charset=utf-8';
const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';
const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
/** A group of 10,000 members. */
const MAX_BODY_BYTES = 1_048_576;

type Env = OperationEnv & { Variables: { companyId: string } };

interface ScimDeps {
  tokens: ScimTokens;
  users: ScimUsers;
  groups: ScimGroups;
  baseUrl: string;
  /** Counts a request. `companyId` is undefined for a token that opens none. Throws RateLimited. */
  limit(address: string, companyId: string | undefined): Promise<void>;
}

/** Serves SCIM 2.0 (RFC 7644) below `baseUrl`. The token of a request names the company. */
export function scimRoutes({ tokens, users, groups, baseUrl, limit }: ScimDeps): Hono<Env> {
  const app = new Hono<Env>();
  const documents = discovery(baseUrl);

  app.use(async (c, next) => {
    if (c.req.url.includes('%00')) throw new ScimProblem(400, 'the address contains a NUL character');
    const [, token] = /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
    const companyId = token === undefined ? undefined : await tokens.companyOf(token);
    await limit(c.env.address, companyId);
    if (companyId === undefined) {
      c.header('WWW-Authenticate', 'Bearer');
      throw new ScimProblem(401, 'the token is missing, unknown or removed');
    }
    c.set('companyId', companyId);
    await next();
  });
  app.use(
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: () => {
        throw new ScimProblem(413, `the body is larger than ${MAX_BODY_BYTES} bytes`);
      },
    }),
  );

  const answer = (c: Context, body: object, status: 200 | 201 = 200) =>
    c.body(JSON.stringify(body), status, { 'Content-Type': CONTENT_TYPE, 'Cache-Control': 'no-store' });
  const created = (c: Context, kind: 'Users' | 'Groups', resource: { id: string }) => {
    c.header('Location', `${baseUrl}/${kind}/${resource.id}`);
    return answer(c, resource, 201);
  };
  const all = (c: Context, resources: readonly object[]) =>
    answer(c, {
      schemas: [LIST_SCHEMA],
      totalResults: resources.length,
      startIndex: 1,
      itemsPerPage: resources.length,
      Resources: resources,
    });

  const selected = (c: Context, resource: object) => answer(c, selectionOf(c.req.query()).of(resource));
  type List = (companyId: string, request: ListRequest, selection: Selection) => Promise<Listed>;
  /** Answers a list to the parameters of a query or of a SearchRequest. */
  const answerList = async (
    c: Context<Env>,
    query: Record<string, string | undefined>,
    list: List,
  ): Promise<Response> => {
    const selection = selectionOf(query);
    const found = await list(c.var.companyId, listRequest(query), selection);
    return answer(c, { ...found, Resources: found.Resources.map(selection.of) });
  };
  const listUsers: List = (companyId, request) => users.list(companyId, request);
  const listGroups: List = (companyId, request, selection) =>
    groups.list(companyId, request, selection.has('members'));
  const listAll: List = (companyId, request, selection) =>
    listedTogether(
      request,
      (part) => listUsers(companyId, part, selection),
      (part) => listGroups(companyId, part, selection),
    );

  app.on(['POST', 'PUT', 'PATCH', 'DELETE'], '/ServiceProviderConfig', notAllowed);
  app.get('/ServiceProviderConfig', (c) => answer(c, documents.config));
  for (const [path, list] of [
    ['Schemas', documents.schemas],
    ['ResourceTypes', documents.resourceTypes],
  ] as const) {
    app.get(`/${path}`, (c) => all(c, list));
    app.on(['POST', 'PUT', 'PATCH', 'DELETE'], [`/${path}`, `/${path}/:id`], notAllowed);
    app.get(`/${path}/:id`, (c) => {
      const found = list.find(({ id }) => id === c.req.param('id'));
      if (found === undefined) throw notFound(path, c.req.param('id'));
      return answer(c, found);
    });
  }

  for (const [path, list] of [
    ['/.search', listAll],
    ['/Users/.search', listUsers],
    ['/Groups/.search', listGroups],
  ] as const) {
    app.post(path, async (c) => answerList(c, searchQuery(await bodyOf(c)), list));
  }

  app.get('/Users', (c) => answerList(c, c.req.query(), listUsers));
  app.post('/Users', async (c) => created(c, 'Users', await users.create(c.var.companyId, await bodyOf(c))));
  app.get('/Users/:id', async (c) => selected(c, await users.get(c.var.companyId, c.req.param('id'))));
  app.put('/Users/:id', async (c) =>
    selected(c, await users.replace(c.var.companyId, c.req.param('id'), await bodyOf(c))),
  );
  app.patch('/Users/:id', async (c) =>
    selected(c, await users.patch(c.var.companyId, c.req.param('id'), await bodyOf(c))),
  );
  app.delete('/Users/:id', async (c) => {
    await users.remove(c.var.companyId, c.req.param('id'));
    return c.body(null, 204);
  });

  app.get('/Groups', (c) => answerList(c, c.req.query(), listGroups));
  app.post('/Groups', async (c) =>
    created(c, 'Groups', await groups.create(c.var.companyId, await bodyOf(c))),
  );
  app.get('/Groups/:id', async (c) =>
    selected(c, await groups.get(c.var.companyId, c.req.param('id'), withMembers(c))),
  );
  app.put('/Groups/:id', async (c) =>
    selected(c, await groups.replace(c.var.companyId, c.req.param('id'), await bodyOf(c))),
  );
  app.patch('/Groups/:id', async (c) =>
    selected(c, await groups.patch(c.var.companyId, c.req.param('id'), await bodyOf(c))),
  );
  app.delete('/Groups/:id', async (c) => {
    await groups.remove(c.var.companyId, c.req.param('id'));
    return c.body(null, 204);
  });

  app.notFound((c) => problem(c, new ScimProblem(404, 'not found')));
  app.onError((error, c) => {
    if (error instanceof ScimProblem) return problem(c, error);
    if (!(error instanceof RateLimited)) throw error;
    for (const [name, value] of Object.entries(error.headers ?? {})) c.header(name, value);
    return problem(c, new ScimProblem(429, error.message));
  });
  return app;
}

function problem(c: Context, { status, scimType, message }: ScimProblem): Response {
  const body = {
    schemas: [ERROR_SCHEMA],
    status: String(status),
    ...(scimType && { scimType }),
    detail: message,
  };
  return c.body(JSON.stringify(body), status, { 'Content-Type': CONTENT_TYPE });
}

const withMembers = (c: Context) => selectionOf(c.req.query()).has('members');

function notAllowed(): never {
  throw new ScimProblem(405, 'the document can only be read');
}

async function bodyOf(c: Context): Promise<unknown> {
  try {
    return JSON.parse(await c.req.text());
  } catch (error) {
    if (error instanceof ScimProblem) throw error;
    throw new ScimProblem(400, 'the body is not valid JSON', 'invalidSyntax');
  }
}
