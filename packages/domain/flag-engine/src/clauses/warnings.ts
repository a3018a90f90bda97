import type { Clause, ClauseOperator, Flag } from '../types.ts';
import { comparisonWith } from './order.ts';

const ORDERING: readonly ClauseOperator[] = ['gt', 'gte', 'lt', 'lte'];
/** A string that is a number and looks like the version 1.10. */
const TWO_PART_VERSION = /^\d+\.\d+$/;

/** Returns the probable mistakes in clauses that can be stored, each with its path: `targeting[0].value: ...`. */
export function clauseWarnings(clauses: readonly Clause[], path: string): string[] {
  return clauses.flatMap(({ op, value }, index) => {
    if (!ORDERING.includes(op)) return [];
    const warning = orderWarning(value);
    return warning === undefined ? [] : [`${path}[${index}].value: ${warning}`];
  });
}

/** Returns the probable mistakes in the clauses of a flag. Paths begin with `prefix`. */
export function flagWarnings({ targeting, rules }: Pick<Flag, 'targeting' | 'rules'>, prefix = ''): string[] {
  return [
    ...clauseWarnings(targeting ?? [], `${prefix}targeting`),
    ...(rules ?? []).flatMap((rule, index) =>
      clauseWarnings(rule.targeting, `${prefix}rules[${index}].targeting`),
    ),
  ];
}

function orderWarning(value: unknown): string | undefined {
  if (comparisonWith(value) === undefined) {
    return 'not a number, a version with three parts or an ISO 8601 time with an offset, so the clause never matches';
  }
  if (typeof value !== 'string' || !TWO_PART_VERSION.test(value)) return undefined;
  return `compared as a number, so 1.10 is less than 1.9; write ${value}.0 to compare versions`;
}
