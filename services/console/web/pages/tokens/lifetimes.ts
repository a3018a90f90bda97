import { t } from '../../app/i18n.ts';

/** The lifetimes that the page offers, in days. */
export const LIFETIMES: readonly [number, number, ...number[]] = [30, 90, 180, 365];

export const lifetimeOptions = () =>
  LIFETIMES.map((days) => ({
    value: String(days),
    title: t('{days, plural, one {# day} other {# days}}', { days }),
  }));
