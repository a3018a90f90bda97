import { t } from '../../app/i18n.ts';
import type { Thread } from './thread.tsx';

export type Anchor = NonNullable<Thread['anchor']>;

/** Returns a text that is equal for anchors of the same point. */
export function anchorKey(anchor: Anchor): string {
  const known = Object.entries(anchor).filter(([, value]) => value !== null && value !== undefined);
  return JSON.stringify(known.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Returns the point of a report in words, such as "Sign-ups · 2026-03-01". */
export function titleOfAnchor(anchor: Anchor | null | undefined): string {
  if (anchor == null) return t('Whole report');
  const { metric, event, breakdown, bucket, step, cohortBucket, period, daysActive, state } = anchor;
  const parts = [
    metric ?? event,
    ...(breakdown ?? []),
    bucket,
    step == null ? undefined : t('step {number}', { number: step + 1 }),
    cohortBucket,
    period == null ? undefined : t('period {number}', { number: period }),
    daysActive == null
      ? undefined
      : t('{count, plural, one {# active day} other {# active days}}', { count: daysActive }),
    state,
  ];
  return parts.filter((part) => part != null && part !== '').join(' · ') || t('Whole report');
}
