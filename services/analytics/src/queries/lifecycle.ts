import { BUILT_IN_NAMES, type LifecycleQuery, PEOPLE, type ReportContent } from '@switchboard/contracts';
import { z } from 'zod';
import { calendarOf, spanOf } from '../calendar/calendar.ts';
import { sql } from '../engine/sql.ts';
import { bucketAt, isWithin, selectEvents } from './events.ts';
import { DEFAULT_INTERVAL, type QueryInputs } from './query.ts';

const STATES = ['new', 'returning', 'resurrecting', 'dormant'] as const;

const bucketRows = z.array(
  z.object({ b: z.number(), fresh: z.number(), back: z.number(), again: z.number(), gone: z.number() }),
);

/** Groups people by their activity in and before each interval. */
export async function lifecycle(query: LifecycleQuery, inputs: QueryInputs): Promise<ReportContent> {
  const { interval = DEFAULT_INTERVAL, timezone = 'UTC', range, where = [], event } = query;
  const span = spanOf(range, interval, timezone, inputs.now);
  const calendar = calendarOf({ span, interval, timeZone: timezone, before: 1 });
  // Includes all of the past, which decides who is new.
  const { relation } = selectEvents(
    {
      source: inputs.source,
      names: event === undefined ? undefined : [event],
      where,
      instants: { to: calendar.to },
    },
    [],
  );
  const bucket = bucketAt(inputs.source.dialect, calendar);
  // The buckets of each person in order. Times outside of the calendar are null and come first.
  const rows = await inputs.run(sql`
    select b::double as b, count(case when t = earliest then 1 end)::double as fresh,
      count(case when t > earliest and before = b - 1 then 1 end)::double as back,
      count(case when t > earliest and coalesce(before <> b - 1, true) then 1 end)::double as again,
      count(case when coalesce(after <> b + 1, true) then 1 end)::double as gone
    from (select b, t, min(t) over (partition by p) as earliest,
        lag(b) over (partition by p order by b nulls first) as before,
        lead(b) over (partition by p order by b nulls first) as after
      from (select p, b, min(t) as t
        from (select p, t, case when b = -1 or ${isWithin(calendar)} then b end as b
          from (select p, t, case when ${isWithin(calendar.around)} then (${bucket})::integer end as b from (${relation}) as ev) as placed) as known
        group by p, b) as active) as placed
    where b is not null group by b`);
  const found = new Map(bucketRows.parse(rows).map((row) => [row.b, row]));
  const peopleIn = {
    new: (b: number) => found.get(b)?.fresh ?? 0,
    returning: (b: number) => found.get(b)?.back ?? 0,
    resurrecting: (b: number) => found.get(b)?.again ?? 0,
    dormant: (b: number) => 0 - (found.get(b - 1)?.gone ?? 0),
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
