import {
  type EventChoice,
  excludedRanges,
  type FunnelQuery,
  type InsightBreakdown,
  PEOPLE,
  type ReportContent,
  roundedAmount,
} from '@switchboard/contracts';
import { calendarOf, spanOf } from '../calendar/calendar.ts';
import { UnusableQuery } from '../conditions/clauses.ts';
import { type PersonEvents, QueryTooLarge } from '../engine/engine.ts';
import { allOf, anyOf, FALSE, join, type Sql, sql, TRUE, texts } from '../engine/sql.ts';
import { anyOrderBits, createAnyOrder } from '../passes/any-order.ts';
import { type Chains, createChains, type Exclusion, requiredBefore } from '../passes/chains.ts';
import { createDurations } from '../passes/durations.ts';
import { createOptional } from '../passes/optional.ts';
import { endOf, maskOf, packedOf } from '../passes/packed-events.ts';
import { createPerValue } from '../passes/per-value.ts';
import { binOf, timeBins } from '../passes/time-bins.ts';
import { linesBySize, markedLabelIn, readFor } from '../selection/breakdown.ts';
import { isWithin, selectEvents } from '../selection/events.ts';
import { breakdownName, differentNames } from '../selection/names.ts';
import { createFirstPeople, type Part } from './first-people.ts';
import { numberIn, type Point, placeIn } from './point.ts';
import { DEFAULT_INTERVAL, FUNNEL_WINDOW, type QueryInputs, windowMs } from './query.ts';

/** The labels that are counted at once. */
const MAX_LABELS = 1_000_000;

/** Computes a funnel from the chains of each person. */
export async function funnel(query: FunnelQuery, inputs: QueryInputs): Promise<ReportContent> {
  if (query.view === 'time_to_convert') return timesToConvert(query, inputs);
  return reportOf(query, await tallyOf(query, inputs));
}

/** Counts people by the time from the first step to the last. */
async function timesToConvert(query: FunnelQuery, inputs: QueryInputs): Promise<ReportContent> {
  const { people, chains } = passOf(query, inputs);
  const bins = timeBins(windowMs(query.window, FUNNEL_WINDOW));
  const values = bins.map(() => 0);
  await inputs.eachPerson(people, (events) => {
    const bin = chains.follow(events) === query.steps.length ? binOf(bins, durationOf(query, chains)) : -1;
    if (bin !== -1) values[bin] = (values[bin] ?? 0) + 1;
  });
  const { event, name = event } = query.steps.at(-1) ?? { event: '' };
  return { kind: 'bar', unit: PEOPLE, buckets: bins.map(({ label }) => label), series: [{ name, values }] };
}

/** Returns the time from the first step to the last, in milliseconds. */
function durationOf({ steps }: FunnelQuery, chains: Chains): number {
  const times = chains.timesOf(steps.length - 1);
  return (times[steps.length - 1] ?? 0) - (times[0] ?? 0);
}

/** A pass over the events of people. */
interface Pass {
  /** A query of the events of each person with a start. */
  people: Sql;
  chains: Chains;
  /** The last step before each one that is not optional. */
  required: readonly number[];
  /** The chains that end at each optional step. Undefined for other steps. */
  optional: readonly (Chains | undefined)[];
}

function passOf(query: FunnelQuery, { source, now }: QueryInputs): Pass {
  const { dialect } = source;
  const { interval = DEFAULT_INTERVAL, timezone = 'UTC', steps, exclude, where = [], breakdown } = query;
  const { sameProperty } = query;
  const span = spanOf(query.range, interval, timezone, now);
  const calendar = calendarOf({ span, interval, timeZone: timezone });
  const longest = windowMs(query.window, FUNNEL_WINDOW);
  const choices: readonly EventChoice[] = [...steps, ...(exclude ?? [])];
  const isAny = query.order === 'any';
  const exclusions = exclusionsOf(query);
  const bits = isAny ? anyOrderBits(steps.length) : steps.length + exclusions.length;
  const packing = { from: calendar.from, bits };
  const instants = { from: calendar.from, to: Math.min(calendar.to + longest, endOf(packing)) };
  const events = partsOf(query).map(({ names, isStart }) => {
    const own = choices.filter(({ event }) => names?.includes(event) ?? true);
    const broken = isStart ? breakdown : undefined;
    const read = readFor(broken);
    const selected = selectEvents({ source, names, where, instants }, own, {
      ...read,
      labels: sameProperty === undefined ? read.labels : [...read.labels, sameProperty],
    });
    const { relation, matches, label } = selected;
    const isOf = (choice: EventChoice) => (own.includes(choice) ? matches(choice) : FALSE);
    const isStep = steps.map((step, index) =>
      index === 0 && !isAny ? allOf([isOf(step), isWithin(calendar)]) : isOf(step),
    );
    const mask = maskOf([
      ...isStep,
      ...exclusions.map(({ choices: excluded }) => anyOf(excluded.map(isOf))),
      ...(isAny ? [allOf([anyOf(isStep), isWithin(calendar)])] : []),
    ]);
    const shown = broken === undefined ? sql`''` : markedLabelIn(broken, selected, dialect);
    const value = sameProperty === undefined ? sql`''` : label(sameProperty);
    return sql`select p, t, ${mask} as mask, ${shown} as label, ${value} as value from (${relation}) as ev`;
  });
  // Any event comes between steps in strict order.
  const isRead = query.order === 'strict' ? TRUE : sql`mask > 0`;
  const isStart = dialect.hasBit(sql`mask`, isAny ? bits - 1 : 0);
  const labels =
    breakdown === undefined ? sql`${texts([])}` : dialect.sortedTexts(sql`label`, sql`x`, isStart);
  const groups = sameProperty === undefined ? sql`p` : sql`p, value`;
  const grouped = sql`select p, ${dialect.sortedIntegers(sql`x`)} as events, ${labels} as labels
    from (select *, ${packedOf(packing)} as x from (${join(events, sql` union all `)}) as told
      where value is not null and ${isRead}) as packed
    group by ${groups} having count(case when ${isStart} then 1 end) > 0`;
  const isOptional = steps.map(({ optional = false }) => optional);
  const rules = { isOptional, windowMs: longest, isStrict: query.order === 'strict', exclusions, bits };
  const chains = isAny ? createAnyOrder({ steps: steps.length, windowMs: longest }) : createChains(rules);
  const optional = isAny ? [] : createOptional(rules);
  const required = steps.map((_, step) => requiredBefore(isOptional, step));
  if (sameProperty === undefined) return { people: grouped, chains, optional, required };
  const lists = dialect.concatenated(dialect.prepended(sql`-1`, sql`events`));
  return {
    people: sql`select p, ${lists} as events, ${dialect.concatenated(sql`labels`)} as labels
      from (${grouped}) as own group by p`,
    chains: createPerValue(chains),
    optional: optional.map((one) => one && createPerValue(one)),
    required,
  };
}

/** Returns the chains that end at a step if the person reached it, after `follow` returned the steps reached. */
function endingAt(
  { chains, optional, required }: Pass,
  step: number,
  reached: number,
  events: PersonEvents,
): Chains | undefined {
  const own = optional[step];
  if (own === undefined) return step < reached ? chains : undefined;
  return (required[step] ?? 0) < reached && own.follow(events) > step ? own : undefined;
}

/** Returns the excluded events by the steps between which they count. In any order, there is one range. */
function exclusionsOf(query: FunnelQuery): (Exclusion & { choices: EventChoice[] })[] {
  const ranges = excludedRanges(query);
  const found: (Exclusion & { choices: EventChoice[] })[] = [];
  const add = (from: number, to: number, choices: EventChoice[]) =>
    found.push({ from, to, choices, bit: query.steps.length + found.length });
  if (query.order === 'any') add(0, query.steps.length - 1, []);
  query.exclude?.forEach((choice, index) => {
    const { from, to } = ranges[index] ?? { from: 0, to: 0 };
    const same = found.find((one) => one.from === from && one.to === to);
    if (same === undefined) add(from, to, [choice]);
    else same.choices.push(choice);
  });
  return found;
}

/** The names of events that are selected together, undefined for all, and whether they may begin a chain. */
interface SelectedTogether {
  names: readonly string[] | undefined;
  isStart: boolean;
}

/**
 * Returns the events to select together. An event that needs a label, or has conditions of its own, is selected apart,
 * because every selected event is read with the properties of all.
 */
function partsOf({ steps, exclude = [], breakdown, order }: FunnelQuery): SelectedTogether[] {
  if (order === 'strict') return [{ names: undefined, isStart: true }];
  const starts = new Set((order === 'any' ? steps : steps.slice(0, 1)).map(({ event }) => event));
  const choices = [...steps, ...exclude];
  const isApart = (name: string) =>
    (starts.has(name) && breakdown !== undefined) ||
    choices.some(({ event, where = [] }) => event === name && where.length > 0);
  const names = [...new Set(choices.map(({ event }) => event))];
  const together = names.filter((name) => !isApart(name));
  return [names.filter(isApart).map((name) => [name]), together.length === 0 ? [] : [together]]
    .flat()
    .map((part) => ({ names: part, isStart: part.some((name) => starts.has(name)) }));
}

/** The people of a funnel by the label of their longest chain. */
interface Tally {
  /** The number of people who reached each step, by label. */
  counts: ReadonlyMap<string, readonly number[]>;
  medians: readonly (number | null)[];
}

async function tallyOf(query: FunnelQuery, inputs: QueryInputs): Promise<Tally> {
  const pass = passOf(query, inputs);
  const { people, chains, required } = pass;
  const isBroken = query.breakdown !== undefined;
  const counts = new Map<string, number[]>();
  const durations = query.steps.map(createDurations);
  await inputs.eachPerson(people, (events) => {
    const reached = chains.follow(events);
    const label = isBroken ? chains.labelOf(reached - 1) : '';
    const of = counts.get(label) ?? query.steps.map(() => 0);
    counts.set(label, of);
    if (counts.size > MAX_LABELS) throw new QueryTooLarge('The breakdown has too many values.');
    for (let step = 0; step < of.length; step++) {
      const times = endingAt(pass, step, reached, events)?.timesOf(step);
      if (times === undefined) continue;
      of[step] = (of[step] ?? 0) + 1;
      if (step > 0) durations[step]?.add((times[step] ?? 0) - (times[required[step] ?? 0] ?? 0));
    }
  });
  return { counts, medians: durations.map((one) => one.median()) };
}

/** The `state` of a point for people who reached the last step before that is not optional, and not this one. */
const DROPPED = 'dropped';

/** Returns the first people who reached a step, or who dropped out before it. */
export async function funnelPeople(
  query: FunnelQuery,
  point: Point,
  part: Part,
  inputs: QueryInputs,
): Promise<string[]> {
  const pass = passOf(query, inputs);
  const { people, chains, required } = pass;
  const first = createFirstPeople(part);
  if (query.view === 'time_to_convert') {
    const bins = timeBins(windowMs(query.window, FUNNEL_WINDOW));
    const labels = bins.map(({ label }) => label);
    const bin = placeIn(labels, point.bucket, 'bucket');
    await inputs.eachPerson(people, (events) => {
      const isComplete = chains.follow(events) === query.steps.length;
      if (isComplete && binOf(bins, durationOf(query, chains)) === bin) first.add(events.person());
    });
    return first.ids();
  }
  const isDropped = point.state === DROPPED;
  if (point.state != null && !isDropped)
    throw new UnusableQuery(`point.state: must be "${DROPPED}" or absent`);
  const step = numberIn(point.step, isDropped ? 1 : 0, query.steps.length - 1, 'step');
  const isOfLine = await lineAt(query, point, inputs);
  await inputs.eachPerson(people, (events) => {
    const reached = chains.follow(events);
    const hasDone = endingAt(pass, step, reached, events) !== undefined;
    const isAtStep = isDropped ? !hasDone && reached > (required[step] ?? 0) : hasDone;
    if (isAtStep && isOfLine(chains.labelOf(reached - 1))) first.add(events.person());
  });
  return first.ids();
}

/** Returns whether a label belongs to the line of a breakdown that a point names. */
async function lineAt(
  query: FunnelQuery,
  point: Point,
  inputs: QueryInputs,
): Promise<(label: string) => boolean> {
  const [name] = point.breakdown ?? [];
  if (query.breakdown === undefined || name === undefined) return () => true;
  const lines = linesOf(query.breakdown, await tallyOf(query, inputs));
  const names = lines.map((one) => one.name);
  const chosen = lines[placeIn(names, name, 'breakdown[0]')];
  return (label) => chosen?.labels.has(label) === true;
}

/** Returns the lines of a breakdown in order, with different names. */
function linesOf(breakdown: InsightBreakdown, { counts }: Tally) {
  return linesBySize(breakdown, counts, (of) => of[0] ?? 0).map(({ of, name, builtIn }) => ({
    part: builtIn === undefined ? {} : { builtIn },
    name,
    labels: new Set(of.map(([one]) => one)),
    values: sumOf(of.map(([, values]) => values)),
  }));
}

/** Returns the sums by position. */
function sumOf(all: readonly (readonly number[])[]): number[] {
  const [first = [], ...others] = all;
  return others.reduce<number[]>((sum, one) => sum.map((value, at) => value + (one[at] ?? 0)), [...first]);
}

/** Returns the name of a number of steps in any order. */
const stepsName = (count: number) => (count === 1 ? '1 step' : `${count} steps`);

function reportOf({ steps, breakdown, order }: FunnelQuery, tally: Tally): ReportContent {
  const total = sumOf([...tally.counts.values()]);
  const names = differentNames(
    steps.map(({ event, name = event }, index) => (order === 'any' ? stepsName(index + 1) : name)),
  );
  const lines = breakdown === undefined ? [] : linesOf(breakdown, tally);
  return {
    kind: 'funnel',
    steps: names.map((name, index) => {
      const median = tally.medians[index] ?? null;
      return {
        name,
        count: total[index] ?? 0,
        ...(steps[index]?.optional === true && { optional: true }),
        medianSeconds: median === null ? null : roundedAmount(median / 1000),
      };
    }),
    ...(breakdown === undefined ? {} : { breakdown: breakdownName(breakdown) }),
    ...(lines.length === 0
      ? {}
      : { series: lines.map(({ part, name, values }) => ({ ...part, values, name })) }),
  };
}
