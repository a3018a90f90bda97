import { z } from '@hono/zod-openapi';
import { describe, expect, test } from 'vitest';
import { openApiDocument } from './openapi.ts';
import { consoleOperations, operations, publicOperations } from './operations.ts';

/** The document as clients receive it. */
const document = JSON.parse(JSON.stringify(openApiDocument({ management: true })));

interface Media {
  schema: { $ref?: string; example?: unknown };
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

/** Returns the examples of a body: its own, by name, or the one of its schema. */
function examplesOf({ schema, example, examples }: Media): unknown[] {
  if (examples !== undefined) return Object.values(examples).map(({ value }) => value);
  const named =
    schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  const one = example ?? named.example;
  return one === undefined ? [] : [one];
}

const faultsOf = (schema: unknown, value: unknown) =>
  schema instanceof z.ZodType ? schema.safeParse(value).error?.issues : ['the schema is not a Zod schema'];

const schemaOf = (media: unknown) =>
  typeof media === 'object' && media !== null && 'schema' in media ? media.schema : undefined;

const twins = new Set(consoleOperations);

describe.each(publicOperations.filter((one) => !twins.has(one)))(
  'the examples of $operationId',
  ({ method, path, request, responses, errorShape }) => {
    const described = document.paths[path][method];

    test('the operation has a summary and a description', () => {
      expect(described.summary).toMatch(/^[A-Z].{10,}[^.]$/);
      expect(described.description).toMatch(/.{30,}\.$/);
    });

    test('the operation has a valid example of every parameter', () => {
      for (const part of ['params', 'query', 'headers'] as const) {
        const schema = request?.[part];
        if (!(schema instanceof z.ZodObject)) continue;
        for (const [name, field] of Object.entries(schema.shape)) {
          const parameter = described.parameters.find((one: { name: string }) => one.name === name);
          expect(parameter.schema.example, name).toBeDefined();
          expect(faultsOf(field, parameter.schema.example), name).toBeUndefined();
        }
      }
    });

    test('the operation has a valid example of the body', () => {
      if (described.requestBody === undefined) return;
      const media: Media | undefined = described.requestBody.content['application/json'];
      if (media === undefined) {
        expect(described.requestBody.content['application/octet-stream'].schema.format).toBe('binary');
        return;
      }
      const schema = schemaOf(request?.body?.content['application/json']);
      expect(examplesOf(media)).not.toEqual([]);
      for (const example of examplesOf(media)) expect(faultsOf(schema, example)).toBeUndefined();
    });

    test('the operation has a valid example of each response', () => {
      for (const [status, response] of Object.entries(responses)) {
        if (Number(status) >= 400) continue;
        const media: Media | undefined = described.responses[status].content?.['application/json'];
        if (media === undefined) continue;
        const schema = schemaOf('content' in response ? response.content?.['application/json'] : undefined);
        expect(examplesOf(media), status).not.toEqual([]);
        for (const example of examplesOf(media)) expect(faultsOf(schema, example), status).toBeUndefined();
      }
    });

    test('the operation has an example of each error in its shape', () => {
      const errors = Object.entries<{ headers?: object; content?: object }>(described.responses).filter(
        ([status]) => Number(status) >= 400,
      );
      expect(errors.length).toBeGreaterThan(1);
      for (const [status, response] of errors) {
        if (errorShape === 'empty') {
          expect(response, status).not.toHaveProperty('content');
          expect(response, status).toHaveProperty(
            'headers.X-Error.schema.example',
            expect.stringMatching(/.+/),
          );
          continue;
        }
        const media = (response.content as Record<string, Media>)['application/json'];
        const examples = media === undefined ? [] : examplesOf(media);
        expect(examples, status).not.toEqual([]);
        for (const example of examples) {
          const text = expect.stringMatching(/.+/);
          const code = expect.stringMatching(/^[A-Z_]+$/);
          const shapes = {
            A: { statusCode: Number(status), message: text, error: text },
            B: { error: { code, message: text } },
            ofrep: { errorCode: code, errorDetails: text },
          };
          expect(example, status).toEqual(shapes[errorShape]);
        }
      }
    });
  },
);

test('every code of an error with several codes has an example', () => {
  const at = (path: string, method: string, status: number) =>
    document.paths[path][method].responses[status].content['application/json'].examples;
  const translations = at('/v1/projects/{projectId}/messenger/translations', 'post', 402);
  expect(Object.keys(translations)).toEqual(['AI_DISABLED', 'AI_LIMIT_REACHED']);
  const uploads = at('/v1/conversations/{id}/attachments', 'post', 400);
  expect(uploads).toEqual({
    ATTACHMENT_UNREAD: {
      value: {
        error: { code: 'ATTACHMENT_UNREAD', message: 'The body is empty; send the bytes of the file.' },
      },
    },
    BAD_REQUEST: { value: { error: { code: 'BAD_REQUEST', message: 'name: longer than 200 characters' } } },
  });
});

test('the example of 400 names an existing field', () => {
  const { examples } = document.paths['/v1/events'].post.responses[400].content['application/json'];
  expect(examples.BAD_REQUEST.value.message).toBe('events: required');
});

test('the example bodies of the management API are valid', () => {
  let bodies = 0;
  for (const { method, path, operationId, request } of operations.filter((one) => !twins.has(one))) {
    const media: Media | undefined = document.paths[path][method].requestBody?.content['application/json'];
    if (media === undefined) continue;
    bodies++;
    const schema = schemaOf(request?.body?.content['application/json']);
    expect(examplesOf(media), operationId).not.toEqual([]);
    for (const example of examplesOf(media)) expect(faultsOf(schema, example), operationId).toBeUndefined();
  }
  expect(bodies).toBeGreaterThan(25);
});
