import { displayOf, intervalOf, type OverBuckets } from '@switchboard/report-content';
import type { Locale } from './locale.ts';

/** Describes a chart in words, for people who cannot see it. */
export function summarise(content: OverBuckets, locale: Locale): string {
  const { kind, buckets, series, unit, interval: named, goal } = content;
  const { texts } = locale;
  const interval = intervalOf(buckets, named);
  const [first = '', last = ''] = [buckets[0], buckets.at(-1)];
  const each = series.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    if (known.length === 0) return texts.noValues(name);
    const range = [Math.min(...known), Math.max(...known), values.at(-1)] as const;
    const [least, most, end] = range.map((value) => locale.value(value, unit));
    return texts.course(name, least ?? '', most ?? '', end ?? '');
  });
  const span = texts.span(locale.bucket(first, interval), locale.bucket(last, interval));
  const target = goal === undefined ? [] : [`${goalText(goal, unit, locale)}.`];
  return [
    texts.kinds[displayOf(content) === 'area' ? 'area' : kind],
    span,
    ...each,
    ...target,
    texts.inTable,
  ].join(' ');
}

/** Returns the label of a goal with its value. */
export function goalText(
  { value, label }: NonNullable<OverBuckets['goal']>,
  unit: string | undefined,
  { texts, value: format }: Locale,
): string {
  return `${label ?? texts.goal}: ${format(value, unit)}`;
}
