/** The types of values that queries are given. Lists are bound as one value. */
type BoundType = 'text' | 'integer' | 'number' | 'texts' | 'integers' | 'numbers';
type BoundValue = string | number | readonly string[] | readonly number[];

/** A value to bind. */
export interface Bound {
  readonly type: BoundType;
  readonly value: BoundValue;
}

/** Part of a query: its text, cut where a value is bound. Only `sql` makes one, so no value becomes text. */
export class Sql {
  readonly texts: readonly string[];
  readonly values: readonly Bound[];

  constructor(texts: readonly string[], values: readonly Bound[]) {
    this.texts = texts;
    this.values = values;
  }
}

/** A query of literal text, other parts and bound values. */
export function sql(strings: TemplateStringsArray, ...inserted: readonly (Sql | Bound)[]): Sql {
  const texts: string[] = [strings[0] ?? ''];
  const values: Bound[] = [];
  const append = (text: string) => texts.push((texts.pop() ?? '') + text);
  for (const [index, part] of inserted.entries()) {
    if (part instanceof Sql) {
      append(part.texts[0] ?? '');
      texts.push(...part.texts.slice(1));
      values.push(...part.values);
    } else {
      texts.push('');
      values.push(part);
    }
    append(strings[index + 1] ?? '');
  }
  return new Sql(texts, values);
}

export const text = (value: string): Bound => ({ type: 'text', value });
export const integer = (value: number): Bound => ({ type: 'integer', value });
export const number = (value: number): Bound => ({ type: 'number', value });
export const texts = (value: readonly string[]): Bound => ({ type: 'texts', value });
export const integers = (value: readonly number[]): Bound => ({ type: 'integers', value });
export const numbers = (value: readonly number[]): Bound => ({ type: 'numbers', value });

export function join(parts: readonly Sql[], separator: Sql): Sql {
  const [first = sql``, ...rest] = parts;
  return rest.reduce((joined, part) => sql`${joined}${separator}${part}`, first);
}

export const COMMA = sql`, `;
export const TRUE = sql`true`;
export const FALSE = sql`false`;

export function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? TRUE : sql`(${join(conditions, sql` and `)})`;
}

export function anyOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? FALSE : sql`(${join(conditions, sql` or `)})`;
}

/** A name with a number, such as a column of a step, or a table of people. */
export function numbered(name: 'a' | 'c' | 'i' | 'k' | 'l' | 'n' | 't' | 'w' | 'people', index: number): Sql {
  return new Sql([`${name}${Math.trunc(index)}`], []);
}

/** A whole number of ours, where an engine takes no bound value. */
export function whole(value: number): Sql {
  return new Sql([String(Math.trunc(value))], []);
}
