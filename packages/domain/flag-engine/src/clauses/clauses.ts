import { isRecord, toJson } from '../json.ts';
import type { Clause, ClauseOperator, Person, Traits, User } from '../types.ts';
import { type Equality, equalityWithAny } from './equality.ts';
import { comparisonWith } from './order.ts';

/** Returns whether a user with known state matches a clause. */
export type ClauseTest = (user: User) => boolean;

/**
 * Returns whether a user matches every clause. A malformed clause (no attribute, unknown operator) matches no user.
 * Neither does a clause with a value that is absent, null or of a type its operator cannot use, even with a negative
 * operator.
 */
export function matchesClauses(clauses: readonly Clause[], user: User): boolean {
  const tests = compileClauses(clauses);
  return tests !== undefined && matchesAll(tests, user);
}

export function matchesAll(tests: readonly ClauseTest[], user: User): boolean {
  if (user.stateUnavailable === true) return tests.length === 0;
  for (const test of tests) if (!test(user)) return false;
  return true;
}

/** Compiles clauses for many users. Returns `undefined` if they are malformed. */
export function compileClauses(clauses: unknown): readonly ClauseTest[] | undefined {
  if (!Array.isArray(clauses)) return undefined;
  const tests: ClauseTest[] = [];
  for (const clause of clauses) {
    const test = compileClause(clause);
    if (test === undefined) return undefined;
    tests.push(test);
  }
  return tests;
}

/** Returns whether an entry is a clause about cohorts. */
export function isCohortClause(clause: unknown): boolean {
  return isRecord(clause) && (clause['op'] === 'in_cohort' || clause['op'] === 'not_in_cohort');
}

function compileClause(clause: unknown): ClauseTest | undefined {
  if (!isRecord(clause)) return undefined;
  const { attribute, op, value } = clause;
  if (typeof attribute !== 'string' || !isOperator(op)) return undefined;
  if (op === 'in_cohort' || op === 'not_in_cohort') return cohortTest(value, op === 'in_cohort');
  const read = attributeReader(attribute);
  const test = attributeTests[op](value);
  return (user) => test(read(user));
}

type AttributeTest = (attribute: unknown) => boolean;

const never: AttributeTest = () => false;

const attributeTests: Record<
  Exclude<ClauseOperator, 'in_cohort' | 'not_in_cohort'>,
  (value: unknown) => AttributeTest
> = {
  is_set: () => isSet,
  is_not_set: () => (attribute) => !isSet(attribute),
  eq: (value) => (isSet(value) ? anyElement(equalityWithAny([value])) : never),
  neq: (value) => (isSet(value) ? not(anyElement(equalityWithAny([value]))) : never),
  in: (value) => (isSet(value) ? anyElement(equalityWithAny(listOf(value))) : never),
  not_in: (value) => (isSet(value) ? not(anyElement(equalityWithAny(listOf(value)))) : never),
  contains: (value) => (isSet(value) ? containsAny(listOf(value)) : never),
  gt: (value) => ordered(value, (order) => order > 0),
  gte: (value) => ordered(value, (order) => order >= 0),
  lt: (value) => ordered(value, (order) => order < 0),
  lte: (value) => ordered(value, (order) => order <= 0),
};

function isOperator(op: unknown): op is ClauseOperator {
  if (op === 'in_cohort' || op === 'not_in_cohort') return true;
  return typeof op === 'string' && Object.hasOwn(attributeTests, op);
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function not(test: AttributeTest): AttributeTest {
  return (attribute) => !test(attribute);
}

function anyElement(equals: Equality): AttributeTest {
  return (attribute) => (Array.isArray(attribute) ? attribute.some(equals) : equals(attribute));
}

function containsAny(values: readonly unknown[]): AttributeTest {
  const equals = equalityWithAny(values);
  const parts = values.filter((value) => typeof value === 'string');
  const holdsPart = (attribute: unknown) =>
    typeof attribute === 'string' && parts.some((part) => attribute.includes(part));
  return (attribute) =>
    Array.isArray(attribute)
      ? attribute.some((element) => equals(element) || holdsPart(element))
      : holdsPart(attribute);
}

function ordered(value: unknown, accepts: (order: number) => boolean): AttributeTest {
  const compare = comparisonWith(value);
  return compare === undefined ? never : (attribute) => accepts(compare(attribute));
}

function cohortTest(value: unknown, wanted: boolean): ClauseTest {
  if (typeof value !== 'string' && !Array.isArray(value)) return never;
  const ids = listOf(value).filter((id) => typeof id === 'string');
  return (user) => ids.some((id) => user.cohorts.has(id)) === wanted;
}

/**
 * Reads an attribute of a person as JSON. Returns `undefined` if it is missing. Throws if JSON cannot represent it.
 */
type AttributeReader = (person: Person) => unknown;

const GROUP_ATTRIBUTE = /^group\.([^.]+)\.(.+)$/s;

/** Creates a reader of `distinct_id`, `group.<type>.<trait>` or a trait. Traits with such names cannot be read. */
function attributeReader(name: string): AttributeReader {
  if (name === 'distinct_id') return (person) => person.distinctId;
  const [, type, trait] = GROUP_ATTRIBUTE.exec(name) ?? [];
  if (type === undefined || trait === undefined) return (person) => own(person.traits, name);
  return ({ groups }) => {
    if (groups === undefined || !Object.hasOwn(groups, type)) return undefined;
    return own(groups[type], trait);
  };
}

/** Returns the value that a clause compares. Undefined if it is missing. Throws if JSON cannot represent it. */
export const attributeOf = (person: Person, name: string): unknown => attributeReader(name)(person);

function own(traits: Traits | null | undefined, name: string): unknown {
  if (traits === undefined || traits === null || !Object.hasOwn(traits, name)) return undefined;
  return toJson(traits[name]);
}
