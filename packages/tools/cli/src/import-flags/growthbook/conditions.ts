import type { Clause } from '@switchboard/contracts';
import { parseInstant, parseSemanticVersion } from '@switchboard/flag-engine';
import {
  type Draft,
  hashOf,
  Inexpressible,
  inCohort,
  listedPeople,
  negationOf,
} from '../conversion/conversion.ts';

/** Saved groups by id. */
export type Groups = ReadonlyMap<string, { name: string; values: string[] }>;

interface Context {
  draft: Draft;
  groups: Groups;
}

/** Clauses of which all must match, in lists of which any must. */
type Alternatives = Clause[][];

const MAX_ALTERNATIVES = 20;
const EVERYONE: Alternatives = [[]];

/** Returns the alternatives that together match the same people as a condition. Throws Inexpressible. */
export function alternativesOf(condition: Readonly<Record<string, unknown>>, context: Context): Alternatives {
  return both(
    Object.entries(condition).map(([name, value]) => {
      switch (name) {
        case '$and':
          return both(conditionsIn(name, value).map((one) => alternativesOf(one, context)));
        case '$or':
          return bounded(conditionsIn(name, value).flatMap((one) => alternativesOf(one, context)));
        case '$nor':
          return both(conditionsIn(name, value).map((one) => negated(alternativesOf(one, context), context)));
        case '$not':
          return negated(alternativesOf(Object(value), context), context);
        default:
          return [clausesOf(name, value, context)];
      }
    }),
  );
}

function conditionsIn(name: string, value: unknown): Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(value)) throw new Inexpressible(`${name} without a list`);
  return value.map((one) => Object(one));
}

function both(all: readonly Alternatives[]): Alternatives {
  return all.reduce<Alternatives>(
    (product, next) => bounded(product.flatMap((one) => next.map((other) => [...one, ...other]))),
    EVERYONE,
  );
}

function bounded(alternatives: Alternatives): Alternatives {
  if (alternatives.length > MAX_ALTERNATIVES)
    throw new Inexpressible(`a condition with more than ${MAX_ALTERNATIVES} alternatives`);
  return alternatives;
}

/** Matches the people whom no alternative matches. */
function negated(alternatives: Alternatives, { draft }: Context): Alternatives {
  return [
    alternatives.map((match) => {
      if (match.length === 0 || match.some(({ op }) => op.endsWith('in_cohort')))
        throw new Inexpressible('a negated condition for everyone or with a saved group');
      const name = `Not: ${match.map(({ attribute, op, value }) => `${attribute} ${op} ${value ?? ''}`).join(', ')}`;
      return negationOf(match, { draft, product: 'growthbook', name });
    }),
  ];
}

function attributeOf(name: string): string {
  if (name.includes('.')) throw new Inexpressible(`the nested attribute ${name}`);
  if (name.startsWith('$')) throw new Inexpressible(`the operator ${name}`);
  return name === 'id' ? 'distinct_id' : name;
}

function clausesOf(name: string, value: unknown, context: Context): Clause[] {
  const attribute = attributeOf(name);
  const isOperators =
    typeof value === 'object' && value !== null && Object.keys(value).some((key) => key.startsWith('$'));
  if (!isOperators) return [equal(attribute, value)];
  return Object.entries(value).flatMap(([op, operand]) => operatorClauses(attribute, op, operand, context));
}

function equal(attribute: string, value: unknown): Clause {
  if (value === null) return { attribute, op: 'is_not_set' };
  if (typeof value === 'object') throw new Inexpressible(`${attribute} compared with an object or a list`);
  return { attribute, op: 'eq', value: plain(value) };
}

function plain(value: unknown): string | number | boolean {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  throw new Inexpressible('a comparison with an object');
}

const ORDERS = { $gt: 'gt', $gte: 'gte', $lt: 'lt', $lte: 'lte' } as const;
const VERSION_ORDERS = { $vgt: 'gt', $vgte: 'gte', $vlt: 'lt', $vlte: 'lte' } as const;

function operatorClauses(attribute: string, op: string, operand: unknown, context: Context): Clause[] {
  switch (op) {
    case '$eq':
      return [equal(attribute, operand)];
    case '$ne':
      return [
        operand === null ? { attribute, op: 'is_set' } : { attribute, op: 'neq', value: plain(operand) },
      ];
    case '$in':
    case '$nin':
      if (!Array.isArray(operand)) throw new Inexpressible(`${op} without a list`);
      return [listed(attribute, op === '$in' ? 'in' : 'not_in', operand.map(plain), context)];
    case '$exists':
      return [{ attribute, op: operand ? 'is_set' : 'is_not_set' }];
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      if (typeof operand !== 'number' && parseInstant(operand) === undefined)
        throw new Inexpressible(`${op} with ${operand}, which is neither a number nor a time`);
      return [{ attribute, op: ORDERS[op], value: plain(operand) }];
    case '$veq':
      return [
        { attribute, op: 'gte', value: versionOf(op, operand) },
        { attribute, op: 'lte', value: versionOf(op, operand) },
      ];
    case '$vgt':
    case '$vgte':
    case '$vlt':
    case '$vlte':
      return [{ attribute, op: VERSION_ORDERS[op], value: versionOf(op, operand) }];
    case '$inGroup':
    case '$notInGroup':
      return [grouped(attribute, op === '$inGroup' ? 'in' : 'not_in', String(operand), context)];
    case '$not':
      return negated([clausesOf(attribute, operand, context)], context).flat();
    default:
      throw new Inexpressible(`the operator ${op}`);
  }
}

function versionOf(op: string, value: unknown): string {
  if (parseSemanticVersion(value) === undefined)
    throw new Inexpressible(`${op} with ${value}, which is not a version`);
  return String(value);
}

function listed(
  attribute: string,
  op: 'in' | 'not_in',
  values: (string | number | boolean)[],
  { draft }: Context,
): Clause {
  if (attribute !== 'distinct_id') return { attribute, op, value: values };
  const ofList = { id: `growthbook-${hashOf(values)}`, name: `${values.length} people of GrowthBook` };
  return listedPeople(values.map(String), { draft, ofList, op });
}

/** Returns the clause for a saved group. A group of people becomes a cohort. */
function grouped(
  attribute: string,
  op: 'in' | 'not_in',
  groupId: string,
  { draft, groups }: Context,
): Clause {
  const group = groups.get(groupId);
  if (group === undefined)
    throw new Inexpressible(`the saved group ${groupId}; give the groups with --segments`);
  if (attribute !== 'distinct_id') return { attribute, op, value: group.values };
  const id = `growthbook-${groupId}`;
  draft.addCohort({ id, name: group.name, distinctIds: [...new Set(group.values)] });
  return inCohort(id, op === 'in' ? 'in_cohort' : 'not_in_cohort');
}
