const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Days that buckets stand for, both ends inclusive. */
export interface BucketDays {
  from: string;
  to: string;
}

const dayNumber = (day: string) => Date.parse(`${day}T00:00:00Z`) / DAY_MS;
const dayOf = (number: number) => new Date(number * DAY_MS).toISOString().slice(0, 10);

/**
 * The days each bucket covers, when all buckets are days in order: from its own to the day before the next;
 * the last is as long as the one before. Undefined when they are anything else.
 */
export function daysOfBuckets(buckets: readonly string[]): BucketDays[] | undefined {
  const numbers = buckets.map((bucket) => (DAY.test(bucket) ? dayNumber(bucket) : Number.NaN));
  const isInOrder = numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0));
  if (!isInOrder || numbers.some(Number.isNaN)) return undefined;
  return numbers.map((start, index) => {
    const next = numbers[index + 1] ?? start + (start - (numbers[index - 1] ?? start - 1));
    return { from: dayOf(start), to: dayOf(next - 1) };
  });
}

/** An annotation where the chart shows it, with its number in the list. */
export interface Mark {
  number: number;
  /** The first and last bucket it is on. */
  first: number;
  last: number;
}

interface Noted {
  startsOn: string;
  endsOn: string;
}

/** Where annotations stand on the buckets; those on no bucket have no mark. */
export function marksOn(days: BucketDays[], annotations: readonly Noted[]): Mark[] {
  return annotations.flatMap(({ startsOn, endsOn }, index) => {
    const on = days.map(({ from, to }) => startsOn <= to && endsOn >= from);
    const first = on.indexOf(true);
    return first < 0 ? [] : [{ number: index + 1, first, last: on.lastIndexOf(true) }];
  });
}
