import type { InsightClause } from '@switchboard/contracts';
import { exactNumeric, numeric, parseInstant, parseSemanticVersion } from '@switchboard/flag-engine';
import type { Dialect } from '../engine/dialect.ts';
import { allOf, anyOf, FALSE, integer, number, numbers, type Sql, sql, text, texts } from '../engine/sql.ts';

/** A clause that no query can express. The message names its location. */
export class UnusableQuery extends Error {
  override readonly name = 'UnusableQuery';
}

type Test = (element: Sql) => Sql;
type Predicate = (clause: Omit<InsightClause, 'attribute'>, value: Sql) => Sql;

/**
 * Whether a JSON value, which may be missing, fulfills a clause, by the semantics of flags. Never null. `value` is
 * the SQL of a column.
 */
export function clausesIn(dialect: Dialect): Predicate {
  const { isKind, isSet: isSetIn, numericOf, parsedInstant, someElement, textOf, versionKey } = dialect;
  const equality = equalityIn(dialect);

  const ofAnyElement = (test: Test, value: Sql): Sql =>
    sql`coalesce(case when ${isKind(value, 'list')} then ${someElement(value, test)} else ${test(value)} end, false)`;

  function contains(values: readonly unknown[], value: Sql): Sql {
    const equals = equality(values);
    const parts = values.filter((part) => typeof part === 'string');
    const holdsPart: Test = (e) =>
      parts.length === 0 ? FALSE : sql`coalesce(${dialect.someIsPartOf(texts(parts), textOf(e))}, false)`;
    return sql`coalesce(case when ${isKind(value, 'list')}
      then ${someElement(value, (e) => anyOf([equals(e), holdsPart(e)]))} else ${holdsPart(value)} end, false)`;
  }

  /**
   * Compares numbers, versions and instants. No text is of two of these kinds, so the value of the clause decides.
   */
  function ordered(wanted: unknown, value: Sql, operator: Sql): Sql {
    const threshold = numeric(wanted);
    if (threshold !== undefined)
      return sql`coalesce(${numericOf(value)} ${operator} ${number(threshold)}, false)`;
    const version = parseSemanticVersion(wanted);
    if (version !== undefined)
      return sql`coalesce(${versionKey(textOf(value))} ${operator} ${text(keyOfVersion(version))}, false)`;
    const instant = parseInstant(wanted);
    return instant === undefined
      ? FALSE
      : sql`coalesce(${parsedInstant(textOf(value))} ${operator} ${number(instant)}, false)`;
  }

  return ({ op, value: wanted }, value) => {
    if (op === 'is_set') return isSetIn(value);
    if (op === 'is_not_set') return sql`(not ${isSetIn(value)})`;
    if (!isSet(wanted)) return FALSE;
    switch (op) {
      case 'eq':
        return ofAnyElement(equality([wanted]), value);
      case 'neq':
        return sql`(not ${ofAnyElement(equality([wanted]), value)})`;
      case 'in':
        return ofAnyElement(equality(listOf(wanted)), value);
      case 'not_in':
        return sql`(not ${ofAnyElement(equality(listOf(wanted)), value)})`;
      case 'contains':
        return contains(listOf(wanted), value);
      case 'in_cohort':
      case 'not_in_cohort':
        throw new Error('A cohort clause does not apply to a value.');
      default:
        return ordered(wanted, value, OPERATORS[op]);
    }
  };
}

/** Returns the key that `versionKey` computes from the version's text. */
function keyOfVersion({
  core,
  prerelease,
}: {
  core: readonly string[];
  prerelease: readonly string[];
}): string {
  const partOf = (part: string) =>
    /^\d+$/.test(part) ? `0${String(part.length).padStart(9, '0')}${part}` : `1${part}`;
  return [...core.map(partOf), ...(prerelease.length === 0 ? ['2'] : prerelease.map(partOf))].join('\u0001');
}

const OPERATORS = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const;

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function equalityIn(dialect: Dialect): (values: readonly unknown[]) => Test {
  const { holds, isKind, numberOf, parsedNumber, partOf, sizeOf, textOf, wordOf } = dialect;

  /** Whether a JSON value, or a part of it, equals `wanted`. Objects and lists are compared by content. */
  function same(wanted: unknown, whole: Sql, path: readonly (string | number)[] = []): Sql {
    const value = path.length === 0 ? whole : partOf(whole, path);
    if (wanted === null) return isKind(value, 'null');
    switch (typeof wanted) {
      case 'string':
        return sql`${textOf(value)} = ${text(wanted)}`;
      case 'boolean':
        return sql`(${isKind(value, 'boolean')} and ${wordOf(value)} = ${text(String(wanted))})`;
      case 'number':
        return sql`${numberOf(value)} = ${number(wanted)}`;
      default: {
        const isList = Array.isArray(wanted);
        const parts = isList ? [...wanted.entries()] : Object.entries(wanted ?? {});
        return sql`coalesce(${isKind(value, isList ? 'list' : 'object')} and ${sizeOf(value)} = ${integer(parts.length)}
          and ${allOf(parts.map(([name, part]) => same(part, whole, [...path, name])))}, false)`;
      }
    }
  }

  return (values) => {
    const strings = values.filter((value) => typeof value === 'string');
    const typed = values.filter((value) => typeof value === 'number').filter(Number.isFinite);
    const parsed = values.map(exactNumeric).filter((value) => value !== undefined);
    const words = values.filter((value) => typeof value === 'boolean').map(String);
    const structures = values.filter((value) => typeof value === 'object' && value !== null);
    const shown = [...strings, ...words].filter((word) => word === 'true' || word === 'false');
    const tests: Test[] = [];
    if (strings.length > 0) tests.push((e) => holds(texts(strings), textOf(e)));
    if (typed.length > 0) tests.push((e) => holds(numbers(typed), parsedNumber(textOf(e))));
    if (parsed.length > 0) tests.push((e) => holds(numbers(parsed), numberOf(e)));
    if (words.length > 0) tests.push((e) => holds(texts(words), textOf(e)));
    if (shown.length > 0)
      tests.push((e) => sql`(${isKind(e, 'boolean')} and ${holds(texts(shown), wordOf(e))})`);
    for (const structure of structures) tests.push((e) => same(structure, e));
    return (e) => anyOf(tests.map((test) => sql`coalesce(${test(e)}, false)`));
  };
}
