import type { Result } from '@switchboard/management';
import { chartsOf } from '@switchboard/report-content/totals';
import { scaleBand, scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import { type KeyboardEvent, useMemo, useState } from 'react';
import { t } from '../app/i18n.ts';
import { useKeys } from '../app/keys.ts';
import { onUse } from '../app/on-use.tsx';
import styles from './chart.module.css';
import { useWidth } from './charts/use-width.ts';
import { bucketTick, exact, short, unitName } from './values.tsx';

const FunnelChart = onUse(async () => (await import('./charts/funnel-chart.tsx')).FunnelChart);
const GridChart = onUse(async () => (await import('./charts/grid-chart.tsx')).GridChart);
const NumberChart = onUse(async () => (await import('./charts/number-chart.tsx')).NumberChart);
const MapChart = onUse(async () => (await import('./charts/map-chart.tsx')).MapChart);
const PieChart = onUse(async () => (await import('./charts/pie-chart.tsx')).PieChart);
const PathsChart = onUse(async () => (await import('./charts/paths-chart.tsx')).PathsChart);

export type ReportContent = Result<'askInsight'>['report'];
type OverBuckets = Extract<ReportContent, { kind: 'line' | 'bar' }>;

const MAX_SERIES = 8;
const HEIGHT_PX = 280;
const LEAST_PX = 120;
const MARGIN = { top: 8, right: 8, bottom: 24, left: 48 };
const TICKS = 4;
/** The least height of a chart with that many ticks. */
const TICKS_PX = 180;
const LABEL_PX = 80;
/** The room for a label with a day and an hour. */
const HOUR_LABEL_PX = 120;
/** The height of the line of marks, and the least distance of two of them. */
const MARK_PX = 24;
const RUNNING_BAR = { fillOpacity: 0.5, strokeDasharray: '6 4', stroke: 'currentColor' };
/** The most lines that are named at their end, the width of the names, and the least width of a chart with them. */
const MAX_NAMED = 4;
const NAME_PX = 120;
const NAME_LENGTH = 17;
const NAMED_PX = 560;
/** The least distance of a goal from the top of the plot for a label above it. */
const GOAL_PX = 16;
/** The height of the line with the unit of the values. */
const UNIT_PX = 18;
/** The least distance of two names. */
const NAME_LINE_PX = 14;

interface Ranged {
  range: { last: number } | { from: string; to: string };
  timezone?: string | undefined;
}

/** Whether the last bucket of a query has not ended. */
export function isRunning({ range, timezone = 'UTC' }: Ranged): boolean {
  if ('last' in range) return true;
  return range.to >= new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(new Date());
}

const CHARTS = new Set(['line', 'bar', 'funnel', 'grid', 'paths']);

/** Returns the report of a run if it can be drawn. Runs that an operator recorded may have any content. */
export function contentOf(value: unknown): ReportContent | undefined {
  return isDrawable(value) ? value : undefined;
}

function isDrawable(value: unknown): value is ReportContent {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false;
  if (!CHARTS.has(String(value.kind))) return false;
  const has = (name: string) => name in value && Array.isArray(Object(value)[name]);
  if (value.kind === 'funnel') return has('steps');
  if (value.kind === 'paths') return has('levels') && has('links');
  return value.kind === 'grid' ? has('periods') && has('rows') : has('buckets') && has('series');
}

/** The index of a series and of its value. */
export interface Place {
  series: number;
  at: number;
}

/** A number above the plot, over the buckets from `first` to `last`. */
export interface ChartMark {
  number: number;
  first: number;
  last: number;
  title: string;
}

interface ChartProps {
  content: ReportContent;
  label: string;
  height?: number;
  /** Opens the people behind a value. */
  onOpen?: ((place: Place) => void) | undefined;
  /** Annotations. Only charts over time draw them. */
  marks?: readonly ChartMark[];
  /** The buckets with comment threads. */
  commented?: ReadonlySet<string>;
  /** Whether the last bucket has not ended. */
  isRunning?: boolean;
  /** Takes the bucket that is chosen on the axis, such as to annotate it. */
  onAxis?: ((at: number) => void) | undefined;
}

/**
 * Draws the content of a report. In a chart over time, the arrow keys show the values of a bucket, Enter opens the
 * people behind it, and `a` annotates it. A report that is shown as a table has no chart. All values are also in `ReportTable`.
 */
export function Chart(props: ChartProps) {
  const { content } = props;
  if (content.kind === 'funnel')
    return <FunnelChart content={content} label={props.label} onOpen={props.onOpen} />;
  if (content.kind === 'paths') return <PathsChart {...props} content={content} />;
  if (content.kind === 'grid') return <GridChart content={content} label={props.label} />;
  if (content.kind === 'line' && content.display === 'number') {
    return <NumberChart content={content} label={props.label} />;
  }
  if (content.kind === 'line' && content.display === 'table') return null;
  if (content.kind === 'line' && content.display === 'map') {
    const { label, height, onOpen } = props;
    return <MapChart content={content} label={label} height={height} onOpen={onOpen} />;
  }
  // Values of different units have no common axis.
  const charts = chartsOf(content);
  return charts.map((one) => {
    const { onOpen } = props;
    const open = ({ series, at }: Place) => {
      const opened = one.series[series];
      if (opened !== undefined) onOpen?.({ series: content.series.indexOf(opened), at });
    };
    return one.kind === 'line' && one.display === 'pie' ? (
      <PieChart key={one.unit ?? ''} content={one} label={props.label} height={props.height} />
    ) : (
      <BucketChart
        key={one.unit ?? ''}
        {...props}
        content={one}
        height={Math.max(LEAST_PX, (props.height ?? HEIGHT_PX) / charts.length)}
        isPart={charts.length > 1}
        onOpen={onOpen && open}
      />
    );
  });
}

const hue = (at: number) => `var(--series-${(at % MAX_SERIES) + 1})`;

/** Returns a sentence that says the finding, for screen readers. */
export function summaryOf(content: ReportContent): string {
  if (content.kind === 'grid') {
    return t('{rows, plural, one {# group} other {# groups}} over {periods} periods.', {
      rows: content.rows.length,
      periods: content.periods.length,
    });
  }
  if (content.kind === 'paths') {
    const largest = content.levels.map((nodes) => nodes[0]?.name).filter((name) => name !== undefined);
    return t('Most often: {path}.', { path: largest.join(' → ') });
  }
  if (content.kind === 'funnel') {
    const [first, last] = [content.steps[0], content.steps.at(-1)];
    return t('{last} of {first} reached the last step.', {
      first: short(first?.count ?? 0),
      last: short(last?.count ?? 0),
    });
  }
  const series = content.series.slice(0, MAX_SERIES).map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    return t('{name}: from {first} to {last}, at most {most}', {
      name,
      first: short(known[0] ?? 0),
      last: short(known.at(-1) ?? 0),
      most: short(Math.max(0, ...known)),
    });
  });
  return [...series, ...(content.goal === undefined ? [] : [goalText(content.goal)])].join('; ');
}

/** Returns the label of a goal with its value. */
const goalText = ({ label, value }: NonNullable<OverBuckets['goal']>) =>
  `${label ?? t('Goal')}: ${short(value)}`;

/** Joins the numbers of marks that begin too close to each other. */
function badgesOf(marks: readonly ChartMark[], xOf: (at: number) => number) {
  const badges: { x: number; label: string; title: string }[] = [];
  for (const { number, first, title } of marks) {
    const [x, last] = [xOf(first), badges.at(-1)];
    if (last !== undefined && x - last.x < MARK_PX) {
      last.label = `${last.label.split('–')[0]}–${number}`;
      last.title = `${last.title}\n${title}`;
    } else badges.push({ x, label: String(number), title });
  }
  return badges;
}

/** Returns the names of lines, each beside its last value. Names that would overlap move apart. */
function namesOf<Line extends { values: readonly (number | null)[] }>(
  lines: readonly Line[],
  { y: yOf, bottom }: { y(value: number): number; bottom: number },
): (Line & { end: number })[] {
  const names = lines
    .flatMap((one) => {
      const value = one.values.findLast((known) => known !== null);
      return value == null ? [] : [{ ...one, end: yOf(value) }];
    })
    .sort((one, other) => one.end - other.end);
  for (const [at, one] of names.entries())
    one.end = Math.max(one.end, (names[at - 1]?.end ?? Number.NEGATIVE_INFINITY) + NAME_LINE_PX);
  let lowest = bottom;
  for (const one of names.toReversed()) {
    one.end = Math.min(one.end, lowest);
    lowest = one.end - NAME_LINE_PX;
  }
  return names;
}

/** Returns the indexes of values without a neighbour. A line through them would have no length. */
const aloneIn = (values: readonly (number | null)[]) =>
  values.flatMap((value, at) =>
    value !== null && values[at - 1] == null && values[at + 1] == null ? [{ value, at }] : [],
  );

interface BucketChartProps extends ChartProps {
  content: OverBuckets;
  height: number;
  /** Whether it is one of several charts, which then names its only series. */
  isPart: boolean;
}

function BucketChart(props: BucketChartProps) {
  const { content, label, height, isPart, onOpen, marks = [], commented, onAxis } = props;
  const hasPeople = onOpen !== undefined;
  const hasAxis = onAxis !== undefined;
  useKeys(
    useMemo(
      () => [
        { keys: 'ArrowLeft ArrowRight', title: t('Chart: show the values') },
        ...(hasPeople ? [{ keys: 'Enter', title: t('Chart: show the people') }] : []),
        ...(hasAxis ? [{ keys: 'a', title: t('Chart: annotate') }] : []),
      ],
      [hasPeople, hasAxis],
    ),
  );
  // Other buckets, such as durations, do not end.
  const isRunning = props.isRunning === true && content.interval !== undefined;
  const [ref, width] = useWidth();
  const [hovered, setHovered] = useState<number>();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const drawn = content.series.slice(0, MAX_SERIES).map((one, hueAt) => ({ ...one, hueAt }));
  const shown = drawn.filter(({ name }) => !hidden.has(name));
  const { buckets, kind, goal, unit } = content;
  const unitAbove = unit === undefined ? 0 : UNIT_PX;
  const top = MARGIN.top + unitAbove + (marks.length > 0 ? MARK_PX : 0);
  const isArea = content.kind === 'line' && content.display === 'area';
  const isStacked = kind === 'bar' || isArea;
  const isNamed = !isStacked && width >= NAMED_PX && drawn.length > 1 && content.series.length <= MAX_NAMED;
  const inner = {
    right: Math.max(MARGIN.left + 1, width - MARGIN.right - (isNamed ? NAME_PX : 0)),
    bottom: height - MARGIN.bottom,
  };
  const sums = buckets.map((_, at) => ({
    up: shown.reduce((sum, { values }) => sum + Math.max(0, values[at] ?? 0), 0),
    down: shown.reduce((sum, { values }) => sum + Math.min(0, values[at] ?? 0), 0),
  }));
  const flat = shown.flatMap(({ values, previous = [] }) => [...values, ...previous]).map((one) => one ?? 0);
  const heights = isStacked ? sums.flatMap(({ up, down }) => [up, down]) : flat;
  const most = Math.max(0, goal?.value ?? 0, ...heights);
  const least = Math.min(0, goal?.value ?? 0, ...heights);
  const tickCount = height < TICKS_PX ? TICKS / 2 : TICKS;
  const y = scaleLinear()
    .domain([least, most === least ? least + 1 : most])
    .nice(tickCount)
    .range([inner.bottom, top]);
  const isWhole = heights.every(Number.isInteger);
  const ticks = y.ticks(tickCount).filter((tick) => !isWhole || Number.isInteger(tick));
  const x = scaleBand<number>()
    .domain(buckets.map((_, at) => at))
    .range([MARGIN.left, inner.right])
    .paddingInner(kind === 'bar' ? 0.25 : 0);
  const middle = (at: number) => (x(at) ?? 0) + x.bandwidth() / 2;
  const labelPx = buckets[0]?.includes('T') === true ? HOUR_LABEL_PX : LABEL_PX;
  const every = Math.max(1, Math.ceil((buckets.length * labelPx) / Math.max(1, width - MARGIN.left)));
  const path = line<number | null>()
    .defined((value) => value !== null)
    .x((_, at) => middle(at))
    .y((value) => y(value ?? 0));
  /** Fills from the sum of the series below to the sum with this one. */
  const areaOf = (index: number) => {
    const sumTo = (count: number, at: number) =>
      shown.slice(0, count).reduce((sum, { values }) => sum + (values[at] ?? 0), 0);
    return area<string>()
      .x((_, at) => middle(at))
      .y0((_, at) => y(sumTo(index, at)))
      .y1((_, at) => y(sumTo(index + 1, at)))(buckets);
  };
  const open = (at: number) => {
    const series = content.series.findIndex(({ name }) => !hidden.has(name));
    onOpen?.({ series: Math.max(0, series), at });
  };
  const onKey = (event: KeyboardEvent) => {
    const at = hovered ?? buckets.length - 1;
    const keys: Record<string, () => void> = {
      ArrowLeft: () => setHovered(Math.max(0, hovered === undefined ? at : at - 1)),
      ArrowRight: () => setHovered(Math.min(buckets.length - 1, hovered === undefined ? at : at + 1)),
      Home: () => setHovered(0),
      End: () => setHovered(buckets.length - 1),
      Enter: () => open(at),
      a: () => onAxis?.(at),
    };
    const run = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (run === undefined) return;
    event.preventDefault();
    run();
  };
  if (content.series.every(({ values }) => values.every((value) => value === null)))
    return <p className={styles['none']}>{t('No values in this range.')}</p>;
  return (
    <figure className={styles['chart']}>
      <div ref={ref} className={styles['drawing']}>
        {width === 0 ? null : (
          <svg
            width={width}
            height={height}
            role="img"
            aria-label={`${label}. ${summaryOf(content)}`}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys show the values of a bucket.
            tabIndex={0}
            onKeyDown={onKey}
            onBlur={() => setHovered(undefined)}
          >
            {unitAbove === 0 ? null : (
              <text y={12} className={styles['tick']}>
                {[
                  ...(isPart && drawn.length === 1 ? drawn.map(({ name }) => name) : []),
                  unitName(unit),
                ].join(', ')}
              </text>
            )}
            {ticks.map((tick) => (
              <g key={tick} transform={`translate(0 ${y(tick)})`}>
                <line x1={MARGIN.left} x2={inner.right} className={styles['line']} />
                <text x={MARGIN.left - 8} dy="0.32em" textAnchor="end" className={styles['tick']}>
                  {short(tick)}
                </text>
              </g>
            ))}
            {buckets.map((bucket, at) =>
              at % every === 0 ? (
                <text
                  key={bucket}
                  x={middle(at)}
                  y={height - 6}
                  textAnchor="middle"
                  className={styles['tick']}
                >
                  {bucketTick(bucket, content.interval)}
                </text>
              ) : null,
            )}
            {marks.map(({ number, first, last }) => (
              <rect
                key={number}
                x={(x(first) ?? 0) - (x.step() - x.bandwidth()) / 2}
                y={top}
                width={(last - first + 1) * x.step()}
                height={Math.max(0, inner.bottom - top)}
                className={styles['band']}
              />
            ))}
            {badgesOf(marks, middle).map(({ x: at, label: text, title }) => (
              <g key={text} className={styles['mark']}>
                <title>{title}</title>
                <line x1={at} x2={at} y1={unitAbove + MARK_PX} y2={inner.bottom} />
                <rect x={at - 12} y={unitAbove + 2} width={24} height={18} rx={9} />
                <text x={at} y={unitAbove + 15} textAnchor="middle">
                  {text}
                </text>
              </g>
            ))}
            {isArea
              ? shown.map(({ name, hueAt }, index) => (
                  <path
                    key={name}
                    d={areaOf(index) ?? ''}
                    fill={hue(hueAt)}
                    fillOpacity={0.8}
                    stroke="var(--surface)"
                  />
                ))
              : isStacked
                ? shown.flatMap(({ name, values, hueAt }, index) =>
                    values.map((value, at) => {
                      const below = shown
                        .slice(0, index)
                        .map((one) => one.values[at] ?? 0)
                        .filter((one) => (value ?? 0) < 0 === one < 0)
                        .reduce((sum, one) => sum + one, 0);
                      const [from, to] = [y(below), y(below + (value ?? 0))];
                      return (
                        <rect
                          key={`${name} ${buckets[at]}`}
                          x={x(at)}
                          y={Math.min(from, to)}
                          width={x.bandwidth()}
                          height={Math.abs(from - to)}
                          fill={hue(hueAt)}
                          {...(isRunning && at === buckets.length - 1 ? RUNNING_BAR : {})}
                        />
                      );
                    }),
                  )
                : shown.map(({ name, values, previous, hueAt }) => (
                    <g key={name} fill="none" stroke={hue(hueAt)} strokeWidth={2}>
                      <path d={path(isRunning ? values.slice(0, -1) : values) ?? ''} />
                      {isRunning ? (
                        <path
                          d={path(values.map((value, at) => (at < values.length - 2 ? null : value))) ?? ''}
                          strokeDasharray="6 4"
                        />
                      ) : null}
                      {previous === undefined ? null : (
                        <path d={path(previous) ?? ''} strokeDasharray="2 4" strokeWidth={1.5} />
                      )}
                      {aloneIn(values).map(({ value, at }) => (
                        <circle key={buckets[at]} cx={middle(at)} cy={y(value)} r={3} />
                      ))}
                    </g>
                  ))}
            {isNamed
              ? namesOf(shown, { y, bottom: inner.bottom }).map(({ name, hueAt, end }) => (
                  <g key={name} transform={`translate(${inner.right + 8} ${end})`} className={styles['name']}>
                    <circle r={3} fill={hue(hueAt)} />
                    <text x={8} dy="0.32em">
                      {name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH)}…` : name}
                      <title>{name}</title>
                    </text>
                  </g>
                ))
              : null}
            {goal === undefined ? null : (
              <g className={styles['goal']} transform={`translate(0 ${y(goal.value)})`}>
                <line x1={MARGIN.left} x2={inner.right} />
                <text x={inner.right} y={y(goal.value) - top < GOAL_PX ? GOAL_PX - 2 : -6} textAnchor="end">
                  {goalText(goal)}
                </text>
              </g>
            )}
            {hovered === undefined ? null : (
              <line
                x1={middle(hovered)}
                x2={middle(hovered)}
                y1={top}
                y2={inner.bottom}
                className={styles['cursor']}
              />
            )}
            {buckets.map((bucket, at) => (
              // biome-ignore lint/a11y/noStaticElementInteractions: the table below has a button for each value.
              <rect
                key={bucket}
                x={(x(at) ?? 0) - (x.step() - x.bandwidth()) / 2}
                y={top}
                width={x.step()}
                height={Math.max(0, inner.bottom - top)}
                className={onOpen === undefined ? styles['area'] : styles['open']}
                onPointerEnter={() => setHovered(at)}
                onPointerLeave={() => setHovered(undefined)}
                onClick={() => open(at)}
              />
            ))}
            {buckets.map((bucket, at) =>
              commented?.has(bucket) === true ? (
                <circle key={bucket} cx={middle(at)} cy={inner.bottom} r={4} className={styles['commented']}>
                  <title>{t('Comments on {bucket}', { bucket })}</title>
                </circle>
              ) : null,
            )}
            {onAxis === undefined
              ? null
              : buckets.map((bucket, at) => (
                  // biome-ignore lint/a11y/noStaticElementInteractions: a button below the chart does the same.
                  <rect
                    key={bucket}
                    x={(x(at) ?? 0) - (x.step() - x.bandwidth()) / 2}
                    y={inner.bottom + 4}
                    width={x.step()}
                    height={MARGIN.bottom - 4}
                    className={styles['open']}
                    onClick={() => onAxis(at)}
                  >
                    <title>{t('Annotate {bucket}', { bucket })}</title>
                  </rect>
                ))}
          </svg>
        )}
        {hovered === undefined ? null : (
          <div
            role="status"
            className={styles['tip']}
            style={{ left: Math.min(middle(hovered) + 12, Math.max(0, width - 200)) }}
          >
            <strong>{buckets[hovered]}</strong>
            {shown.map(({ name, values, previous, hueAt }) => (
              <p key={name}>
                <i style={{ background: hue(hueAt) }} /> {name}: {textOf(values[hovered], unit)}
                {previous === undefined ? null : ` (${textOf(previous[hovered], unit)})`}
              </p>
            ))}
          </div>
        )}
      </div>
      {drawn.length < 2 || isNamed ? null : (
        <figcaption className={styles['legend']}>
          {content.breakdown === undefined ? null : (
            <span>{t('By {name}:', { name: content.breakdown })}</span>
          )}
          {drawn.map(({ name, hueAt }) => (
            <button
              type="button"
              key={name}
              aria-pressed={!hidden.has(name)}
              onClick={() => setHidden(toggled(hidden, name))}
            >
              <i style={{ background: hue(hueAt) }} /> {name}
            </button>
          ))}
          {content.series.length > MAX_SERIES
            ? t('and {count} more in the table', { count: content.series.length - MAX_SERIES })
            : null}
        </figcaption>
      )}
    </figure>
  );
}

const textOf = (value: number | null | undefined, unit: string | undefined) =>
  value == null ? '–' : `${exact(value)}${unit === '%' ? '%' : ''}`;

function toggled(set: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(name)) next.add(name);
  return next;
}
