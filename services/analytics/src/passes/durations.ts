/** Collects durations in milliseconds. */
export interface Durations {
  add(duration: number): void;
  /** Returns the median, interpolated; null if there are no durations. Changes the order of the durations. */
  median(): number | null;
}

const FIRST_SIZE = 1024;

export function createDurations(): Durations {
  let values = new Float64Array(FIRST_SIZE);
  let count = 0;

  /** Returns a value by its place in the order, without sorting all: every later value is at least as large. */
  function valueAt(place: number): number {
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

  return {
    add(duration) {
      if (count === values.length) {
        const longer = new Float64Array(count * 2);
        longer.set(values);
        values = longer;
      }
      values[count++] = duration;
    },
    median() {
      if (count === 0) return null;
      const low = valueAt((count - 1) >> 1);
      return count % 2 === 1 ? low : (low + valueAt(count >> 1)) / 2;
    },
  };
}
