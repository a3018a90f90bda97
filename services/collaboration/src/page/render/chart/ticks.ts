const STEPS = [1, 2, 2.5, 5, 10];
/** Beyond it, sums of values are no longer finite. */
const MAX_VALUE = 1e300;

const clamp = (value: number) => Math.min(Math.max(value, -MAX_VALUE), MAX_VALUE);

/** About `count` round values, evenly spread from at or below `least` to at or above `most`. Zero is one of them. */
export function niceTicks(least: number, most: number, count = 5): number[] {
  const [low, high] = [clamp(Math.min(least, 0)), clamp(Math.max(most, 0))];
  if (high === low) return [0, 1];
  const span = high - low;
  const size = 10 ** Math.floor(Math.log10(span / count));
  const step = size * (STEPS.find((one) => span / (one * size) <= count) ?? 10);
  const [first, last] = [Math.floor(low / step), Math.ceil(high / step)];
  return Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
}
