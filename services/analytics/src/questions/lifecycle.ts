import type { LifecycleQuery, ReportContent } from '@switchboard/contracts';
import { z } from 'zod';
import { integer, sql } from '../engine/sql.ts';
import { calendarOf, spanOf } from './calendar.ts';
import { isInSpan, selectEvents, withBuckets } from './events.ts';
import { type Asking, DEFAULT_INTERVAL } from './question.ts';

const STATES = ['New', 'Returning', 'Resurrecting', 'Dormant'] as const;

const stateRows = z.array(z.object({ b: z.number(), state: z.enum(STATES), people: z.number() }));

/** People by what they did in each interval and before it. */
export async function lifecycle(question: LifecycleQuery, asking: Asking): Promise<ReportContent> {
  const { interval = DEFAULT_INTERVAL, timezone = 'UTC', range, where = [], event } = question;
  const span = spanOf(range, interval, timezone, asking.now);
  const calendar = calendarOf({ span, interval, timeZone: timezone, before: 1 });
  // All of the past: it decides who is new.
  const { query } = selectEvents(
    { source: asking.source, names: event === undefined ? undefined : [event], where, to: calendar.to },
    [],
  );
  const rows = await asking.query(sql`
    with ev as materialized (${withBuckets(query, calendar)}),
    earliest as (select p, min(t) as t from ev group by p),
    active as (select p, b, min(t) as t from ev where b = -1 or ${isInSpan(calendar)} group by p, b)
    select a.b::integer as b, case when a.t = earliest.t then 'New' when before.p is not null then 'Returning'
      else 'Resurrecting' end as state, count(*)::double as people
    from active as a join earliest on earliest.p = a.p
      left join active as before on before.p = a.p and before.b = a.b - 1
    where a.b >= 0 group by all
    union all
    select (a.b + 1)::integer, 'Dormant', count(*)::double
    from active as a anti join active as later on later.p = a.p and later.b = a.b + 1
    where a.b < ${integer(calendar.labels.length - 1)} group by all`);
  const found = stateRows.parse(rows);
  const series = STATES.map((name) => {
    const values = calendar.labels.map(() => 0);
    for (const { b, state, people } of found) {
      if (state === name) values[b] = name === 'Dormant' ? -people : people;
    }
    return { name, values };
  });
  return { kind: 'bar', unit: 'people', interval, buckets: calendar.labels, series };
}
