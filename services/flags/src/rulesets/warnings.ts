import { type Clause, clauseWarnings } from '@switchboard/flag-engine';

/** What was written, with what is probably not meant by its clauses. `path` is their place in the request. */
export function withWarnings<T extends object>(
  written: T,
  clauses: readonly Clause[] | undefined,
  path: string,
): T & { warnings?: string[] } {
  const warnings = clauseWarnings(clauses ?? [], path);
  return warnings.length === 0 ? written : { ...written, warnings };
}
