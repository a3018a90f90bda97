/** parseArgs options with the same meaning in every bench that has them. */
export const OPTIONS = {
  /** Parts of scenario names, separated by commas. Default: all scenarios. */
  only: { type: 'string', default: '' },
  /** The duration of each measurement. */
  seconds: { type: 'string', default: '6' },
  /** The number of measurements of a scenario. The one with the median rate counts. */
  runs: { type: 'string', default: '3' },
  /** The folder for CPU profiles of the measured services. */
  profile: { type: 'string' },
  /** Appends the ratios to the history. */
  record: { type: 'boolean', default: false },
  /** Exits with code 1 if a ratio is worse than usual. */
  check: { type: 'boolean', default: false },
} as const;

/** Returns the scenarios with a name that contains one of the parts in `--only`. Throws if there are none. */
export function selected<T>(scenarios: readonly T[], only: string, nameOf: (scenario: T) => string): T[] {
  const parts = only.split(',');
  const found = scenarios.filter((scenario) => parts.some((part) => nameOf(scenario).includes(part)));
  if (found.length > 0) return found;
  throw new Error(`--only ${only}: no scenario of ${scenarios.map(nameOf).join('; ')} contains it`);
}
