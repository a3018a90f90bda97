/** The path of a property in JSON: `['series', 0, 'where', 1]`. */
export type Path = readonly (string | number)[];

interface AnyClause {
  op: string;
  value?: unknown;
}

/** A condition of a question, or of a cohort that the question uses. */
export interface PlacedClause<C extends AnyClause = AnyClause> {
  path: Path;
  clause: C;
  /** How many times an engine evaluates the condition. */
  times: number;
}

/**
 * The maximum number of conditions. An engine plans a question before a time-out can stop it, and each condition
 * takes time.
 */
export const MAX_CONDITIONS = 200;
const MAX_PARTS = 200;
const MAX_DEPTH = 10;

/**
 * Returns why an engine would take too long to plan these conditions, and the path of the condition. Undefined if it
 * would not.
 */
export function conditionsFault(
  clauses: readonly PlacedClause[],
): { path: (string | number)[]; message: string } | undefined {
  let [conditions, parts] = [0, 0];
  for (const { path, clause, times } of clauses) {
    conditions += times;
    if (conditions > MAX_CONDITIONS) {
      const message = `more than ${MAX_CONDITIONS} conditions in the query, counting those of where once for each series or step; use fewer`;
      return { path: [...path], message };
    }
    const value = [...path, 'value'];
    if (depthOf(clause.value) > MAX_DEPTH) {
      return { path: value, message: `objects and lists nested deeper than ${MAX_DEPTH} levels` };
    }
    parts += partsOf(clause);
    if (parts > MAX_PARTS) {
      return { path: value, message: `objects and lists of more than ${MAX_PARTS} parts in the query` };
    }
  }
  return undefined;
}

/**
 * Returns the number of parts that are compared by content. A list of plain values counts only for eq and neq.
 */
function partsOf({ op, value }: AnyClause): number {
  const values = op === 'eq' || op === 'neq' || !Array.isArray(value) ? [value] : value;
  return values.filter(isStructure).reduce<number>((sum, one) => sum + countParts(one), 0);
}

function countParts(value: unknown): number {
  if (!isStructure(value)) return 1;
  return Object.values(value).reduce<number>((sum, part) => sum + countParts(part), 1);
}

function depthOf(value: unknown): number {
  if (!isStructure(value)) return 0;
  return 1 + Object.values(value).reduce<number>((deepest, part) => Math.max(deepest, depthOf(part)), 0);
}

const isStructure = (value: unknown): value is object => typeof value === 'object' && value !== null;
