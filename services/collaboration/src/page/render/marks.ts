import type { BucketDays } from '@switchboard/report-content';

/** The position of an annotation in the chart, and its number in the list. */
export interface Mark {
  number: number;
  /** The first and last bucket of the annotation. */
  first: number;
  last: number;
}

interface Noted {
  startsOn: string;
  endsOn: string;
}

/** Returns the positions of annotations on the buckets. Annotations on no bucket have no mark. */
export function marksOn(days: BucketDays[], annotations: readonly Noted[]): Mark[] {
  return annotations.flatMap(({ startsOn, endsOn }, index) => {
    const on = days.map(({ from, to }) => startsOn <= to && endsOn >= from);
    const first = on.indexOf(true);
    return first < 0 ? [] : [{ number: index + 1, first, last: on.lastIndexOf(true) }];
  });
}
