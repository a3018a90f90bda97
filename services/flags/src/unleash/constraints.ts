import { type Clause, numeric, parseSemanticVersion, type SemanticVersion } from '@switchboard/flag-engine';

/** A condition of an Unleash strategy. */
export interface Constraint {
  contextName: string;
  operator: string;
  values?: readonly string[];
  value?: string;
  inverted: boolean;
}

/** A part of a flag that Unleash's language cannot say. The message says which. */
export class Unsayable extends Error {}

const ORDERS: Readonly<Record<string, string>> = { gt: 'GT', gte: 'GTE', lt: 'LT', lte: 'LTE' };

/** Returns the constraints that together accept the same people as a clause. Throws Unsayable. */
export function constraintsOf({ attribute, op, value }: Clause): Constraint[] {
  const contextName = attribute === 'distinct_id' ? 'userId' : attribute;
  const constraint = (
    operator: string,
    rest: { values: readonly string[] } | { value: string; inverted?: boolean },
  ) => ({ contextName, operator, inverted: false, ...rest });
  switch (op) {
    case 'eq':
    case 'in':
      return [constraint('IN', { values: textsOf(op, op === 'eq' ? [value] : value) })];
    case 'neq':
    case 'not_in':
      return [constraint('NOT_IN', { values: textsOf(op, op === 'neq' ? [value] : value) })];
    case 'contains':
      if (!listOf(value).every((one) => typeof one === 'string'))
        throw new Unsayable('contains without a text');
      return [constraint('STR_CONTAINS', { values: textsOf(op, value) })];
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      if (numeric(value) !== undefined) return [constraint(`NUM_${ORDERS[op]}`, { value: String(value) })];
      const version = parseSemanticVersion(value);
      if (version === undefined) throw new Unsayable(`${op} with a value that is no number and no version`);
      if (op === 'gt' || op === 'lt') return [constraint(`SEMVER_${ORDERS[op]}`, { value: String(value) })];
      // Most SDKs do not know SEMVER_GTE and SEMVER_LTE. An inverted constraint also accepts people without a version;
      // the second one rejects them.
      return op === 'gte'
        ? [
            constraint('SEMVER_LT', { value: String(value), inverted: true }),
            constraint('SEMVER_GT', { value: below(version) }),
          ]
        : [
            constraint('SEMVER_GT', { value: String(value), inverted: true }),
            constraint('SEMVER_LT', { value: above(version) }),
          ];
    }
    case 'is_set':
    case 'is_not_set':
      throw new Unsayable(op);
    case 'in_cohort':
    case 'not_in_cohort':
      throw new Unsayable(`${op}: cohorts are not for project keys`);
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** SDKs compare texts, after trimming the values of the constraint and dropping empty ones. */
function textsOf(op: string, value: unknown): string[] {
  return listOf(value).map((one) => {
    const isPlain = typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean';
    const text = isPlain ? String(one) : '';
    if (text === '' || text.trim() !== text)
      throw new Unsayable(`${op} with a value that is empty, structured, or has white space around it`);
    // A text such as 1e3 equals the number 1000, which SDKs write differently.
    if (typeof one === 'string' && numeric(one) !== undefined && String(numeric(one)) !== one)
      throw new Unsayable(`${op} with the number ${one.slice(0, 40)} in an unusual form`);
    return text;
  });
}

const LOWEST = '0.0.0-0';

function below({ core, prerelease }: SemanticVersion): string {
  if (`${core.join('.')}-${prerelease.join('.')}` === LOWEST)
    throw new Unsayable('gte with the lowest version');
  return LOWEST;
}

const above = ({ core }: SemanticVersion) => `${BigInt(core[0] ?? 0) + 1n}.0.0`;
