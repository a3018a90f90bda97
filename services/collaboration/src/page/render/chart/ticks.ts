const STEPS = [1, 2, 2.5, 5, 10];
/** The largest value drawn. Beyond it, sums of values may not be finite. */
const MAX_VALUE = 1e300;

const clamp = (value: number) => Math.min(Math.max(value, -MAX_VALUE), MAX_VALUE);

/** The maximum number of steps between the smallest and the largest value. */
const COUNT = 5;

/**
 * Returns evenly spaced round values from at or below `least` to at or above `most`. Zero is one of them.
 * `isWhole` restricts them to integers.
 */
export function niceTicks(least: number, most: number, isWhole = false): number[] {
  const [low, high] = [clamp(Math.min(least, 0)), clamp(Math.max(most, 0))];
  if (high === low) return [0, 1];
  const span = high - low;
  const size = Math.max(10 ** Math.floor(Math.log10(span / COUNT)), isWhole ? 1 : 0);
  const isStep = (step: number) => span / step <= COUNT && (!isWhole || Number.isInteger(step));
  const step = size * (STEPS.find((one) => isStep(one * size)) ?? 10);
  const [first, last] = [Math.floor(low / step), Math.ceil(high / step)];
  return Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
}
