/** The types of values that can be bound. A list is bound as one value. */
type BoundType = 'text' | 'integer' | 'number' | 'texts' | 'integers' | 'numbers';
type BoundValue = string | number | readonly string[] | readonly number[];

/** A value to bind. */
export interface Bound {
  readonly type: BoundType;
  readonly value: BoundValue;
}

/** Part of a query: its text, split at the bound values. Only `sql` creates one, so no value becomes text. */
export class Sql {
  readonly texts: readonly string[];
  readonly values: readonly Bound[];

  constructor(texts: readonly string[], values: readonly Bound[]) {
    this.texts = texts;
    this.values = values;
  }
}

/** Builds a query from literal text, other parts and bound values. */
export function sql(strings: TemplateStringsArray, ...inserted: readonly (Sql | Bound)[]): Sql {
  return concatenated(strings.flatMap((string, index) => [string, ...inserted.slice(index, index + 1)]));
}

/** Appends one by one: a call with very many arguments, such as `push(...parts)`, throws a RangeError. */
function concatenated(parts: readonly (string | Sql | Bound)[]): Sql {
  const texts: string[] = [];
  const values: Bound[] = [];
  let last = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      last += part;
    } else if (part instanceof Sql) {
      for (const [index, text] of part.texts.entries()) {
        if (index > 0) {
          texts.push(last);
          last = '';
        }
        last += text;
      }
      for (const value of part.values) values.push(value);
    } else {
      texts.push(last);
      last = '';
      values.push(part);
    }
  }
  texts.push(last);
  return new Sql(texts, values);
}

export const text = (value: string): Bound => ({ type: 'text', value });
export const integer = (value: number): Bound => ({ type: 'integer', value });
export const number = (value: number): Bound => ({ type: 'number', value });
export const texts = (value: readonly string[]): Bound => ({ type: 'texts', value });
export const integers = (value: readonly number[]): Bound => ({ type: 'integers', value });
export const numbers = (value: readonly number[]): Bound => ({ type: 'numbers', value });

export function join(parts: readonly Sql[], separator: Sql): Sql {
  return concatenated(parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part])));
}

/** 2^64. A sum of up to that number of values does not overflow once each is divided by it. */
export const SCALE = 2 ** 64;

export const COMMA = sql`, `;
export const TRUE = sql`true`;
export const FALSE = sql`false`;

export function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? TRUE : sql`(${join(conditions, sql` and `)})`;
}

export function anyOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? FALSE : sql`(${join(conditions, sql` or `)})`;
}

/** Returns a name with a number, such as a column of a step or a table of people. */
export function numbered(
  name: 'a' | 'c' | 'i' | 'k' | 'l' | 'n' | 't' | 'w' | 'people' | 'kept.persons' | 'kept.facts',
  index: number,
): Sql {
  return new Sql([`${name}${Math.trunc(index)}`], []);
}

/** Returns an internally computed integer as literal text, where an engine accepts no bound value. */
export function whole(value: number): Sql {
  return new Sql([String(Math.trunc(value))], []);
}
