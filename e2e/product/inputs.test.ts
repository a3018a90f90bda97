import { type Operation, operations } from '@switchboard/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { addressOf } from './testing/addresses.ts';
import { type DemoJson, standaloneForTests } from './testing/launch.ts';

/** Sends malformed text in the paths, queries and cursors of every operation, and unknown properties in bodies. */

const running = standaloneForTests();
let demo: DemoJson;
let companyId: string;
beforeAll(async () => {
  demo = running.demo;
  const response = await fetch(`${demo.management_url}/management/v1/projects/${demo.project_id}`, {
    headers: { Authorization: `Bearer ${demo.tokens.operator}` },
  });
  companyId = z.object({ companyId: z.string() }).parse(await response.json()).companyId;
});

function bearerFor({ credential }: Operation): string {
  if (credential === 'management') return demo.tokens.operator;
  return credential === 'access-token' || credential === 'console' ? demo.tokens.owner : demo.project_key;
}

async function ask(operation: Operation, { path = operation.path, query = '', body = '{}' }) {
  const ids: Record<string, string> = {
    projectId: demo.project_id,
    reportId: demo.report_id,
    companyId,
    kind: 'event',
    topic: 'events',
    partition: '0',
    offset: '0',
  };
  const named = path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? 'some-id');
  const response = await fetch(`${addressOf(demo, operation.host)}${named}${query}`, {
    method: operation.method.toUpperCase(),
    headers: { Authorization: `Bearer ${bearerFor(operation)}`, 'Content-Type': 'application/json' },
    ...(['get', 'delete'].includes(operation.method) ? {} : { body }),
  });
  // An event stream has no end.
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (isStream) await response.body?.cancel();
  const text = isStream ? '' : await response.text();
  return { status: response.status, text: text || (response.headers.get('x-error') ?? '') };
}

const shapeOf = (schema: unknown): Record<string, z.ZodType> =>
  schema instanceof z.ZodObject ? schema.shape : {};
const nameOf = ({ operationId, credential }: Operation) => `${operationId} (${credential})`;
/** Excludes public operations: they respond with 404 to any unknown id, malformed or not. */
const guarded = operations.filter(({ credential }) => credential !== 'public');

/** The status, and whether the message names the parameter. The token of a conversation, which these lack, comes first. */
const rejectionOf = ({ credential }: Operation) =>
  credential === 'conversation' ? [401, false] : [400, true];

describe('the parameters of every operation', () => {
  const inPath = guarded.filter(({ path }) => path.includes('{'));
  const inQuery = guarded.filter(({ request }) => Object.keys(shapeOf(request?.query)).length > 0);

  it.each(inPath.map((operation) => [nameOf(operation), operation] as const))(
    'rejects malformed text in the path of %s with 400',
    async (_, operation) => {
      const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      const asked = names.flatMap((name) =>
        ['a%00b', '%ff', '%ED%A0%80', '%C3'].map(async (malformed) => {
          const path = operation.path.replace(`{${name}}`, malformed);
          const { status, text } = await ask(operation, { path });
          expect([status, text.includes(`${name}: `)], `${path}: ${text}`).toEqual(rejectionOf(operation));
        }),
      );
      await Promise.all(asked);
    },
  );

  it.each(inQuery.map((operation) => [nameOf(operation), operation] as const))(
    'rejects malformed text in the query of %s with 400, and never with 500',
    async (_, operation) => {
      const names = Object.keys(shapeOf(operation.request?.query));
      const asked = names.flatMap((name) => [
        ...['%ff', '%ED%A0%80'].map(async (malformed) => {
          const { status, text } = await ask(operation, { query: `?${name}=${malformed}` });
          expect([status, text.includes(`${name}: `)], `${name}=${malformed}: ${text}`).toEqual(
            rejectionOf(operation),
          );
        }),
        ...['a%00b', '0000-01-01T00:00:00Z', '0000-01-01', '9'.repeat(400), ''].map(async (odd) => {
          const { status, text } = await ask(operation, { query: `?${name}=${odd}` });
          expect(status, `${name}=${odd}: ${text}`).toBeLessThan(500);
        }),
      ]);
      await Promise.all(asked);
    },
  );
});

describe('cursors', () => {
  const paged = guarded.filter(({ request }) => 'cursor' in shapeOf(request?.query));
  const encoded = (value: string | Buffer) => Buffer.from(value).toString('base64url');
  const forged = [
    encoded('["2026-01-01T00:00:00Z","\\u0000"]'),
    encoded('["0000-01-01T00:00:00.000Z","aud_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f"]'),
    encoded('["0000-01-01T00:00:00.000Z","cnv_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f"]'),
    encoded('["2016-12-31T23:59:60.000Z","\\ud800"]'),
    encoded('5 a\0b'),
    encoded(Buffer.from([0x35, 0x20, 0xff])),
    encoded('999999999999999 x'),
    '%00',
    'x'.repeat(2_000),
  ];

  it.each(paged.map((operation) => [nameOf(operation), operation] as const))(
    'rejects a cursor that %s did not return, without a server error',
    async (_, operation) => {
      const asked = forged.map(async (cursor) => {
        const { status, text } = await ask(operation, { query: `?cursor=${cursor}` });
        expect(status, `${cursor}: ${text}`).toBeLessThan(500);
      });
      await Promise.all(asked);
    },
  );
});

describe('unknown properties', () => {
  const withBody = guarded.filter(
    ({ credential, request }) =>
      ['management', 'console'].includes(credential) && request?.body?.content['application/json'],
  );

  it.each(withBody.map((operation) => [nameOf(operation), operation] as const))(
    'rejects an unknown property in the body of %s with 400, and names it',
    async (_, operation) => {
      const media = operation.request?.body?.content['application/json'];
      const example = z.looseObject({}).parse(media && 'example' in media ? media.example : {});
      const body = JSON.stringify({ ...example, unknwon: 1 });
      const { status, text } = await ask(operation, { body });
      const message = z.object({ error: z.object({ message: z.string() }) }).parse(JSON.parse(text))
        .error.message;
      expect([status, message]).toEqual([400, expect.stringMatching(/^body: unknown property "unknwon"; /)]);
    },
  );
});
