import type { ReportContent } from '@switchboard/contracts';
import type { Question } from './analytics.ts';
import { DAY_MS, dayOf, FIRST_DAY, LARGE, smallProject } from './files.ts';

export interface BenchQuestion extends Question {
  /**
   * The same query in the best SQL that we could write for the same files. `FILES` is the placeholder for the files.
   * A row is a name, a place and a value, as `valuesOf` reads them from a report.
   */
  byHand: string;
}

const FIRST_WEEK = Math.floor((FIRST_DAY / DAY_MS + 3) / 7);

/** Returns one query of each kind over all days, and one for a project that shares its files. */
export function questionsOver(days: number): BenchQuestion[] {
  const range = { from: dayOf(0), to: dayOf(days - 1) };
  const since = `timestamptz '${range.from} 00:00:00+00'`;
  const until = `timestamptz '${dayOf(days)} 00:00:00+00'`;
  const of = (names: string[], project = LARGE) =>
    `FILES where project_id = '${project}' and event_name in (${names.map((name) => `'${name}'`).join(', ')})
      and occurred_at >= ${since} and occurred_at < ${until}`;
  const day = `((epoch_ms(occurred_at) - ${FIRST_DAY}) // ${DAY_MS})`;
  const week = `((epoch_ms(occurred_at) // ${DAY_MS} + 3) // 7 - ${FIRST_WEEK})`;
  const weeks = Math.floor((FIRST_DAY / DAY_MS + days + 2) / 7) - FIRST_WEEK + 1;
  const kinds = [
    {
      name: 'trends, events a day',
      body: { kind: 'trends', range, series: [{ event: 'order placed' }] },
      byHand: `select 'order placed' as name, ${day} as place, count(*) as value from ${of(['order placed'])} group by place`,
    },
    {
      name: 'trends, people by a property',
      body: {
        kind: 'trends',
        range,
        series: [{ event: 'order placed', measure: 'people' }],
        breakdown: { property: 'plan' },
      },
      byHand: `select properties->>'$.plan' as name, ${day} as place, count(distinct distinct_id) as value
        from ${of(['order placed'])} group by all`,
    },
    {
      name: 'funnel of three steps',
      body: {
        kind: 'funnel',
        range,
        steps: [{ event: 'product added' }, { event: 'checkout begun' }, { event: 'order placed' }],
        window: { count: 1, unit: 'day' },
      },
      byHand: `with one as (select distinct_id as p, epoch_ms(occurred_at) as t from ${of(['product added'])}),
        two as (select distinct_id as p, epoch_ms(occurred_at) as t from ${of(['checkout begun'])}),
        three as (select distinct_id as p, epoch_ms(occurred_at) as t from ${of(['order placed'])}),
        chains as (select one.p, one.t as a, two.t as b, three.t as c from one
          asof left join two on two.p = one.p and two.t >= one.t
          asof left join three on three.p = one.p and three.t >= two.t),
        best as (select max(a) as first, arg_max(b - a, a) filter (b - a <= ${DAY_MS}) as second,
          arg_max(c - b, a) filter (c - a <= ${DAY_MS}) as third from chains group by p)
        select unnest(['product added', 'checkout begun', 'order placed', 'checkout begun', 'order placed']) as name,
          unnest([0, 0, 0, 1, 1]) as place, unnest([count(first), count(second), count(third),
            median(second) / 1000, median(third) / 1000]) as value from best`,
    },
    {
      name: 'retention by week',
      body: {
        kind: 'retention',
        range,
        interval: 'week',
        start: { event: 'product added' },
        return: { event: 'order placed' },
        periods: 8,
      },
      byHand: `with s as (select distinct_id as p, min(epoch_ms(occurred_at)) as t, min(${week}) as w
          from ${of(['product added'])} group by p),
        r as (select distinct_id as p, ${week} as w, max(epoch_ms(occurred_at)) as t from ${of(['order placed'])} group by all),
        sizes as (select w, count(*) as size from s group by w),
        back as (select s.w, r.w - s.w as n, count(*) as people from s join r using (p)
          where r.w between s.w and s.w + 7 and (r.w > s.w or r.t >= s.t) group by all)
        select w::varchar as name, -1 as place, size as value from sizes
        union all select w::varchar, n, round(people * 1000 / size) / 10 from back join sizes using (w)`,
    },
    {
      name: 'stickiness',
      body: { kind: 'stickiness', range, series: [{ event: 'order placed' }] },
      byHand: `select 'order placed' as name, n - 1 as place, count(*) as value
        from (select distinct_id, count(distinct ${day}) as n
        from ${of(['order placed'])} group by distinct_id) group by n`,
    },
    {
      name: 'lifecycle by week',
      body: { kind: 'lifecycle', range, interval: 'week', event: 'order placed' },
      byHand: `with a as (select distinct distinct_id as p, ${week} as w from ${of(['order placed'])}),
        l as (select p, w, lag(w) over o as before, lead(w) over o as after from a window o as (partition by p order by w)),
        c as (select case when before is null then 'New' when before = w - 1 then 'Returning' else 'Resurrecting' end
          as name, w as place, after is distinct from w + 1 as leaves, count(*) as n from l group by all)
        select name, place, sum(n) as value from c group by all
        union all select 'Dormant', place + 1, -sum(n) from c where leaves and place < ${weeks - 1} group by place`,
    },
  ];
  const small = smallProject(1);
  return [
    ...kinds.map((one) => ({ ...one, project: LARGE })),
    {
      name: 'trends of a small project',
      project: small,
      body: { kind: 'trends', range, series: [{ event: 'order placed' }] },
      byHand: `select 'order placed' as name, ${day} as place, count(*) as value
        from ${of(['order placed'], small)} group by place`,
    },
  ];
}

/** Returns the values of a report that are neither 0 nor absent, each with its name and place. */
export function valuesOf(report: ReportContent): Map<string, number> {
  const values: [string, number | null][] = [];
  switch (report.kind) {
    case 'line':
    case 'bar':
      for (const { name, values: of } of report.series)
        values.push(...of.map((value, place): [string, number | null] => [`${name} ${place}`, value]));
      break;
    case 'funnel':
      for (const { name, count, medianSeconds } of report.steps)
        values.push([`${name} 0`, count], [`${name} 1`, medianSeconds ?? null]);
      break;
    case 'grid':
      for (const [row, { size, values: of }] of report.rows.entries()) {
        values.push([`${row} -1`, size ?? null]);
        values.push(...of.map((value, place): [string, number | null] => [`${row} ${place}`, value]));
      }
  }
  return new Map(values.flatMap(([place, value]) => (value === null || value === 0 ? [] : [[place, value]])));
}
