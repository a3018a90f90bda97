import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { insightQuery, type Operation, operations, reportDefinition } from '../index.ts';
import { problemsOf } from './problems.ts';

function problems(schema: z.ZodType, value: unknown, isStrict = true): string[] {
  const { error } = schema.safeParse(value);
  return problemsOf({ schema, value, error }, { where: 'body', most: 20, isStrict }).map(
    ({ message }) => message,
  );
}

const KINDS = '"trends", "funnel", "paths", "retention", "stickiness", "lifecycle"';
const series = [{ event: 'order placed' }];

describe('a value that matches no form of a union', () => {
  test.each([
    ['an unknown kind', { kind: 'trend' }, [`kind: must be one of ${KINDS}`]],
    ['no kind', {}, [`kind: required, must be one of ${KINDS}`]],
    [
      'nothing of any form',
      { kind: 'trends', series, range: { since: 'monday' } },
      ['range: must be {from, to} or {last, unit}'],
    ],
    ['another type', { kind: 'trends', series, range: 7 }, ['range: must be {from, to} or {last, unit}']],
    ['nothing', { kind: 'trends', series }, ['range: required, must be {from, to} or {last, unit}']],
    ['part of a form', { kind: 'trends', series, range: { last: 7 } }, ['range.unit: required']],
    [
      'a form with a wrong part',
      { kind: 'trends', series, range: { from: '2026-02-30', to: '2026-03-01' } },
      ['range.from: not a calendar day; use YYYY-MM-DD'],
    ],
  ])('names the accepted forms when the value has %s', (_, value, expected) => {
    expect(problems(insightQuery, value)).toEqual(expected);
  });

  it('names a nested value by its path', () => {
    expect(problems(reportDefinition, { name: 'R', query: { kind: 'trend' } })).toEqual([
      `query.kind: must be one of ${KINDS}`,
    ]);
  });

  it('names the plain types of a union', () => {
    const schema = z.object({ a: z.array(z.union([z.string(), z.number(), z.literal(true)])) });
    expect(problems(schema, { a: ['x', {}] })).toEqual(['a[1]: must be a string or a number or true']);
  });
});

/** Returns every union in a schema. */
function unionsIn(schema: z.core.$ZodType, seen = new Set<z.core.$ZodType>()): z.ZodUnion[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const inner = (
    schema instanceof z.ZodObject
      ? Object.values(schema.shape)
      : schema instanceof z.ZodArray
        ? [schema.element]
        : schema instanceof z.ZodRecord
          ? [schema.valueType]
          : schema instanceof z.ZodUnion
            ? schema.options
            : schema instanceof z.ZodOptional ||
                schema instanceof z.ZodNullable ||
                schema instanceof z.ZodDefault
              ? [schema.unwrap()]
              : []
  ) as z.core.$ZodType[];
  return [...(schema instanceof z.ZodUnion ? [schema] : []), ...inner.flatMap((one) => unionsIn(one, seen))];
}

const bodyOf = ({ request }: Operation) => {
  const media = request?.body?.content['application/json'];
  return media && 'schema' in media && media.schema instanceof z.ZodType ? [media.schema] : [];
};

test('names the accepted forms for every union in a request', () => {
  const unions = new Set(operations.flatMap(bodyOf).flatMap((body) => unionsIn(body)));
  expect(unions.size).toBeGreaterThan(1);
  for (const union of unions) {
    for (const wrong of [{}, { kind: 'x' }, [], 'x', 7]) {
      for (const problem of problems(union, wrong)) {
        expect(problem).toMatch(/must be (one of "|"|\{|an object|a string or a number)/);
      }
    }
  }
});

describe('unknown properties', () => {
  const flag = z.object({
    targeting: z.array(z.object({ attribute: z.string(), value: z.unknown() })).optional(),
    texts: z
      .record(z.string(), z.object({ greeting: z.string() }))
      .nullable()
      .optional(),
    range: z.union([z.object({ from: z.int(), to: z.int() }), z.object({ last: z.int() })]).optional(),
    more: z.looseObject({ known: z.boolean().optional() }).default({}),
  });

  test.each([
    ['at the top', { targetting: [] }, 'body: unknown property "targetting"; did you mean "targeting"?'],
    [
      'of an item',
      { targeting: [{ attribute: 'a', valeu: 1 }] },
      'targeting[0]: unknown property "valeu"; did you mean "value"?',
    ],
    [
      'of an entry',
      { texts: { en: { greeting: 'Hi', GREETING: 'x' } } },
      'texts.en: unknown property "GREETING"; known are greeting',
    ],
    ['of a form', { range: { last: 1, lsat: 2 } }, 'range: unknown property "lsat"; did you mean "last"?'],
    [
      'that resembles none',
      { colour: 'red' },
      'body: unknown property "colour"; known are targeting, texts, range, more',
    ],
    ['named __proto__', JSON.parse('{"__proto__":1}'), 'body: unknown property "__proto__"; known are'],
  ])('names an unknown property %s, and suggests known ones', (_, value, expected) => {
    expect(problems(flag, value)[0]).toContain(expected);
  });

  it('reports no unknown property in a value that accepts any', () => {
    const value = { targeting: [{ attribute: 'a', value: { any: { thing: 1 } } }], more: { any: 1 } };
    expect(problems(flag, value)).toEqual([]);
  });

  it('reports properties that the schema drops only in strict mode', () => {
    expect(problems(flag, { targetting: [] }, false)).toEqual([]);
  });
});
