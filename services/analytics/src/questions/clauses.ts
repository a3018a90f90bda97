import type { InsightClause } from '@switchboard/contracts';
import { numeric } from '@switchboard/flag-engine';
import { allOf, anyOf, FALSE, integer, numbers, type Sql, sql, text, texts } from '../engine/sql.ts';

/** The clause has something that no query can say. The message names its part. */
export class Unanswerable extends Error {
  override readonly name = 'Unanswerable';
}

/** Parts of objects and lists that the values of a question may compare with. */
const MAX_STRUCTURE_PARTS = 200;

type Test = (element: Sql) => Sql;

/**
 * Whether a JSON value (null where it is missing) fulfils a clause, by the semantics of flags. Never null. `value` is
 * the SQL of a column.
 */
export function fulfils({ op, value: wanted }: Omit<InsightClause, 'attribute'>, value: Sql): Sql {
  switch (op) {
    case 'is_set':
      return sql`is_set(${value})`;
    case 'is_not_set':
      return sql`(not is_set(${value}))`;
    case 'eq':
      return isSet(wanted) ? ofAnyElement(equalsAny([wanted]), value) : FALSE;
    case 'neq':
      return isSet(wanted) ? sql`(not ${ofAnyElement(equalsAny([wanted]), value)})` : FALSE;
    case 'in':
      return isSet(wanted) ? ofAnyElement(equalsAny(listOf(wanted)), value) : FALSE;
    case 'not_in':
      return isSet(wanted) ? sql`(not ${ofAnyElement(equalsAny(listOf(wanted)), value)})` : FALSE;
    case 'contains':
      return isSet(wanted) ? contains(listOf(wanted), value) : FALSE;
    case 'gt':
      return ordered(wanted, value, sql`>`);
    case 'gte':
      return ordered(wanted, value, sql`>=`);
    case 'lt':
      return ordered(wanted, value, sql`<`);
    case 'lte':
      return ordered(wanted, value, sql`<=`);
    case 'in_cohort':
    case 'not_in_cohort':
      throw new Unanswerable('op: cohorts are not available to insights yet');
  }
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function ofAnyElement(test: Test, value: Sql): Sql {
  return sql`coalesce(case when json_type(${value}) = 'ARRAY'
    then len(list_filter(from_json(${value}, '["JSON"]'), lambda e: ${test(sql`e`)})) > 0
    else ${test(value)} end, false)`;
}

function equalsAny(values: readonly unknown[]): Test {
  const strings = values.filter((value) => typeof value === 'string');
  const typed = values.filter((value) => typeof value === 'number').filter(Number.isFinite);
  const parsed = values.map(numeric).filter((value) => value !== undefined);
  const words = values.filter((value) => typeof value === 'boolean').map(String);
  const structures = values.filter((value) => typeof value === 'object' && value !== null);
  const tests: Test[] = [];
  if (strings.length > 0) tests.push((e) => sql`list_contains(${texts(strings)}, text_of(${e}))`);
  if (typed.length > 0)
    tests.push((e) => sql`list_contains(${numbers(typed)}, parsed_number(text_of(${e})))`);
  if (parsed.length > 0) tests.push((e) => sql`list_contains(${numbers(parsed)}, number_of(${e}))`);
  if (words.length > 0) tests.push((e) => sql`list_contains(${texts(words)}, text_of(${e}))`);
  const shown = [...strings, ...words].filter((word) => word === 'true' || word === 'false');
  if (shown.length > 0)
    tests.push((e) => sql`(json_type(${e}) = 'BOOLEAN' and list_contains(${texts(shown)}, (${e}->>'$')))`);
  let parts = 0;
  for (const structure of structures) {
    parts += partsOf(structure);
    if (parts > MAX_STRUCTURE_PARTS)
      throw new Unanswerable(`value: objects and lists of more than ${MAX_STRUCTURE_PARTS} parts`);
    tests.push((e) => same(structure, e));
  }
  return (e) => anyOf(tests.map((test) => sql`coalesce(${test(e)}, false)`));
}

function partsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, part) => sum + partsOf(part), 1);
}

/** Whether a JSON value is this one, objects and lists by content. Null where it is missing. */
function same(wanted: unknown, value: Sql): Sql {
  if (wanted === null) return sql`json_type(${value}) = 'NULL'`;
  switch (typeof wanted) {
    case 'string':
      return sql`text_of(${value}) = ${text(wanted)}`;
    case 'boolean':
      return sql`(json_type(${value}) = 'BOOLEAN' and (${value}->>'$') = ${text(String(wanted))})`;
    case 'number':
      return sql`number_of(${value}) = ${{ type: 'number', value: wanted }}`;
    default:
      return Array.isArray(wanted)
        ? sameList(wanted, value)
        : sameObject(Object.entries(wanted ?? {}), value);
  }
}

function sameList(wanted: readonly unknown[], value: Sql): Sql {
  const parts = wanted.map((part, index) => same(part, partOf(value, String(index))));
  return sql`coalesce(json_type(${value}) = 'ARRAY' and json_array_length(${value}) = ${integer(wanted.length)} and ${allOf(parts)}, false)`;
}

function sameObject(wanted: readonly (readonly [string, unknown])[], value: Sql): Sql {
  const parts = wanted.map(([name, part]) => same(part, partOf(value, name)));
  return sql`coalesce(json_type(${value}) = 'OBJECT' and len(json_keys(${value})) = ${integer(wanted.length)} and ${allOf(parts)}, false)`;
}

/** The part of a JSON value with this name or index; null where it has none. */
export function partOf(value: Sql, ...names: readonly string[]): Sql {
  const pointer = names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return sql`json_extract(${value}, ${text(pointer)})`;
}

function contains(values: readonly unknown[], value: Sql): Sql {
  const equals = equalsAny(values);
  const parts = values.filter((part) => typeof part === 'string');
  const holdsPart: Test = (e) =>
    parts.length === 0
      ? FALSE
      : sql`coalesce(len(list_filter(${texts(parts)}, lambda part: contains(text_of(${e}), part))) > 0, false)`;
  return sql`coalesce(case when json_type(${value}) = 'ARRAY'
    then len(list_filter(from_json(${value}, '["JSON"]'), lambda e: ${equals(sql`e`)} or ${holdsPart(sql`e`)})) > 0
    else ${holdsPart(value)} end, false)`;
}

/** Numbers, versions and instants; no text is of two of these kinds, so the value of the clause decides. */
function ordered(wanted: unknown, value: Sql, operator: Sql): Sql {
  const threshold = numeric(wanted);
  if (threshold !== undefined)
    return sql`coalesce(numeric_of(${value}) ${operator} ${{ type: 'number', value: threshold }}, false)`;
  if (typeof wanted !== 'string') return FALSE;
  return sql`coalesce(
    version_key(text_of(${value})) ${operator} version_key(${text(wanted)}),
    parsed_instant(text_of(${value})) ${operator} parsed_instant(${text(wanted)}), false)`;
}
