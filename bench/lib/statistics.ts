/** Returns the median of some numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Returns the number below which a share of the numbers lie: 0.99 for the 99th percentile, 1 for the highest. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Returns the run with the median value, so that its other figures belong together. */
export function medianRun<T>(runs: readonly T[], value: (run: T) => number): T {
  const sorted = runs.toSorted((a, b) => value(a) - value(b));
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('there was no run');
  return middle;
}
