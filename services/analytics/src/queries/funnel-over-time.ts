import { setImmediate } from 'node:timers/promises';
import type { FunnelQuery, ReportContent } from '@switchboard/contracts';
import { bucketIn } from '../calendar/calendar.ts';
import { UnusableQuery } from '../conditions/clauses.ts';
import { QueryTooLarge } from '../engine/engine.ts';
import { linesBySize } from '../selection/breakdown.ts';
import { breakdownName } from '../selection/names.ts';
import { createFirstPeople, type Part } from './first-people.ts';
import { passOf } from './funnel-pass.ts';
import { type Point, placeIn } from './point.ts';
import { percentage, type QueryInputs } from './query.ts';

/** The values that are counted at once: intervals of labels. */
const MAX_VALUES = 1_000_000;

/** The integers that are followed before other work continues. Those of a person are followed for each interval. */
const AT_ONCE = 100_000;

/** Shows the share of the people who entered in each interval that reached the last step. */
export async function conversionOverTime(query: FunnelQuery, inputs: QueryInputs): Promise<ReportContent> {
  const { counts, labels } = await countsOf(query, inputs);
  return {
    kind: 'line',
    unit: '%',
    interval: query.interval ?? 'day',
    buckets: labels,
    ...(query.breakdown === undefined ? {} : { breakdown: breakdownName(query.breakdown) }),
    series: linesOf(query, counts).map((line) => ({
      ...line.part,
      name: line.name,
      values: labels.map((_, bucket) => {
        const [entered, done] = sumAt(line.of, bucket);
        return entered === 0 ? null : percentage(done, entered);
      }),
      total: null,
    })),
  };
}

/** The people who entered in each interval, and those of them who reached the last step. */
interface Counts {
  entered: number[];
  done: number[];
}

async function countsOf(query: FunnelQuery, inputs: QueryInputs) {
  const { countPeople, eachInterval, labels } = entriesOf(query, inputs);
  const counts = await countPeople({
    counts: 'intervals',
    empty: () => new Map<string, Counts>(),
    add: (counts, events, sign) =>
      eachInterval(events, (bucket, label, isDone) => {
        const own = counts.get(label) ?? { entered: labels.map(() => 0), done: labels.map(() => 0) };
        counts.set(label, own);
        if (counts.size * labels.length > MAX_VALUES) {
          throw new QueryTooLarge('The breakdown has too many values.');
        }
        own.entered[bucket] = (own.entered[bucket] ?? 0) + sign;
        if (isDone) own.done[bucket] = (own.done[bucket] ?? 0) + sign;
      }),
  });
  return { counts, labels };
}

/** Returns the people of a funnel, and a function that visits the intervals in which a person entered. */
function entriesOf(query: FunnelQuery, inputs: QueryInputs) {
  const { people, countPeople, chains, only, startsOf, calendar } = passOf(query, inputs);
  const { labels } = calendar;
  type Events = Parameters<typeof startsOf>[0];
  return {
    people,
    countPeople,
    labels,
    eachInterval(
      events: Events,
      visit: (bucket: number, label: string, isDone: boolean) => void,
    ): Promise<void> | undefined {
      const buckets = new Set(startsOf(events).map((t) => bucketIn(calendar, t)));
      const follow = (bucket: number) => {
        only((t) => bucketIn(calendar, t) === bucket);
        const reached = chains.follow(events);
        const label = query.breakdown === undefined ? '' : chains.labelOf(reached - 1);
        visit(bucket, label, reached === query.steps.length);
      };
      const size = events.words.length / 2;
      if (buckets.size * size > AT_ONCE) return inParts(buckets, follow, size);
      buckets.forEach(follow);
      return undefined;
    },
  };
}

/** Follows the events of each interval, and lets other work continue in between. */
async function inParts(
  buckets: Iterable<number>,
  follow: (bucket: number) => void,
  size: number,
): Promise<void> {
  let followed = 0;
  for (const bucket of buckets) {
    follow(bucket);
    followed += size;
    if (followed < AT_ONCE) continue;
    followed = 0;
    await setImmediate();
  }
}

/** Returns the lines of a breakdown. Without one, or without people, there is one line. */
function linesOf({ breakdown, steps }: FunnelQuery, counts: ReadonlyMap<string, Counts>) {
  const { event, name = event } = steps.at(-1) ?? { event: '' };
  if (breakdown === undefined || counts.size === 0) return [{ part: {}, name, of: [...counts] }];
  const sizeOf = ({ entered }: Counts) => entered.reduce((all, one) => all + one, 0);
  return linesBySize(breakdown, counts, sizeOf).map((line) => ({
    part: line.builtIn === undefined ? {} : { builtIn: line.builtIn },
    name: line.name,
    of: line.of,
  }));
}

function sumAt(of: readonly (readonly [string, Counts])[], bucket: number): [entered: number, done: number] {
  const sum = (key: keyof Counts) => of.reduce((all, [, counts]) => all + (counts[key][bucket] ?? 0), 0);
  return [sum('entered'), sum('done')];
}

/** Returns the first people who entered in an interval and reached the last step, or who did not with `dropped`. */
export async function peopleOverTime(
  query: FunnelQuery,
  point: Point,
  part: Part,
  inputs: QueryInputs,
): Promise<string[]> {
  if (point.state != null && point.state !== 'dropped') {
    throw new UnusableQuery('point.state: must be "dropped" or absent');
  }
  const isDropped = point.state === 'dropped';
  const { people, eachInterval, labels } = entriesOf(query, inputs);
  const chosen = placeIn(labels, point.bucket, 'bucket');
  const [name] = point.breakdown ?? [];
  const lines = name === undefined ? [] : linesOf(query, (await countsOf(query, inputs)).counts);
  const line =
    name === undefined
      ? undefined
      : lines[
          placeIn(
            lines.map((one) => one.name),
            name,
            'breakdown[0]',
          )
        ];
  const own = line && new Set(line.of.map(([label]) => label));
  const first = createFirstPeople(part);
  await inputs.eachPerson(people, (events) =>
    eachInterval(events, (bucket, label, isDone) => {
      if (bucket === chosen && isDone !== isDropped && own?.has(label) !== false) first.add(events.person());
    }),
  );
  return first.ids();
}
