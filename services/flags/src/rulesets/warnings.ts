import { type Clause, clauseWarnings } from '@switchboard/flag-engine';

/** Returns `written` with warnings about clauses that are probably mistakes. `path` is their place in the request. */
export function withWarnings<T extends object>(
  written: T,
  clauses: readonly Clause[] | undefined,
  path: string,
): T & { warnings?: string[] } {
  const warnings = clauseWarnings(clauses ?? [], path);
  return warnings.length === 0 ? written : { ...written, warnings };
}
