import { intervalOf } from './buckets.ts';
import type { Funnel, Grid, Interval, OverBuckets, Paths, ReportContent } from './content.ts';
import { nodesOf } from './paths.ts';
import {
  type Amount,
  averagesOf,
  displayOf,
  rangeAmount,
  reportAmount,
  seriesAmount,
  stepBefore,
} from './totals.ts';

/** `value` is in the report's unit, `share` is 0 to 1. */
export type ColumnFormat = 'value' | 'count' | 'share' | 'seconds';

export interface Column {
  name: string;
  format: ColumnFormat;
  /** Default: the unit of the report. */
  unit?: string | undefined;
}

/** Null if there is no value. Undefined if the table has no cell at this position. */
export type Cell = number | null | undefined;

export interface TableRow {
  name: string;
  values: Cell[];
}

/** The values of a report as a table. */
export interface Table {
  /** The header above the names of the rows. */
  corner: string;
  /** The interval of the rows' names, if they are days or hours. */
  interval: Interval | undefined;
  /** Whether the rows' names are codes of countries, or texts in their place. */
  hasCountries?: boolean;
  columns: Column[];
  rows: TableRow[];
  totals: TableRow | undefined;
}

/** The names of a table's columns. */
export interface TableTexts {
  intervals: Record<Interval, string>;
  step: string;
  /** The name of a step that people can skip. */
  optional(step: string): string;
  count: string;
  ofPrevious: string;
  ofFirst: string;
  medianTime: string;
  /** The column with the people without a further event. */
  noFurther: string;
  size: string;
  total: string;
  average: string;
  /** The name of the column with the values of a series in the previous period. */
  before(series: string): string;
}

export const ENGLISH_TABLE: TableTexts = {
  intervals: { hour: 'Hour', day: 'Day', week: 'Week of', month: 'Month' },
  step: 'Step',
  optional: (step) => `${step} (optional)`,
  count: 'Count',
  ofPrevious: 'Share of previous step',
  ofFirst: 'Share of first step',
  medianTime: 'Median time',
  noFurther: 'No further event',
  size: 'Size',
  total: 'Total',
  average: 'Average',
  before: (series) => `${series}, previous period`,
};

/** Lists the series, which are countries, with their values over the whole range. */
function overCountries(content: OverBuckets, texts: TableTexts): Table {
  const { buckets, series, breakdown = '' } = content;
  const amounts = series.map((one) => ({ name: one.name, amount: rangeAmount(content, one) }));
  const hasPrevious = amounts.some(({ amount }) => amount.previousTotal !== undefined);
  const valuesOf = ({ total, previousTotal }: Amount) => (hasPrevious ? [total, previousTotal] : [total]);
  const whole = reportAmount(content);
  const range = [...new Set([buckets[0], buckets.at(-1)])].join(' – ');
  const columns = hasPrevious ? [range, texts.before(range)] : [range];
  return {
    corner: breakdown,
    interval: undefined,
    hasCountries: true,
    columns: columns.map((name) => ({ name, format: 'value' })),
    rows: amounts.map(({ name, amount }) => ({ name, values: valuesOf(amount) })),
    totals:
      whole === undefined || whole.total === null
        ? undefined
        : { name: texts.total, values: valuesOf(whole) },
  };
}

function overBuckets(content: OverBuckets, texts: TableTexts): Table {
  if (displayOf(content) === 'map') return overCountries(content, texts);
  const { buckets, series, unit, kind } = content;
  const interval = intervalOf(buckets, content.interval);
  const shown = series.flatMap((one) => {
    const amount = seriesAmount(one, one.unit ?? unit);
    const now = { name: one.name, unit: one.unit, values: one.values, total: amount.total };
    if (one.previous === undefined) return [now];
    return [now, { ...now, name: texts.before(one.name), values: one.previous, total: amount.previousTotal }];
  });
  const addsUp = shown.some(({ total }) => total !== null && total !== undefined);
  const hasTotals = addsUp && buckets.length > 1 && (interval !== undefined || kind === 'bar');
  return {
    corner: interval === undefined ? '' : texts.intervals[interval],
    interval,
    columns: shown.map(({ name, unit }) => ({ name, format: 'value', unit })),
    rows: buckets.map((name, at) => ({ name, values: shown.map(({ values }) => values[at]) })),
    totals: hasTotals ? { name: texts.total, values: shown.map(({ total }) => total) } : undefined,
  };
}

const share = (part: number, whole: number | undefined) =>
  whole === undefined || whole === 0 ? null : part / whole;

function funnel({ steps, series = [] }: Funnel, texts: TableTexts): Table {
  const hasTimes = steps.some(({ medianSeconds }) => medianSeconds !== undefined);
  const first = steps[0]?.count;
  const columns: Column[] = [
    { name: texts.count, format: 'count' },
    { name: texts.ofPrevious, format: 'share' },
    { name: texts.ofFirst, format: 'share' },
    ...(hasTimes ? [{ name: texts.medianTime, format: 'seconds' } as const] : []),
    ...series.map(({ name }) => ({ name, format: 'count' }) as const),
  ];
  const rows = steps.map(({ name, count, optional, medianSeconds }, at) => ({
    name: optional === true ? texts.optional(name) : name,
    values: [
      count,
      at === 0 ? null : share(count, stepBefore(steps, at)?.count),
      share(count, first),
      ...(hasTimes ? [medianSeconds ?? null] : []),
      ...series.map(({ values }) => values[at]),
    ],
  }));
  return { corner: texts.step, interval: undefined, columns, rows, totals: undefined };
}

function grid(content: Grid, texts: TableTexts): Table {
  const { rows, periods } = content;
  const hasSizes = rows.some(({ size }) => size !== undefined);
  const names = rows.map(({ name }) => name);
  const interval = intervalOf(names, content.interval);
  const averages = averagesOf(content);
  const people = rows.reduce((all, { size = 0 }) => all + size, 0);
  const hasAverages = rows.length > 1 && averages.some((average) => average !== undefined);
  return {
    corner: interval === undefined ? (content.breakdown ?? '') : texts.intervals[interval],
    interval,
    columns: [
      ...(hasSizes ? [{ name: texts.size, format: 'count' } as const] : []),
      ...periods.map((name) => ({ name, format: 'value' }) as const),
    ],
    rows: rows.map(({ name, size, values }) => ({
      name,
      values: [...(hasSizes ? [size ?? null] : []), ...periods.map((_, at) => values[at])],
    })),
    totals: hasAverages ? { name: texts.average, values: [people, ...averages] } : undefined,
  };
}

/** Lists the events of each level, then the ways from one level to the next. */
function paths(content: Paths, texts: TableTexts): Table {
  const { levels, links } = content;
  const nodes = nodesOf(content);
  const hasEnds = nodes.some(({ node }) => node.ended !== undefined);
  const nameOf = (level: number, name = '') => `${level + 1}. ${name}`;
  const rows = [
    ...nodes.map(({ level, node }) => ({
      name: nameOf(level, node.name),
      values: [node.count, ...(hasEnds ? [node.ended] : [])],
    })),
    ...links.map(({ level, from, to, count }) => ({
      name: `${nameOf(level, levels[level]?.[from]?.name)} → ${nameOf(level + 1, levels[level + 1]?.[to]?.name)}`,
      values: [count, ...(hasEnds ? [undefined] : [])],
    })),
  ];
  return {
    corner: texts.step,
    interval: undefined,
    columns: [
      { name: texts.count, format: 'count' },
      ...(hasEnds ? [{ name: texts.noFurther, format: 'count' } as const] : []),
    ],
    rows,
    totals: undefined,
  };
}

/** Returns a table with every value of the report. */
export function tableOf(content: ReportContent, texts: TableTexts = ENGLISH_TABLE): Table {
  if (content.kind === 'funnel') return funnel(content, texts);
  if (content.kind === 'paths') return paths(content, texts);
  return content.kind === 'grid' ? grid(content, texts) : overBuckets(content, texts);
}
