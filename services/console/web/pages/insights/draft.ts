import type { Input } from '@switchboard/management';
import { type ClauseDraft, clauseDrafts, clausesOf } from '../../clauses/draft.ts';
import { type BreakdownDraft, breakdownDrafts, breakdownOf } from './fields/breakdown-draft.ts';

export const KINDS = ['trends', 'funnel', 'paths', 'retention', 'stickiness', 'lifecycle'] as const;
export const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export const MEASURES = [
  'events',
  'people',
  'sum',
  'average',
  'minimum',
  'maximum',
  'median',
  'p90',
  'p99',
  'unique',
  'sessions',
  'exits',
  'bounce_rate',
  'session_seconds',
  'session_events',
] as const;
/** The measures of the values of a property. */
export const AMOUNTS: readonly string[] = [
  'sum',
  'average',
  'minimum',
  'maximum',
  'median',
  'p90',
  'p99',
  'unique',
] satisfies (typeof MEASURES)[number][];
export const WINDOW_UNITS = ['second', 'minute', 'hour', 'day', 'week'] as const;

export type Query = NonNullable<Input<'askInsight'>['body']>;
export type Kind = (typeof KINDS)[number];
export type Interval = (typeof INTERVALS)[number];
/** Days from one to another, or the last units. */
export interface RangeDraft {
  mode: 'last' | 'days';
  last: number;
  unit: Interval;
  from: string;
  to: string;
}

/** A series of trends and stickiness, a step of a funnel, or the start and the return of retention. */
export interface SeriesDraft {
  event: string;
  name: string;
  measure: (typeof MEASURES)[number];
  property: string;
  where: ClauseDraft[];
  /** Whether people can skip a step of a funnel. */
  optional: boolean;
}

/** An excluded event of a funnel, and the indexes of the steps between which it disqualifies, or '' for all. */
export interface ExcludedDraft extends SeriesDraft {
  from: string;
  to: string;
}

/** The order of the steps of a funnel. */
export const ORDERS = ['ordered', 'strict', 'any'] as const;
type Order = (typeof ORDERS)[number];

/** The displays of trends. */
export const DISPLAYS = ['line', 'area', 'pie', 'map', 'number', 'table'] as const;
type Display = (typeof DISPLAYS)[number];

/** The views of a funnel. */
export const VIEWS = ['steps', 'time_to_convert', 'over_time'] as const;
type View = (typeof VIEWS)[number];

/** Whether paths begin or end with an event. */
export const DIRECTIONS = ['after', 'before', 'between'] as const;
type Direction = (typeof DIRECTIONS)[number];

/** A query while it is edited. All kinds share it, so that a change of the kind keeps the rest. */
export interface Draft {
  kind: Kind;
  range: RangeDraft;
  timezone: string;
  interval: Interval;
  where: ClauseDraft[];
  cohort: string;
  /** Whether events of known bots count. */
  bots: boolean;
  series: SeriesDraft[];
  breakdown: BreakdownDraft[];
  /** 0 for the default. */
  limit: number;
  /** Empty, `previous`, or the day from which an earlier period begins. */
  compare: string;
  /** Such as `A / B`. Empty to show the series. */
  formula: string;
  /** Empty, `total`, or the number of intervals of an average. */
  running: string;
  display: Display;
  /** The value of the goal. Empty for none. */
  goal: string;
  goalLabel: string;
  window: { count: number; unit: (typeof WINDOW_UNITS)[number] };
  order: Order;
  view: View;
  /** Empty for any values. */
  sameProperty: string;
  exclude: ExcludedDraft[];
  direction: Direction;
  /** The property that names the events of paths. Empty for their names. */
  namedBy: string;
  periods: number;
  mode: 'first' | 'every';
  retained: 'on' | 'on_or_after';
  /** The property that retention adds up. Empty to count people. */
  weight: string;
  /** Whether stickiness counts people who were active in more intervals as well. */
  cumulative: boolean;
}

export const emptySeries = (event = ''): SeriesDraft => ({
  event,
  name: '',
  measure: 'events',
  property: '',
  where: [],
  optional: false,
});

export const emptyExcluded = (): ExcludedDraft => ({ ...emptySeries(), from: '', to: '' });

export const emptyRange = (): RangeDraft => ({ mode: 'last', last: 30, unit: 'day', from: '', to: '' });

export const emptyDraft = (): Draft => ({
  kind: 'trends',
  range: emptyRange(),
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  interval: 'day',
  where: [],
  cohort: '',
  bots: false,
  series: [emptySeries()],
  breakdown: [],
  limit: 5,
  compare: '',
  formula: '',
  running: '',
  display: 'line',
  goal: '',
  goalLabel: '',
  window: { count: 14, unit: 'day' },
  order: 'ordered',
  view: 'steps',
  sameProperty: '',
  exclude: [],
  direction: 'after',
  namedBy: '',
  periods: 8,
  mode: 'first',
  retained: 'on',
  weight: '',
  cumulative: false,
});

/** Returns the draft without one of its series. Excluded events stay between the steps that they were between. */
export function withoutSeries(draft: Draft, at: number): Pick<Draft, 'series' | 'exclude'> {
  const moved = (step: string) => (step !== '' && Number(step) > at ? `${Number(step) - 1}` : step);
  return {
    series: draft.series.filter((_, index) => index !== at),
    exclude: draft.exclude.map((one) => {
      const [from, to] = [moved(one.from), moved(one.to)];
      return { ...one, ...(from === to ? { from: '', to: '' } : { from, to }) };
    }),
  };
}

/** Returns the least and the most series of a query. */
export const seriesOf = ({
  kind,
  direction,
}: Pick<Draft, 'kind' | 'direction'>): readonly [number, number] =>
  kind === 'paths' && direction === 'between' ? [2, 2] : SERIES_OF[kind];

const SERIES_OF: Record<Kind, readonly [least: number, most: number]> = {
  trends: [1, 12],
  funnel: [2, 20],
  paths: [1, 1],
  retention: [2, 2],
  stickiness: [1, 12],
  lifecycle: [1, 1],
};

/** Returns the range of a query, or undefined while it is incomplete. */
export function rangeOf({ mode, last, unit, from, to }: RangeDraft): Query['range'] | undefined {
  if (mode === 'last') return last >= 1 && last <= 400 ? { last, unit } : undefined;
  return from !== '' && from <= to ? { from, to } : undefined;
}

/** Returns the form in which a range is edited. */
export const rangeDraft = (range: Query['range']): RangeDraft =>
  'last' in range ? { ...emptyRange(), ...range } : { ...emptyRange(), mode: 'days', ...range };

function choiceOf({ event, where }: SeriesDraft) {
  const clauses = clausesOf(where);
  return { event, ...(clauses.length > 0 && { where: clauses }) };
}

/** Whether a step of a funnel can be optional. */
export const canSkip = ({ kind, order, series }: Draft, at: number) =>
  kind === 'funnel' && order !== 'any' && at > 0 && at < series.length - 1;

/** Whether a step of a funnel is optional. */
export const isSkipped = (draft: Draft, at: number) =>
  canSkip(draft, at) && draft.series[at]?.optional === true;

/** Returns the excluded events with the steps between which they disqualify, unless a step was removed. */
function excludedOf(draft: Draft, last: number) {
  const { exclude, order } = draft;
  const chosen = exclude.filter(({ event }) => event !== '');
  return chosen.map((one) => {
    const from = one.from === '' ? 0 : Number(one.from);
    const to = one.to === '' ? last : Number(one.to);
    const isPart =
      order !== 'any' && from < to && to <= last && !isSkipped(draft, from) && !isSkipped(draft, to);
    return {
      ...choiceOf(one),
      ...(isPart && one.from !== '' && { from }),
      ...(isPart && one.to !== '' && { to }),
    };
  });
}

function comparisonOf(compare: string) {
  if (compare === '') return {};
  return { compare: compare === 'previous' ? ('previous' as const) : { from: compare } };
}

function runningOf(running: string) {
  if (running === '') return {};
  return { running: running === 'total' ? ('total' as const) : { average: Number(running) } };
}

function goalOf({ goal, goalLabel, display }: Draft) {
  const value = Number(goal);
  if (!hasGoal(display) || goal === '' || !Number.isFinite(value)) return {};
  return { goal: { value, ...(goalLabel !== '' && { label: goalLabel }) } };
}

/** Whether a display draws a goal. */
export const hasGoal = (display: Display) => display === 'line' || display === 'area';

/** Returns the query, or undefined while it is incomplete. */
export function queryOf(draft: Draft): Query | undefined {
  const range = rangeOf(draft.range);
  if (range === undefined) return undefined;
  const [least, most] = seriesOf(draft);
  const chosen = draft.series.slice(0, most);
  const where = clausesOf(draft.where);
  const common = {
    range,
    timezone: draft.timezone,
    interval: draft.interval,
    ...(where.length > 0 && { where }),
    ...(draft.cohort !== '' && { cohort: draft.cohort }),
    ...(draft.bots && { bots: true }),
  };
  if (draft.kind === 'lifecycle') {
    const event = chosen[0]?.event ?? '';
    return { kind: 'lifecycle', ...common, ...(event !== '' && { event }) };
  }
  if (chosen.length < least || chosen.some(({ event }) => event === '')) return undefined;
  const choices = chosen.map(choiceOf);
  const named = choices.map((choice, at) => {
    const name = chosen[at]?.name ?? '';
    return { ...choice, ...(name !== '' && { name }) };
  });
  const breakdown = breakdownOf(draft.breakdown, draft.limit);
  switch (draft.kind) {
    case 'trends': {
      const series = named.map((one, at) => {
        const { measure = 'events', property = '' } = chosen[at] ?? {};
        return { ...one, measure, ...(AMOUNTS.includes(measure) && { property }) };
      });
      if (series.some(({ property }) => property === '')) return undefined;
      return {
        kind: 'trends',
        ...common,
        series,
        ...breakdown,
        ...(draft.formula !== '' && { formula: draft.formula }),
        ...comparisonOf(draft.compare),
        ...runningOf(draft.running),
        ...goalOf(draft),
        ...(draft.display !== 'line' && { display: draft.display }),
      };
    }
    case 'funnel': {
      const exclude = excludedOf(draft, named.length - 1);
      return {
        kind: 'funnel',
        ...common,
        steps: named.map((step, at) => (isSkipped(draft, at) ? { ...step, optional: true } : step)),
        window: draft.window,
        ...(draft.view !== 'steps' && { view: draft.view }),
        ...(draft.order !== 'ordered' && { order: draft.order }),
        ...(draft.sameProperty !== '' && { sameProperty: draft.sameProperty }),
        ...(draft.view !== 'time_to_convert' && breakdown),
        ...(exclude.length > 0 && { exclude }),
      };
    }
    case 'paths': {
      const [first, last] = choices;
      const isBack = draft.direction === 'before';
      return {
        kind: 'paths',
        ...common,
        ...(!isBack && { after: first }),
        ...(isBack && { before: first }),
        ...(last !== undefined && { before: last }),
        ...(draft.namedBy !== '' && { property: draft.namedBy }),
        window: draft.window,
      };
    }
    case 'retention': {
      const [start, back] = choices;
      if (start === undefined || back === undefined) return undefined;
      const { periods, mode, retained, weight } = draft;
      return {
        kind: 'retention',
        ...common,
        start,
        return: back,
        periods,
        mode,
        retained,
        ...(weight !== '' && retained === 'on' && { weight }),
        ...breakdown,
      };
    }
    case 'stickiness':
      return { kind: 'stickiness', ...common, series: named, ...(draft.cumulative && { cumulative: true }) };
  }
}

/** Returns the form in which a query is edited. */
export function draftOf(query: Query): Draft {
  const draft: Draft = {
    ...emptyDraft(),
    kind: query.kind,
    range: rangeDraft(query.range),
    timezone: query.timezone ?? 'UTC',
    interval: query.interval ?? 'day',
    where: clauseDrafts(query.where),
    cohort: query.cohort ?? '',
    bots: query.bots ?? false,
  };
  const seriesDraft = (one: {
    event: string;
    name?: string | undefined;
    where?: Query['where'];
  }): SeriesDraft => ({
    ...emptySeries(one.event),
    name: one.name ?? '',
    where: clauseDrafts(one.where),
  });
  switch (query.kind) {
    case 'trends':
      return {
        ...draft,
        series: query.series.map((one) => ({
          ...seriesDraft(one),
          measure: one.measure ?? 'events',
          property: one.property ?? '',
        })),
        ...breakdownDrafts(query.breakdown, query.display === 'map' ? 0 : undefined),
        compare: typeof query.compare === 'object' ? query.compare.from : (query.compare ?? ''),
        formula: query.formula ?? '',
        running: typeof query.running === 'object' ? `${query.running.average}` : (query.running ?? ''),
        display: query.display ?? 'line',
        goal: query.goal === undefined ? '' : `${query.goal.value}`,
        goalLabel: query.goal?.label ?? '',
      };
    case 'funnel':
      return {
        ...draft,
        series: query.steps.map((one) => ({ ...seriesDraft(one), optional: one.optional ?? false })),
        window: query.window ?? draft.window,
        order: query.order ?? 'ordered',
        view: query.view ?? 'steps',
        sameProperty: query.sameProperty ?? '',
        exclude: (query.exclude ?? []).map((one) => ({
          ...seriesDraft(one),
          from: one.from === undefined ? '' : `${one.from}`,
          to: one.to === undefined ? '' : `${one.to}`,
        })),
        ...breakdownDrafts(query.breakdown),
      };
    case 'paths':
      return {
        ...draft,
        series: [query.after, query.before].filter((one) => one !== undefined).map(seriesDraft),
        direction: query.after === undefined ? 'before' : query.before === undefined ? 'after' : 'between',
        namedBy: query.property ?? '',
        window: query.window ?? { count: 1, unit: 'day' },
      };
    case 'retention':
      return {
        ...draft,
        series: [seriesDraft(query.start), seriesDraft(query.return)],
        periods: query.periods,
        mode: query.mode ?? 'first',
        retained: query.retained ?? 'on',
        weight: query.weight ?? '',
        ...breakdownDrafts(query.breakdown),
      };
    case 'stickiness':
      return { ...draft, series: query.series.map(seriesDraft), cumulative: query.cumulative ?? false };
    case 'lifecycle':
      return { ...draft, series: [emptySeries(query.event)] };
  }
}
