import { isUtf8 } from 'node:buffer';
import type { RouteHandler } from '@hono/zod-openapi';
import { zValidator } from '@hono/zod-validator';
import type { Operation } from '@switchboard/contracts';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { type Body, readBody } from './body.ts';
import type { ByteBudget } from './byte-budget.ts';
import { bearer, type Credentials } from './credentials.ts';
import type { ErrorCodes, KitEnv, OperationEnv } from './env.ts';
import { invalid } from './error-answers.ts';
import { BadRequest } from './errors.ts';

type OperationHandler<O extends Operation> = RouteHandler<O, OperationEnv<O['credential']>>;

interface ImplementOptions<O extends Operation> {
  /** A further check of access, after the credential and before the request is judged. */
  authorize?: (c: Context<OperationEnv<O['credential']>>) => Promise<void>;
  /** Codes of this operation's own for rejections that the kit makes: `{ 413: 'FILE_TOO_LARGE' }`. */
  errorCodes?: ErrorCodes;
}

export type Implement = <O extends Operation>(
  operation: O,
  handler: OperationHandler<O>,
  options?: ImplementOptions<O>,
) => void;

interface Pipeline {
  hono: Hono<KitEnv>;
  budget: ByteBudget;
  credentials: Credentials;
  assertStarted: () => void;
}

/**
 * Registers operations as one handler each: credential, authorize, params and query, body, then the rule.
 * Nothing of a request is judged before access to it is settled.
 */
export function implementing({ hono, budget, credentials, assertStarted }: Pipeline): Implement {
  return (operation, handler, options = {}) => {
    const checks = requestChecks(operation);
    const schema = jsonSchema(operation);
    const takesQueryKey = Object.keys(shapeOf(operation.request?.query)).includes('api_key');
    const { maxBodyBytes, maxWireBytes = maxBodyBytes } = operation;

    async function settleAccess(c: Context): Promise<void> {
      switch (operation.credential) {
        case 'public':
          return;
        case 'project-key':
        case 'conversation': {
          const key = bearer(c) ?? (takesQueryKey ? c.req.query('api_key') : undefined);
          c.set('project', await credentials.projectKey(key));
          return;
        }
        case 'ingestion': {
          const key = bearer(c);
          if (key !== undefined) c.set('project', await credentials.projectKey(key));
          return;
        }
        case 'management':
          c.set('person', await credentials.operator(c));
          return;
        case 'access-token': {
          const person = await credentials.person(c);
          c.set('person', person);
          c.set('project', await credentials.membership(c.req.param('projectId') ?? '', person));
        }
      }
    }

    async function readJson(c: Context, body: Body): Promise<void> {
      let value: unknown;
      let fault: BadRequest | undefined;
      try {
        value = parseJson(body.bytes);
      } catch (error) {
        fault = error instanceof BadRequest ? error : new BadRequest('body: not valid JSON');
      }
      if (operation.credential === 'ingestion' && c.get('project') === undefined) {
        c.set('project', await credentials.projectKey(keyInBody(value)));
      }
      if (fault !== undefined) throw fault;
      const parsed = schema?.safeParse(value);
      if (parsed?.success === false) throw invalid(parsed.error, 'body');
      c.req.addValidatedData('json', parsed?.data as object);
    }

    const path = operation.path.replaceAll(/\{(.+?)\}/g, ':$1');
    hono.on(operation.method.toUpperCase(), path, async (c, next) => {
      c.set('operation', operation);
      c.set('errorCodes', options.errorCodes);
      assertStarted();
      await settleAccess(c);
      await options.authorize?.(c as never);
      for (const check of checks) await check(c, noNext);
      if (schema === undefined)
        return (handler as unknown as MiddlewareHandler)(c, next) as Promise<Response>;
      const body = await readBody(c, { maxWireBytes, maxBytes: maxBodyBytes, budget });
      try {
        await readJson(c, body);
        return await ((handler as unknown as MiddlewareHandler)(c, next) as Promise<Response>);
      } finally {
        budget.release(body.reserved);
      }
    });
  };
}

/** Validators of the path's parameters and the query, each answering the first problem by its name. */
function requestChecks(operation: Operation): MiddlewareHandler[] {
  const checks: MiddlewareHandler[] = [];
  const { params, query } = operation.request ?? {};
  if (params !== undefined) {
    checks.push(
      zValidator('param', params, (result) => {
        if (!result.success) throw invalid(result.error, 'path');
      }),
    );
  }
  if (query !== undefined) {
    checks.push(
      zValidator('query', query, (result) => {
        if (!result.success) throw invalid(result.error, 'query');
      }),
    );
  }
  return checks;
}

/** The schema of the JSON body; undefined for an operation without one. */
function jsonSchema(operation: Operation): z.ZodType | undefined {
  const media = operation.request?.body?.content['application/json'];
  if (media === undefined || !('schema' in media)) return undefined;
  return media.schema instanceof z.ZodType ? media.schema : undefined;
}

function shapeOf(schema: unknown): object {
  if (typeof schema !== 'object' || schema === null || !('shape' in schema)) return {};
  return typeof schema.shape === 'object' && schema.shape !== null ? schema.shape : {};
}

/** JSON whatever the Content-Type says, so that sendBeacon and a plain curl -d work. */
function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new BadRequest('body: not valid UTF-8');
  return JSON.parse(bytes.toString('utf8'));
}

function keyInBody(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('api_key' in body)) return undefined;
  return typeof body.api_key === 'string' ? body.api_key : undefined;
}

const noNext = async () => undefined;
