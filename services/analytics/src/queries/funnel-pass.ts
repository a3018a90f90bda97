import { type EventChoice, excludedRanges, type FunnelQuery } from '@switchboard/contracts';
import { type Calendar, calendarOf, spanOf } from '../calendar/calendar.ts';
import type { PersonEvents } from '../engine/engine.ts';
import { allOf, anyOf, FALSE, join, type Sql, sql, TRUE, texts } from '../engine/sql.ts';
import { anyOrderBits, createAnyOrder } from '../passes/any-order.ts';
import { type Chains, createChains, type Exclusion, requiredBefore } from '../passes/chains.ts';
import { createOptional } from '../passes/optional.ts';
import { endOf, maskOf, packedOf } from '../passes/packed-events.ts';
import { createPerValue } from '../passes/per-value.ts';
import { createStarts } from '../passes/starts.ts';
import { markedLabelIn, readFor } from '../selection/breakdown.ts';
import { isWithin, selectEvents } from '../selection/events.ts';
import { countKept, type ExcludedEvents, type FunnelCounter } from './funnel-timelines.ts';
import { DEFAULT_INTERVAL, FUNNEL_WINDOW, type QueryInputs, windowMs } from './query.ts';

/** A pass over the events of people. */
export interface Pass {
  /** A query of the events of each person with a start. */
  people: Sql;
  /** Counts the same people without their ids, in the events by person that are kept if possible. */
  countPeople<C>(counter: FunnelCounter<C>): Promise<C>;
  chains: Chains;
  /** Follows only chains with these starts, by their time in milliseconds since 1970. */
  only(isStart: (t: number) => boolean): void;
  /** Returns the times of the events that may begin a chain, in milliseconds since 1970. */
  startsOf(events: PersonEvents): number[];
  calendar: Calendar;
  /** The last step before each one that is not optional. */
  required: readonly number[];
  /** The chains that end at each optional step. Undefined for other steps. */
  optional: readonly (Chains | undefined)[];
}

/** Returns the pass of a funnel. */
export function passOf(query: FunnelQuery, inputs: QueryInputs): Pass {
  const { source, now } = inputs;
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
  const grouped = sql`select p, ${dialect.integerList(sql`x`)} as events, ${labels} as labels
    from (select *, ${packedOf(packing)} as x from (${join(events, sql` union all `)}) as told
      where value is not null and ${isRead}) as packed
    group by ${groups} having count(case when ${isStart} then 1 end) > 0`;
  const isOptional = steps.map(({ optional = false }) => optional);
  const rules = { isOptional, windowMs: longest, isStrict: query.order === 'strict', exclusions, bits };
  const starts = createStarts({ ...packing, startBit: isAny ? bits - 1 : 0 });
  const chains = starts.within(
    isAny ? createAnyOrder({ steps: steps.length, windowMs: longest }) : createChains(rules),
  );
  const optional = isAny ? [] : createOptional(rules);
  const required = steps.map((_, step) => requiredBefore(isOptional, step));
  const common = { only: starts.only, startsOf: starts.timesOf, calendar, required };
  if (sameProperty === undefined) {
    return {
      people: grouped,
      async countPeople(counter) {
        const kept = await countKept(query, source, { calendar, packing, exclusions, instants }, counter);
        return kept ?? countIn(grouped, counter, inputs);
      },
      chains,
      optional,
      ...common,
    };
  }
  const lists = dialect.concatenated(dialect.prepended(sql`-1`, sql`events`));
  const people = sql`select p, ${lists} as events, ${dialect.concatenated(sql`labels`)} as labels
      from (${grouped}) as own group by p`;
  return {
    people,
    countPeople: (counter) => countIn(people, counter, inputs),
    chains: createPerValue(chains),
    optional: optional.map((one) => one && createPerValue(one)),
    ...common,
  };
}

async function countIn<C>(people: Sql, { empty, add }: FunnelCounter<C>, inputs: QueryInputs): Promise<C> {
  const counts = empty();
  await inputs.eachPerson(people, (events) => add(counts, events, 1));
  return counts;
}

/** Returns the chains that end at a step if the person reached it, after `follow` returned the steps reached. */
export function endingAt(
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
function exclusionsOf(query: FunnelQuery): ExcludedEvents[] {
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
