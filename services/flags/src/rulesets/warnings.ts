/** Returns `written` with the warnings, if there are any. */
export function withWarnings<T extends object>(written: T, warnings: string[]): T & { warnings?: string[] } {
  return warnings.length === 0 ? written : { ...written, warnings };
}
