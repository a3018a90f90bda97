import { BUILT_IN_NAMES, type LifecycleQuery, PEOPLE, type ReportContent } from '@switchboard/contracts';
import { z } from 'zod';
import { type Calendar, calendarOf, spanOf } from '../calendar/calendar.ts';
import { integer, type Sql, sql } from '../engine/sql.ts';
import { countsIn, createLifecycle, type LifecycleCounts } from '../passes/lifecycle.ts';
import { bucketAt, isWithin, type Source, selectEvents } from '../selection/events.ts';
import { timelinesOf } from '../selection/timelines.ts';
import { type Point, placeIn } from './point.ts';
import { DEFAULT_INTERVAL, type QueryInputs } from './query.ts';

const STATES = ['new', 'returning', 'resurrecting', 'dormant'] as const;

const bucketRows = z.array(
  z.object({ b: z.number(), fresh: z.number(), back: z.number(), again: z.number(), gone: z.number() }),
);

/** The people of each state, by the columns of `placed`. Those of `dormant` were active in the interval before. */
const IN_STATE = {
  new: sql`t = earliest`,
  returning: sql`t > earliest and before = b - 1`,
  resurrecting: sql`t > earliest and coalesce(before <> b - 1, true)`,
  dormant: sql`coalesce(after <> b + 1, true)`,
} as const;

/** Returns a query of the intervals in which each person was active. */
function placedOf({ where = [], event }: LifecycleQuery, calendar: Calendar, source: Source): Sql {
  // Includes all of the past, which decides who is new.
  const instants = { to: calendar.to };
  const names = event === undefined ? undefined : [event];
  const { relation } = selectEvents({ source, instants, names, where }, []);
  const bucket = bucketAt(source.dialect, calendar);
  // The buckets of each person in order. Times outside of the calendar are null and come first.
  return sql`select p, b, t, min(t) over (partition by p) as earliest,
        lag(b) over (partition by p order by b nulls first) as before,
        lead(b) over (partition by p order by b nulls first) as after
      from (select p, b, min(t) as t
        from (select p, t, case when b = -1 or ${isWithin(calendar)} then b end as b
          from (select p, t, case when ${isWithin(calendar.around)} then (${bucket})::integer end as b from (${relation}) as ev) as placed) as known
        group by p, b) as active`;
}

function calendarFor({ interval = DEFAULT_INTERVAL, timezone = 'UTC', range }: LifecycleQuery, now: number) {
  return calendarOf({
    span: spanOf(range, interval, timezone, now),
    interval,
    timeZone: timezone,
    before: 1,
  });
}

/** Groups people by their activity in and before each interval. */
export async function lifecycle(query: LifecycleQuery, inputs: QueryInputs): Promise<ReportContent> {
  const { interval = DEFAULT_INTERVAL } = query;
  const calendar = calendarFor(query, inputs.now);
  const countsAt = await countsOf(query, calendar, inputs);
  const peopleIn = {
    new: (b: number) => countsAt(b)?.fresh ?? 0,
    returning: (b: number) => countsAt(b)?.back ?? 0,
    resurrecting: (b: number) => countsAt(b)?.again ?? 0,
    dormant: (b: number) => 0 - (countsAt(b - 1)?.gone ?? 0),
  };
  // A person counts in every interval.
  const series = STATES.map((state) => ({
    name: BUILT_IN_NAMES[state],
    builtIn: state,
    values: calendar.labels.map((_, b) => peopleIn[state](b)),
    total: null,
  }));
  return { kind: 'bar', unit: PEOPLE, interval, buckets: calendar.labels, series };
}

/** Returns a function for the people of a bucket. */
async function countsOf(
  query: LifecycleQuery,
  calendar: Calendar,
  { source, run }: QueryInputs,
): Promise<(bucket: number) => LifecycleCounts | undefined> {
  const { event, where = [] } = query;
  const kept = await source.countPeople?.([timelinesOf(source, where, event)], createLifecycle(calendar));
  if (kept !== undefined) return (bucket) => countsIn(kept, bucket);
  const rows = await run(sql`
    select b::double as b, count(case when ${IN_STATE.new} then 1 end)::double as fresh,
      count(case when ${IN_STATE.returning} then 1 end)::double as back,
      count(case when ${IN_STATE.resurrecting} then 1 end)::double as again,
      count(case when ${IN_STATE.dormant} then 1 end)::double as gone
    from (${placedOf(query, calendar, source)}) as placed
    where b is not null group by b`);
  const found = new Map(bucketRows.parse(rows).map(({ b, ...counts }) => [b, counts]));
  return (bucket) => found.get(bucket);
}

/** Returns a query of the people in a state in an interval. */
export function lifecyclePeople(query: LifecycleQuery, point: Point, inputs: QueryInputs): Sql {
  const calendar = calendarFor(query, inputs.now);
  const placed = placedOf(query, calendar, inputs.source);
  const bucket = placeIn(calendar.labels, point.bucket, 'bucket');
  const state = STATES[placeIn(STATES, point.state, 'state')] ?? 'new';
  const active = state === 'dormant' ? bucket - 1 : bucket;
  return sql`select p from (${placed}) as placed where b = ${integer(active)} and ${IN_STATE[state]}`;
}
