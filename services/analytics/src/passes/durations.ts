/** Durations in milliseconds, and those that were removed since the last median. */
export interface Durations {
  added: Numbers;
  removed: Numbers;
}

interface Numbers {
  values: Float64Array;
  count: number;
}

const FIRST_SIZE = 64;

const noNumbers = (): Numbers => ({ values: new Float64Array(FIRST_SIZE), count: 0 });
export const noDurations = (): Durations => ({ added: noNumbers(), removed: noNumbers() });

/** Adds a duration; with the sign -1, removes one that was added. */
export function addDuration({ added, removed }: Durations, duration: number, sign: 1 | -1): void {
  const to = sign === 1 ? added : removed;
  if (to.count === to.values.length) {
    const longer = new Float64Array(to.count * 2);
    longer.set(to.values);
    to.values = longer;
  }
  to.values[to.count++] = duration;
}

/** Returns the median, interpolated; null if there are no durations. Changes the order of the durations. */
export function medianOf(durations: Durations): number | null {
  removeAll(durations);
  const { added } = durations;
  const { count } = added;
  if (count === 0) return null;
  const low = valueAt(added, (count - 1) >> 1);
  return count % 2 === 1 ? low : (low + valueAt(added, count >> 1)) / 2;
}

function removeAll({ added, removed }: Durations): void {
  if (removed.count === 0) return;
  const [all, gone] = [added, removed].map(({ values, count }) => values.subarray(0, count).sort());
  let kept = 0;
  let next = 0;
  for (const value of all ?? []) {
    if (value === gone?.[next]) next++;
    else added.values[kept++] = value;
  }
  added.count = kept;
  removed.count = 0;
}

/** Returns a value by its place in the order, without sorting all: every later value is at least as large. */
function valueAt({ values, count }: Numbers, place: number): number {
  let [from, to] = [0, count - 1];
  while (from < to) {
    const pivot = values[(from + to) >> 1] ?? 0;
    let [low, high] = [from, to];
    while (low <= high) {
      while ((values[low] ?? 0) < pivot) low++;
      while ((values[high] ?? 0) > pivot) high--;
      if (low > high) break;
      [values[low], values[high]] = [values[high] ?? 0, values[low] ?? 0];
      low++;
      high--;
    }
    if (place <= high) to = high;
    else if (place >= low) from = low;
    else break;
  }
  return values[place] ?? 0;
}
