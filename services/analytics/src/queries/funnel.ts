import {
  type FunnelQuery,
  type InsightBreakdown,
  PEOPLE,
  type ReportContent,
  roundedAmount,
} from '@switchboard/contracts';
import { UnusableQuery } from '../conditions/clauses.ts';
import { QueryTooLarge } from '../engine/engine.ts';
import type { Chains } from '../passes/chains.ts';
import { addDuration, medianOf, noDurations } from '../passes/durations.ts';
import { binOf, timeBins } from '../passes/time-bins.ts';
import { linesBySize } from '../selection/breakdown.ts';
import { breakdownName, differentNames } from '../selection/names.ts';
import { createFirstPeople, type Part } from './first-people.ts';
import { conversionOverTime, peopleOverTime } from './funnel-over-time.ts';
import { endingAt, passOf } from './funnel-pass.ts';
import { numberIn, type Point, placeIn } from './point.ts';
import { FUNNEL_WINDOW, type QueryInputs, windowMs } from './query.ts';

/** The labels that are counted at once. */
const MAX_LABELS = 1_000_000;

/** Computes a funnel from the chains of each person. */
export async function funnel(query: FunnelQuery, inputs: QueryInputs): Promise<ReportContent> {
  if (query.view === 'time_to_convert') return timesToConvert(query, inputs);
  if (query.view === 'over_time') return conversionOverTime(query, inputs);
  return reportOf(query, await tallyOf(query, inputs));
}

/** Counts people by the time from the first step to the last. */
async function timesToConvert(query: FunnelQuery, inputs: QueryInputs): Promise<ReportContent> {
  const { countPeople, chains } = passOf(query, inputs);
  const bins = timeBins(windowMs(query.window, FUNNEL_WINDOW));
  const values = await countPeople({
    counts: 'times',
    empty: () => bins.map(() => 0),
    add(people, events, sign) {
      const bin = chains.follow(events) === query.steps.length ? binOf(bins, durationOf(query, chains)) : -1;
      if (bin !== -1) people[bin] = (people[bin] ?? 0) + sign;
    },
  });
  const { event, name = event } = query.steps.at(-1) ?? { event: '' };
  return { kind: 'bar', unit: PEOPLE, buckets: bins.map(({ label }) => label), series: [{ name, values }] };
}

/** Returns the time from the first step to the last, in milliseconds. */
function durationOf({ steps }: FunnelQuery, chains: Chains): number {
  const times = chains.timesOf(steps.length - 1);
  return (times[steps.length - 1] ?? 0) - (times[0] ?? 0);
}

/** The people of a funnel by the label of their longest chain. */
interface Tally {
  /** The number of people who reached each step, by label. */
  counts: ReadonlyMap<string, readonly number[]>;
  medians: readonly (number | null)[];
}

async function tallyOf(query: FunnelQuery, inputs: QueryInputs): Promise<Tally> {
  const pass = passOf(query, inputs);
  const { chains, required } = pass;
  const isBroken = query.breakdown !== undefined;
  const { counts, durations } = await pass.countPeople({
    counts: 'steps',
    empty: () => ({ counts: new Map<string, number[]>(), durations: query.steps.map(noDurations) }),
    add({ counts, durations }, events, sign) {
      const reached = chains.follow(events);
      if (reached === 0) return;
      const label = isBroken ? chains.labelOf(reached - 1) : '';
      const of = counts.get(label) ?? query.steps.map(() => 0);
      counts.set(label, of);
      if (counts.size > MAX_LABELS) throw new QueryTooLarge('The breakdown has too many values.');
      for (let step = 0; step < of.length; step++) {
        const times = endingAt(pass, step, reached, events)?.timesOf(step);
        if (times === undefined) continue;
        of[step] = (of[step] ?? 0) + sign;
        const own = step === 0 ? undefined : durations[step];
        if (own) addDuration(own, (times[step] ?? 0) - (times[required[step] ?? 0] ?? 0), sign);
      }
    },
  });
  return { counts, medians: durations.map(medianOf) };
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
  if (query.view === 'over_time') return peopleOverTime(query, point, part, inputs);
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
