import {
  type Amount,
  averagesOf,
  conversionOf,
  displayOf,
  type OverBuckets,
  PEOPLE,
  type ReportContent,
  reportAmount,
  seriesAmount,
} from '@switchboard/report-content';
import type { Locale } from './locale.ts';
import { type Markup, markup, nothing } from './markup.ts';

interface Figure {
  label: string;
  value: string;
  /** The change from the previous period, in words. */
  change?: { arrow: string; text: string };
}

const MAX_FIGURES = 4;

/** Renders the key figures: totals with their change, the conversion of a funnel, or the average retention. */
export function headline(content: ReportContent, locale: Locale): Markup {
  const figures = figuresOf(content, locale);
  if (figures.length === 0) return nothing;
  return markup`<ul class="headline">${figures.map(({ label, value, change }) => {
    const changed =
      change &&
      markup`<span class="change"><span class="arrow" aria-hidden="true">${change.arrow}</span> ${change.text}</span>`;
    return markup`<li><span class="label">${label}</span><strong>${value}</strong>${changed ?? nothing}</li>\n`;
  })}</ul>`;
}

function figuresOf(content: ReportContent, locale: Locale): Figure[] {
  const { texts } = locale;
  if (content.kind === 'funnel') {
    const conversion = conversionOf(content);
    return conversion === undefined ? [] : [{ label: texts.conversion, value: locale.share(conversion) }];
  }
  if (content.kind === 'paths') return [];
  if (content.kind === 'grid') {
    const average = averagesOf(content)[1];
    const period = content.periods[1] ?? '';
    const label = texts.averageOf(period);
    return average === undefined ? [] : [{ label, value: locale.value(round(average), content.unit) }];
  }
  return totals(content, locale);
}

const round = (value: number) => Math.round(value * 10) / 10;

function totals(content: OverBuckets, locale: Locale): Figure[] {
  const { series, unit } = content;
  const whole = reportAmount(content);
  const figures = (amounts: { label: string; amount: Amount }[]) =>
    amounts.flatMap(({ label, amount }) => figureOf(label, amount, locale, unit));
  if (whole !== undefined) return figures([{ label: locale.texts.table.total, amount: whole }]);
  if (series.length > MAX_FIGURES && displayOf(content) !== 'number') return [];
  return figures(series.map((one) => ({ label: one.name, amount: seriesAmount(one, unit) })));
}

function figureOf(label: string, { total, previousTotal }: Amount, locale: Locale, unit?: string): Figure[] {
  if (total === null) return [];
  const value = locale.value(total, unit);
  if (previousTotal === null || previousTotal === undefined) return [{ label, value }];
  // Churned people are drawn below zero, so a lower total is an increase.
  const [now, before] = unit === PEOPLE ? [Math.abs(total), Math.abs(previousTotal)] : [total, previousTotal];
  return [{ label, value, change: changeOf(now, before, locale) }];
}

function changeOf(total: number, previous: number, { texts, share, number }: Locale) {
  const before = number(previous);
  if (total === previous) return { arrow: '=', text: texts.same(before) };
  const by = previous === 0 ? number(Math.abs(total)) : share(Math.abs((total - previous) / previous));
  return total > previous
    ? { arrow: '▲', text: texts.rose(by, before) }
    : { arrow: '▼', text: texts.fell(by, before) };
}
