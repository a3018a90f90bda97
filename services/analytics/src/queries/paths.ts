import {
  BUILT_IN_NAMES,
  PATH_LEVELS,
  type PathsQuery,
  PEOPLE,
  type ReportContent,
} from '@switchboard/contracts';
import { calendarOf, spanOf } from '../calendar/calendar.ts';
import { UnusableQuery } from '../conditions/clauses.ts';
import { shownOf } from '../engine/dialect.ts';
import { type PersonEvents, QueryTooLarge } from '../engine/engine.ts';
import { allOf, FALSE, integer, type Sql, sql, TRUE } from '../engine/sql.ts';
import { maskOf, packedOf } from '../passes/packed-events.ts';
import { PATH_BITS, pathOf } from '../passes/path.ts';
import { createPathTally, type PathTally } from '../passes/path-tally.ts';
import { OTHER } from '../selection/breakdown.ts';
import { isWithin, type SelectedEvents, selectEvents } from '../selection/events.ts';
import { differentNames } from '../selection/names.ts';
import { createFirstPeople, type Part } from './first-people.ts';
import { numberIn, type Point, placeIn } from './point.ts';
import { DEFAULT_INTERVAL, PATHS_WINDOW, type QueryInputs, windowMs } from './query.ts';

/** The events of a level that are shown. The others are one. */
const MAX_SHOWN = 10;
/** The different labels and paths that are counted at once. */
const MAX_PATHS = 1_000_000;
/** The `state` of a point for people without a further event. */
const ENDED = 'ended';

/** An event at a level of paths. */
interface PathNode {
  /** Absent for the others. */
  label?: string;
  name: string;
  builtIn?: 'other' | 'empty';
  count: number;
  /** The people without a further event, or without an earlier one if paths are followed back. */
  ended: number;
}

/** Shows where people went after, before or between events. Each person counts once. */
export async function paths(query: PathsQuery, inputs: QueryInputs): Promise<ReportContent> {
  const tally = await tallyOf(query, inputs);
  const levels = levelsOf(query, tally);
  const links = new Map<string, { level: number; from: number; to: number; count: number }>();
  for (const { path, people } of tally.paths()) {
    const first = firstLevel(query, path);
    const places = path.map((label, index) => placeOf(levels[first + index] ?? [], label));
    for (const [index, to] of places.slice(1).entries()) {
      const [level, from] = [first + index, places[index] ?? 0];
      const key = `${level} ${from} ${to}`;
      links.set(key, { level, from, to, count: (links.get(key)?.count ?? 0) + people });
    }
  }
  return {
    kind: 'paths',
    unit: PEOPLE,
    levels: levels.map((nodes) =>
      nodes.map(({ label: _, ended, ...node }) => (isBetween(query) ? node : { ...node, ended })),
    ),
    links: [...links.values()].sort(
      (one, other) => one.level - other.level || one.from - other.from || one.to - other.to,
    ),
  };
}

const isBetween = ({ after, before }: PathsQuery) => after !== undefined && before !== undefined;
const directionOf = (query: PathsQuery) =>
  isBetween(query) ? 'between' : query.after === undefined ? 'back' : 'forward';

/** Paths that are followed back end at the last level. */
const firstLevel = ({ after }: PathsQuery, path: readonly string[]) =>
  after === undefined ? PATH_LEVELS - path.length : 0;

const placeOf = (nodes: readonly PathNode[], label: string) => {
  const place = nodes.findIndex((node) => node.label === label);
  return place === -1 ? nodes.length - 1 : place;
};

async function tallyOf(query: PathsQuery, inputs: QueryInputs): Promise<PathTally> {
  const tally = createPathTally();
  await inputs.eachPerson(passOf(query, inputs), (events) => {
    tally.add(pathIn(query, events));
    if (tally.size() > MAX_PATHS) throw new QueryTooLarge('The paths have too many different events.');
  });
  return tally;
}

const pathIn = (query: PathsQuery, events: PersonEvents) =>
  pathOf(events, { direction: directionOf(query), levels: PATH_LEVELS });

/** Returns the events of each level, the most common first. */
function levelsOf(query: PathsQuery, tally: PathTally): PathNode[][] {
  const found = Array.from(
    { length: PATH_LEVELS },
    () => new Map<string, { count: number; ended: number }>(),
  );
  for (const { path, people } of tally.paths()) {
    const first = firstLevel(query, path);
    const last = query.after === undefined ? 0 : path.length - 1;
    for (const [index, label] of path.entries()) {
      const level = found[first + index];
      const { count = 0, ended = 0 } = level?.get(label) ?? {};
      const isEnd = index === last && path.length < PATH_LEVELS;
      level?.set(label, { count: count + people, ended: ended + (isEnd ? people : 0) });
    }
  }
  return found.map((of) => {
    const sorted = [...of]
      .map(([label, counts]) => ({ label, ...counts }))
      .sort((one, other) => other.count - one.count || (one.label < other.label ? -1 : 1));
    const rest = sorted.slice(MAX_SHOWN);
    const nodes: PathNode[] = sorted
      .slice(0, MAX_SHOWN)
      .map((node) =>
        node.label === ''
          ? { ...node, name: BUILT_IN_NAMES.empty, builtIn: 'empty' }
          : { ...node, name: shownOf(node.label) },
      );
    if (rest.length > 0) {
      const sum = (one: 'count' | 'ended') => rest.reduce((all, node) => all + node[one], 0);
      nodes.push({ name: OTHER.name, builtIn: 'other', count: sum('count'), ended: sum('ended') });
    }
    const names = differentNames(nodes.map(({ name }) => name));
    return nodes.map((node, index) => ({ ...node, name: names[index] ?? node.name }));
  });
}

/** Returns the first people with an event at a level of their path, or those of them without a further event. */
export async function pathsPeople(
  query: PathsQuery,
  point: Point,
  part: Part,
  inputs: QueryInputs,
): Promise<string[]> {
  if (point.state != null && point.state !== ENDED)
    throw new UnusableQuery(`point.state: must be "${ENDED}" or absent`);
  const level = numberIn(point.step, 0, PATH_LEVELS - 1, 'step');
  const nodes = levelsOf(query, await tallyOf(query, inputs))[level] ?? [];
  const node = placeIn(
    nodes.map(({ name }) => name),
    point.metric,
    'metric',
  );
  const first = createFirstPeople(part);
  await inputs.eachPerson(passOf(query, inputs), (events) => {
    const path = pathIn(query, events);
    const index = level - firstLevel(query, path);
    const label = path[index];
    if (label === undefined || placeOf(nodes, label) !== node) return;
    const isEnd = index === (query.after === undefined ? 0 : path.length - 1) && path.length < PATH_LEVELS;
    if (point.state == null || isEnd) first.add(events.person());
  });
  return first.ids();
}

/** Returns a query of the events of each person around the first or last one that paths begin or end with. */
function passOf(query: PathsQuery, { source, now }: QueryInputs): Sql {
  const { dialect } = source;
  const { interval = DEFAULT_INTERVAL, timezone = 'UTC', where = [], after, before, property } = query;
  const span = spanOf(query.range, interval, timezone, now);
  const calendar = calendarOf({ span, interval, timeZone: timezone });
  const longest = windowMs(query.window, PATHS_WINDOW);
  const isBack = after === undefined;
  const instants = isBack
    ? { from: calendar.from - longest, to: calendar.to }
    : { from: calendar.from, to: calendar.to + longest };
  const choices = [after, before].filter((choice) => choice !== undefined);
  const maskIn = ({ matches }: SelectedEvents) =>
    maskOf([
      after === undefined ? FALSE : allOf([matches(after), isWithin(calendar)]),
      before === undefined ? FALSE : allOf([matches(before), ...(isBack ? [isWithin(calendar)] : [])]),
    ]);
  const named = selectEvents({ source, names: choices.map(({ event }) => event), where, instants }, choices);
  const marked = sql`select p, t, ${maskIn(named)} as mask from (${named.relation}) as ev`;
  const all = selectEvents({ source, names: undefined, where, instants }, choices, {
    labels: property === undefined ? [] : [property],
  });
  const name = sql`event_name::text`;
  const label = property === undefined ? name : sql`coalesce(${all.label(property)}, ${name})`;
  const isNear = isBack
    ? sql`e.t <= known.since and e.t >= known.since - ${integer(longest)}`
    : sql`e.t >= known.since and e.t <= known.since + ${integer(longest)}`;
  return sql`select p, ${dialect.integerList(sql`x`)} as events, ${dialect.sortedTexts(sql`label`, sql`x`, TRUE)} as labels
    from (select e.p as p, ${packedOf({ from: instants.from, bits: PATH_BITS })} as x, label
      from (select p, t, ${maskIn(all)} as mask, ${label} as label from (${all.relation}) as ev) as e
      join (${anchorsOf(query, marked, longest, dialect.hasBit)}) as known on known.p = e.p
      where ${isNear}) as near
    group by p`;
}

/** Returns a query of the time at which the path of each person begins, or ends if it is followed back. */
function anchorsOf(
  { after, before }: PathsQuery,
  marked: Sql,
  longest: number,
  hasBit: (mask: Sql, bit: number) => Sql,
): Sql {
  const [begins, ends] = [hasBit(sql`mask`, 0), hasBit(sql`mask`, 1)];
  if (after === undefined) {
    return sql`select p, max(t) as since from (${marked}) as marked where ${ends} group by p`;
  }
  if (before === undefined) {
    return sql`select p, min(t) as since from (${marked}) as marked where ${begins} group by p`;
  }
  return sql`select p, min(t) as since
    from (select p, t, mask, min(case when ${ends} then t end) over (partition by p order by t, mask
        rows between 1 following and unbounded following) as until
      from (${marked}) as marked where mask > 0) as followed
    where ${begins} and until - t <= ${integer(longest)} group by p`;
}
