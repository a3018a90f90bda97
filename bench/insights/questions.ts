import { DAY_MS, FIRST_DAY, LARGE, smallProject } from './files.ts';

export interface BenchQuestion {
  name: string;
  project: string;
  body: object;
  /** The same in the best SQL we could write for the same files; `FILES` stands for them. */
  byHand: string;
}

const dayOf = (day: number) => new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10);

/** One of each kind over all days, and one of a project that shares its files. */
export function questionsOver(days: number): BenchQuestion[] {
  const range = { from: dayOf(0), to: dayOf(days - 1) };
  const since = `timestamptz '${range.from} 00:00:00+00'`;
  const until = `timestamptz '${dayOf(days)} 00:00:00+00'`;
  const of = (names: string[], project = LARGE) =>
    `FILES where project_id = '${project}' and event_name in (${names.map((name) => `'${name}'`).join(', ')})
      and occurred_at >= ${since} and occurred_at < ${until}`;
  const day = `((epoch_ms(occurred_at) - ${FIRST_DAY}) // ${DAY_MS})`;
  const week = `((epoch_ms(occurred_at) // ${DAY_MS} + 3) // 7)`;
  const kinds = [
    {
      name: 'trends, events a day',
      body: { kind: 'trends', range, series: [{ event: 'order placed' }] },
      byHand: `select ${day} as d, count(*) from ${of(['order placed'])} group by d`,
    },
    {
      name: 'trends, people by a property',
      body: {
        kind: 'trends',
        range,
        series: [{ event: 'order placed', measure: 'people' }],
        breakdown: { property: 'plan' },
      },
      byHand: `select ${day} as d, properties->>'$.plan' as plan, count(distinct distinct_id)
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
      byHand: `with ev as (select distinct_id as p, event_name as n, epoch_ms(occurred_at) as t
          from ${of(['product added', 'checkout begun', 'order placed'])}),
        one as (select *, max(case when n = 'product added' then t end) over upto as a from ev
          window upto as (partition by p order by t range between unbounded preceding and current row)),
        two as (select *, max(case when n = 'checkout begun' and t - a <= ${DAY_MS} then (a, -t) end) over upto as b
          from one window upto as (partition by p order by t range between unbounded preceding and current row))
        select count(distinct case when a is not null then p end), count(distinct case when b is not null then p end),
          count(distinct case when n = 'order placed' and t - b[1] <= ${DAY_MS} then p end) from two`,
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
        r as (select distinct_id as p, ${week} as w, max(epoch_ms(occurred_at)) as t from ${of(['order placed'])} group by all)
        select s.w, r.w - s.w as n, count(*) from s join r using (p)
        where r.w between s.w and s.w + 7 and (r.w > s.w or r.t >= s.t) group by all`,
    },
    {
      name: 'stickiness',
      body: { kind: 'stickiness', range, series: [{ event: 'order placed' }] },
      byHand: `select n, count(*) from (select distinct_id, count(distinct ${day}) as n
        from ${of(['order placed'])} group by distinct_id) group by n`,
    },
    {
      name: 'lifecycle of an event by week',
      body: { kind: 'lifecycle', range, interval: 'week', event: 'order placed' },
      byHand: `with a as (select distinct distinct_id as p, ${week} as w from ${of(['order placed'])}),
        l as (select p, w, lag(w) over o as before, lead(w) over o as after from a window o as (partition by p order by w))
        select w, before is null as new, before = w - 1 as returning, after is distinct from w + 1 as dormant, count(*)
        from l group by all`,
    },
  ];
  const small = smallProject(1);
  return [
    ...kinds.map((one) => ({ ...one, project: LARGE })),
    {
      name: 'trends of a small project',
      project: small,
      body: { kind: 'trends', range, series: [{ event: 'order placed' }] },
      byHand: `select ${day} as d, count(*) from ${of(['order placed'], small)} group by d`,
    },
  ];
}
