import {
  breakdownLimit,
  type EventChoice,
  type FunnelQuery,
  type ReportContent,
} from '@switchboard/contracts';
import { z } from 'zod';
import { anyOf, COMMA, integer, join, numbered, type Sql, sql } from '../engine/sql.ts';
import { calendarOf, spanOf } from './calendar.ts';
import { isInSpan, type SelectedEvents, selectEvents, withBuckets } from './events.ts';
import { type Asking, DEFAULT_INTERVAL, differentNames, rounded } from './question.ts';
import { NONE, OTHER } from './trends.ts';

const MS: Record<NonNullable<FunnelQuery['window']>['unit'], number> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};
const DEFAULT_WINDOW = { count: 14, unit: 'day' } as const;

/**
 * Of each person the chain of events that came furthest. Going through somebody's events in time, each step keeps the
 * chain with the latest start, because its window closes last, and of those the earliest event of each later step.
 */
export async function funnel(question: FunnelQuery, asking: Asking): Promise<ReportContent> {
  const { interval = DEFAULT_INTERVAL, timezone = 'UTC', steps, exclude = [], breakdown } = question;
  const span = spanOf(question.range, interval, timezone, asking.now);
  const calendar = calendarOf({ span, interval, timeZone: timezone });
  const { count, unit } = question.window ?? DEFAULT_WINDOW;
  const windowMs = count * MS[unit];
  const choices = [...steps, ...exclude];
  const selected = selectEvents(
    {
      source: asking.source,
      names: choices.map(({ event }) => event),
      where: question.where ?? [],
      from: calendar.from,
      to: calendar.to + windowMs,
    },
    choices,
    breakdown === undefined ? [] : [breakdown.property],
  );
  const events = eventsOf(question, selected, withBuckets(selected.query, calendar), isInSpan(calendar));
  const chains = steps.map((_, index) => numbered('c', index));
  const stages = steps
    .slice(1)
    .map((_, before) => sql`, ${numbered('w', before + 1)} as (${stageOf({ steps, before, windowMs })})`);
  const deepest = sql`coalesce(${join(
    chains.toReversed().map((chain) => sql`${chain}.v`),
    COMMA,
  )})`;
  const totals = join(
    chains.map((chain) => sql`count(${chain})::integer`),
    COMMA,
  );
  const medians = join(
    steps.map((_, index) =>
      index === 0
        ? sql`null::double`
        : sql`quantile_cont(${timeOf(index, index)} - ${timeOf(index, index - 1)}, 0.5)::double`,
    ),
    COMMA,
  );
  const split =
    breakdown === undefined
      ? sql``
      : sql` union all select kind, label, [${totals}], [] from (
          select case when label = 'n' then 'none' when place <= ${integer(breakdownLimit(1, breakdown.limit))}
            then 'one' else 'other' end as kind,
            case when kind = 'one' then substr(label, 2) else '' end as label, ${join(chains, COMMA)}
          from per left join (select label as shown, row_number() over (order by count(*) desc, label) as place
            from per where label <> 'n' group by label) on shown = label)
        group by kind, label`;
  const rows = await asking.query(sql`
    with ${numbered('w', 0)} as (${events})${join(stages, sql``)},
    best as (select p, ${join(
      chains.map((chain) => sql`max(${chain}) as ${chain}`),
      COMMA,
    )} from ${numbered('w', steps.length - 1)} group by p),
    per as materialized (select *, ${deepest} as label from best where ${numbered('c', 0)} is not null)
    select 'all' as kind, '' as label, [${totals}] as counts, [${medians}] as medians from per${split}`);
  return reportOf(question, rows);
}

/** Rows with whether they fulfil each step, the chain they begin, and the last excluded event before them. */
function eventsOf(
  { steps, exclude, breakdown }: FunnelQuery,
  selected: SelectedEvents,
  query: Sql,
  inSpan: Sql,
): Sql {
  const label =
    breakdown === undefined
      ? sql`'n'`
      : sql`coalesce('v' || label_of(${selected.attribute(breakdown.property)}), 'n')`;
  const matches = steps.map((step, index) => sql`, ${selected.matches(step)} as ${numbered('m', index)}`);
  const excluded =
    exclude === undefined
      ? sql`null::bigint`
      : sql`max(t) filter (where ${anyOf(exclude.map((choice) => selected.matches(choice)))})
          over (partition by p order by t range between unbounded preceding and 1 preceding)`;
  return sql`select p, t, id, ${excluded} as x${join(matches, sql``)}, case when ${numbered('m', 0)} and ${inSpan}
    then {t0: t, v: ${label}${hasTwins(steps) ? sql`, ids: [id]` : sql``}} end as ${numbered('c', 0)} from (${query})`;
}

/** Whether one event may fulfil two steps: only if both are of its name. */
function hasTwins(steps: readonly EventChoice[]): boolean {
  return new Set(steps.map(({ event }) => event)).size < steps.length;
}

interface Step {
  steps: readonly EventChoice[];
  /** The index of the step before. */
  before: number;
  windowMs: number;
}

/** Adds the chain that each event prolongs, if it fulfils the next step in time. */
function stageOf({ steps, before, windowMs }: Step): Sql {
  const chain = numbered('c', before);
  const times = Array.from({ length: before }, (_, index) => {
    const name = numbered('n', index + 1);
    return sql`${name}: last.${name}, `;
  });
  const twins = hasTwins(steps);
  const ids = twins ? sql`, ids: list_append(last.ids, id)` : sql``;
  const prolonged = sql`{t0: last.t0, ${join(times, sql``)}${numbered('n', before + 1)}: -t, v: last.v${ids}}`;
  const upToNow = sql`over (partition by p order by t range between unbounded preceding and current row`;
  const others = sql`max(${chain}) ${upToNow} exclude current row)`;
  const earlier = sql`max(${chain}) over (partition by p order by t range between unbounded preceding and 1 preceding)`;
  // Where the best chain of this moment has the event already, the best of earlier moments cannot.
  const inner = twins
    ? sql`select * exclude (others, earlier), case when list_contains(others.ids, id) then earlier else others end as last
        from (select *, ${others} as others, ${earlier} as earlier from ${numbered('w', before)})`
    : sql`select *, max(${chain}) ${upToNow}) as last from ${numbered('w', before)}`;
  return sql`select * exclude (last), case when ${numbered('m', before + 1)} and t - last.t0 <= ${integer(windowMs)}
    and (x is null or last.t0 >= x) then ${prolonged} end as ${numbered('c', before + 1)} from (${inner})`;
}

/** When the chain of a step came to an earlier one, in milliseconds. Times are kept negative, so that the earliest is the maximum. */
function timeOf(chain: number, step: number): Sql {
  return step === 0
    ? sql`${numbered('c', chain)}.t0`
    : sql`(-${numbered('c', chain)}.${numbered('n', step)})`;
}

const resultRows = z.array(
  z.object({
    kind: z.enum(['all', 'one', 'other', 'none']),
    label: z.string(),
    counts: z
      .object({ items: z.array(z.number()) })
      .transform(({ items }) => items)
      .or(z.array(z.number())),
    medians: z
      .array(z.number().nullable())
      .or(z.object({ items: z.array(z.number().nullable()) }).transform(({ items }) => items)),
  }),
);
const ORDER = ['one', 'other', 'none'];

function reportOf({ steps, breakdown }: FunnelQuery, found: unknown): ReportContent {
  const rows = resultRows.parse(found);
  const total = rows.find(({ kind }) => kind === 'all');
  const names = differentNames(steps.map(({ event, name = event }) => name));
  const lines = rows
    .filter(({ kind }) => kind !== 'all')
    .sort(
      (one, other) =>
        ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind) ||
        (other.counts[0] ?? 0) - (one.counts[0] ?? 0) ||
        (one.label < other.label ? -1 : 1),
    );
  const shown = differentNames(
    lines.map(({ kind, label }) => (kind === 'one' ? label : kind === 'other' ? OTHER : NONE)),
  );
  return {
    kind: 'funnel',
    steps: names.map((name, index) => {
      const median = total?.medians[index] ?? null;
      return {
        name,
        count: total?.counts[index] ?? 0,
        medianSeconds: median === null ? null : rounded(median / 1000),
      };
    }),
    ...(breakdown === undefined ? {} : { breakdown: breakdown.property }),
    ...(lines.length === 0
      ? {}
      : { series: lines.map(({ counts }, index) => ({ name: shown[index] ?? '', values: counts })) }),
  };
}
