import type { Clause } from '@switchboard/contracts';
import { parseSemanticVersion } from '@switchboard/flag-engine';
import { type Draft, Inexpressible } from '../conversion/conversion.ts';
import type { Condition, Rule, Segment } from './document.ts';

/** Clauses of which all must match, in lists of which any must. */
type Alternatives = Clause[][];

const MAX_ALTERNATIVES = 20;

/**
 * Adds the cohorts that together contain the people of a segment, one for each alternative, and returns their ids.
 * Throws Inexpressible.
 */
export function cohortsOf({ id, name, rules }: Segment, draft: Draft): string[] {
  try {
    const alternatives = rules.length === 0 ? [] : every(rules.map(alternativesOf));
    if (alternatives.some((match) => match.length === 0)) throw new Inexpressible('a rule for everyone');
    return alternatives.map((match, index) => {
      const isFirst = index === 0;
      const cohortId = isFirst ? `flagsmith-segment-${id}` : `flagsmith-segment-${id}-${index + 1}`;
      draft.addCohort({ id: cohortId, name: isFirst ? name : `${name} (${index + 1})`, match });
      return cohortId;
    });
  } catch (error) {
    if (error instanceof Inexpressible) throw new Inexpressible(`the segment ${name}, with ${error.message}`);
    throw error;
  }
}

function alternativesOf({ type, conditions, rules }: Rule): Alternatives {
  const own = conditions ?? [];
  const nested = (rules ?? []).map(alternativesOf);
  if (own.length === 0) return every(nested);
  if (type === 'ANY') return every([own.map(clausesOf), ...nested]);
  const all = own.flatMap(type === 'ALL' ? clausesOf : negatedClause);
  return every([[all], ...nested]);
}

function every(all: readonly Alternatives[]): Alternatives {
  return all.reduce<Alternatives>(
    (product, next) => {
      const combined = product.flatMap((one) => next.map((other) => [...one, ...other]));
      if (combined.length > MAX_ALTERNATIVES)
        throw new Inexpressible(`more than ${MAX_ALTERNATIVES} alternatives`);
      return combined;
    },
    [[]],
  );
}

function attributeOf({ property_, property }: Condition): string {
  const name = property_ ?? property ?? '';
  if (name === '$.identity.identifier') return 'distinct_id';
  if (name === '' || name.startsWith('$.')) throw new Inexpressible(`the property ${name || 'of no name'}`);
  return name;
}

const ORDERS = {
  GREATER_THAN: 'gt',
  GREATER_THAN_INCLUSIVE: 'gte',
  LESS_THAN: 'lt',
  LESS_THAN_INCLUSIVE: 'lte',
} as const;

function clausesOf(condition: Condition): Clause[] {
  const { operator } = condition;
  if (operator === 'PERCENTAGE_SPLIT') throw new Inexpressible('a percentage');
  const attribute = attributeOf(condition);
  const value = String(condition.value ?? '');
  switch (operator) {
    case 'EQUAL':
      return isVersion(value)
        ? [
            { attribute, op: 'gte', value: versionOf(value) },
            { attribute, op: 'lte', value: versionOf(value) },
          ]
        : [{ attribute, op: 'eq', value }];
    case 'NOT_EQUAL':
      if (isVersion(value)) throw new Inexpressible('NOT_EQUAL with a version');
      // A condition does not match a missing trait.
      return [
        { attribute, op: 'neq', value },
        { attribute, op: 'is_set' },
      ];
    case 'CONTAINS':
      return [{ attribute, op: 'contains', value }];
    case 'IN':
      return [{ attribute, op: 'in', value: listIn(condition) }];
    case 'IS_SET':
      return [{ attribute, op: 'is_set' }];
    case 'IS_NOT_SET':
      return [{ attribute, op: 'is_not_set' }];
    case 'GREATER_THAN':
    case 'GREATER_THAN_INCLUSIVE':
    case 'LESS_THAN':
    case 'LESS_THAN_INCLUSIVE':
      return [
        {
          attribute,
          op: ORDERS[operator],
          value: isVersion(value) ? versionOf(value) : numberOf(operator, value),
        },
      ];
    default:
      throw new Inexpressible(`the operator ${operator}`);
  }
}

/** Returns the clause for everyone whom a condition does not match, with people without the trait. */
function negatedClause(condition: Condition): Clause[] {
  const attribute = attributeOf(condition);
  const value = String(condition.value ?? '');
  switch (condition.operator) {
    case 'EQUAL':
      if (isVersion(value)) throw new Inexpressible('NONE of a version');
      return [{ attribute, op: 'neq', value }];
    case 'IN':
      return [{ attribute, op: 'not_in', value: listIn(condition) }];
    case 'IS_SET':
      return [{ attribute, op: 'is_not_set' }];
    case 'IS_NOT_SET':
      return [{ attribute, op: 'is_set' }];
    default:
      throw new Inexpressible(`NONE of ${condition.operator}`);
  }
}

const isVersion = (value: string) => value.endsWith(':semver');

function versionOf(value: string): string {
  const version = value.replace(/:semver$/, '');
  if (parseSemanticVersion(version) === undefined)
    throw new Inexpressible(`${version}, which is not a version`);
  return version;
}

function numberOf(operator: string, value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number))
    throw new Inexpressible(`${operator} with ${value || 'nothing'}, which is not a number`);
  return number;
}

/** Returns the values of an IN, which are a list, a JSON list in a text, or separated by commas. */
function listIn({ value }: Condition): string[] {
  if (Array.isArray(value)) return value;
  const text = value ?? '';
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list)) return list.map(String);
  } catch {
    // Not a JSON list.
  }
  return text.split(',');
}
