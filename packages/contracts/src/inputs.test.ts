import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Operation, operations } from './index.ts';
import { unknownProperties } from './validation/schema-tree.ts';

interface Parameter {
  where: string;
  name: string;
  field: z.ZodType;
}

const shapeOf = (schema: unknown): Record<string, z.ZodType> =>
  schema instanceof z.ZodObject ? schema.shape : {};

const parameters = operations.flatMap(({ operationId, credential, request }): Parameter[] =>
  [request?.params, request?.query].flatMap((schema) =>
    Object.entries(shapeOf(schema)).map(([name, field]) => ({
      where: `${operationId} (${credential}): ${name}`,
      name,
      field,
    })),
  ),
);

const EXCEPT = [
  // Characters that a file name must not contain are removed.
  'uploadAttachment (conversation): name',
  // A malformed token gets the same response as an unknown one.
  'getSharedReport (public): token',
];

function accepted(value: unknown): string[] {
  return parameters
    .filter(({ where, field }) => !EXCEPT.includes(where) && field.safeParse(value).success)
    .map(({ where }) => where);
}

describe('the parameters in paths and queries', () => {
  it.each([
    ['a NUL character', 'a\0b'],
    ['half a surrogate pair', 'a\ud83d'],
    ['more than 2,000 characters', 'a'.repeat(2_001)],
  ])('every parameter in a path or query rejects %s', (_, value) => {
    expect(parameters.length).toBeGreaterThan(200);
    expect(accepted(value)).toEqual([]);
  });

  it('every parameter that is a time rejects times before year 1 and after year 9999 of UTC', () => {
    const times = parameters.filter(({ field }) => field.safeParse('2026-03-01T09:30:00Z').success);
    const onlyTimes = times.filter(({ field }) => !field.safeParse('x').success);
    expect(onlyTimes.length).toBeGreaterThan(3);
    for (const time of ['0000-01-01T00:00:00Z', '0001-01-01T00:30:00+01:00', '9999-12-31T23:30:00-01:00']) {
      expect(onlyTimes.filter(({ field }) => field.safeParse(time).success)).toEqual([]);
    }
  });
});

const bodyOf = ({ request }: Operation) => {
  const media = request?.body?.content['application/json'];
  return media && 'schema' in media && media.schema instanceof z.ZodType
    ? { schema: media.schema, example: media.example }
    : undefined;
};

describe('the bodies of calls of the console and of management', () => {
  const strict = operations.filter(
    (operation) =>
      ['console', 'management'].includes(operation.credential) && bodyOf(operation) !== undefined,
  );

  it('every body of the console and of management has an example in which each unknown property is found', () => {
    expect(strict.length).toBeGreaterThan(30);
    for (const operation of strict) {
      const { schema, example } = bodyOf(operation) ?? { schema: z.unknown() };
      expect([...unknownProperties(schema, example)], operation.operationId).toEqual([]);
      expect(
        [...unknownProperties(schema, { ...Object(example), unknwon: 1 })],
        operation.operationId,
      ).toEqual([{ path: [], name: 'unknwon', known: Object.keys(shapeOf(schema)) }]);
    }
  });
});
