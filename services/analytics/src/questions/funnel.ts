import { breakdownLimit, type FunnelQuery, type ReportContent } from '@switchboard/contracts';
import { z } from 'zod';
import type { Dialect } from '../engine/dialect.ts';
import { anyOf, COMMA, integer, join, numbered, type Sql, sql } from '../engine/sql.ts';
import { type Calendar, calendarOf, spanOf } from './calendar.ts';
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
  const { dialect } = asking.source;
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
    { labels: breakdown === undefined ? [] : [breakdown.property] },
  );
  const events = eventsOf(question, selected, calendar, dialect);
  const layout = layoutOf(question);
  const chains = steps.map((_, index) => numbered('c', index));
  const stages = steps
    .slice(1)
    .map(
      (_, before) =>
        sql`, ${numbered('w', before + 1)} as (${stageOf({ layout, before, windowMs, dialect })})`,
    );
  const deepest = sql`case ${join(
    chains
      .map((chain, step) => sql`when ${dialect.isRow(chain)} then ${labelOf({ layout, step, dialect })}`)
      .toReversed(),
    sql` `,
  )} end`;
  const totals = join(
    chains.map((chain) => sql`count(case when ${dialect.isRow(chain)} then 1 end)::double`),
    COMMA,
  );
  const medians = join(
    steps.map((_, step) =>
      step === 0
        ? sql`null::double`
        : sql`${dialect.quantile(
            sql`case when ${dialect.isRow(numbered('c', step))} then ${timeOf(dialect, step, step)} - ${timeOf(dialect, step, step - 1)} end`,
            sql`0.5`,
          )}::double`,
    ),
    COMMA,
  );
  const people = sql`
    with ${numbered('w', 0)} as (${events})${join(stages, sql``)},
    best as (select p, ${join(
      chains.map((chain) => sql`max(${chain}) as ${chain}`),
      COMMA,
    )} from ${numbered('w', steps.length - 1)} group by p),
    per as (select *, ${deepest} as label from best where ${dialect.isRow(numbered('c', 0))})`;
  const found = sql`[${totals}] as counts, [${medians}] as medians`;
  // Of each label, and of all people together.
  const rows = await asking.query(
    breakdown === undefined
      ? sql`${people} select ${found} from per`
      : sql`${people},
        sized as (select *, count(*) over (partition by label) as people from per),
        placed as (select *, case when label = 'n' then 'none'
          when dense_rank() over (order by case when label = 'n' then 1 else 0 end, people desc, label)
            <= ${integer(breakdownLimit(1, breakdown.limit))} then 'one' else 'other' end as kind from sized),
        named as (select *, case when kind = 'one' then substr(label, 2) else '' end as name from placed)
        select coalesce(kind, '') as line, coalesce(name, '') as label, ${found}
        from named group by grouping sets ((), (kind, name))`,
  );
  return reportOf(question, rows);
}

/**
 * What a chain has, in the order by which it is better: the time of its start, those of its later steps, negative so
 * that the earliest is the highest, and only where they are needed its label and the ids of its events.
 */
interface Layout {
  hasLabel: boolean;
  hasIds: boolean;
  isExcluding: boolean;
}

function layoutOf({ steps, breakdown, exclude }: FunnelQuery): Layout {
  // One event may fulfil two steps only if both are of its name.
  const hasIds = new Set(steps.map(({ event }) => event)).size < steps.length;
  return { hasLabel: breakdown !== undefined, hasIds, isExcluding: exclude !== undefined };
}

/** Rows with whether they fulfil each step, the chain they begin, and the last excluded event before them. */
function eventsOf(
  question: FunnelQuery,
  selected: SelectedEvents,
  calendar: Calendar,
  dialect: Dialect,
): Sql {
  const { steps, exclude, breakdown } = question;
  const { hasIds } = layoutOf(question);
  const matches = steps.map((step, index) => sql`, ${selected.matches(step)} as ${numbered('m', index)}`);
  const excluded =
    exclude === undefined
      ? sql``
      : sql`, max(case when ${anyOf(exclude.map((choice) => selected.matches(choice)))} then t end)
          over (partition by p order by t range between unbounded preceding and 1 preceding) as x`;
  const begun = dialect.rowIf(sql`${selected.matches(steps[0] ?? { event: '' })} and ${isInSpan(calendar)}`, [
    sql`t`,
    ...(breakdown === undefined ? [] : [sql`coalesce('v' || ${selected.label(breakdown.property)}, 'n')`]),
    ...(hasIds ? [dialect.listOf(sql`id`)] : []),
  ]);
  return sql`select p, t${hasIds ? sql`, id` : sql``}${excluded}${join(matches, sql``)}, ${begun} as ${numbered('c', 0)}
    from (${withBuckets(dialect, selected.query, calendar)}) as ev`;
}

interface Stage {
  layout: Layout;
  /** The index of the step before. */
  before: number;
  windowMs: number;
  dialect: Dialect;
}

/** Adds the chain that each event prolongs, if it fulfils the next step in time. */
function stageOf({ layout, before, windowMs, dialect }: Stage): Sql {
  const { hasLabel, hasIds, isExcluding } = layout;
  const chain = numbered('c', before);
  const last = sql`last`;
  const start = dialect.valueOf(last, 0);
  const prolonged = [
    start,
    ...Array.from({ length: before }, (_, index) => dialect.valueOf(last, index + 1)),
    sql`-t`,
    ...(hasLabel ? [dialect.valueOf(last, before + 1)] : []),
    ...(hasIds ? [dialect.append(dialect.valueOf(last, idsAt(layout, before)), sql`id`)] : []),
  ];
  const inTime = sql`${numbered('m', before + 1)} and ${dialect.isRow(last)} and t - ${start} <= ${integer(windowMs)}`;
  const isNext = isExcluding ? sql`${inTime} and (x is null or ${start} >= x)` : inTime;
  const upTo = (end: Sql) =>
    sql`max(${chain}) over (partition by p order by t range between unbounded preceding and ${end})`;
  // Where the best chain of this moment has the event already, the best of earlier moments cannot.
  const inner = hasIds
    ? sql`select ${dialect.allBut(sql`others, earlier`)}, case when ${dialect.isRow(sql`others`)} and
        ${dialect.isIn(sql`id`, dialect.valueOf(sql`others`, idsAt(layout, before)))} then earlier else others end as last
        from (select *, ${dialect.highestOfOthers(chain)} as others, ${upTo(sql`1 preceding`)} as earlier
          from ${numbered('w', before)}) as ev`
    : sql`select *, ${upTo(sql`current row`)} as last from ${numbered('w', before)}`;
  return sql`select ${dialect.allBut(sql`last`)}, ${dialect.rowIf(isNext, prolonged)} as ${numbered('c', before + 1)}
    from (${inner}) as ev`;
}

/** Where a chain of a step has the ids of its events. */
function idsAt({ hasLabel }: Layout, step: number): number {
  return step + (hasLabel ? 2 : 1);
}

function labelOf({ layout, step, dialect }: { layout: Layout; step: number; dialect: Dialect }): Sql {
  return layout.hasLabel ? dialect.valueOf(numbered('c', step), step + 1) : sql`'n'`;
}

/** When the chain of a step came to an earlier one, in milliseconds. */
function timeOf(dialect: Dialect, chain: number, step: number): Sql {
  const value = dialect.valueOf(numbered('c', chain), step);
  return step === 0 ? value : sql`(-${value})`;
}

const list = <T>(item: z.ZodType<T>) =>
  z.array(item).or(z.object({ items: z.array(item) }).transform(({ items }) => items));
const resultRows = z.array(
  z.object({
    /** Absent, or empty: all people. */
    line: z.enum(['', 'one', 'other', 'none']).default(''),
    label: z.string().default(''),
    counts: list(z.number()),
    medians: list(z.number().nullable()),
  }),
);
const ORDER = ['one', 'other', 'none'];

function reportOf({ steps, breakdown }: FunnelQuery, found: unknown): ReportContent {
  const rows = resultRows.parse(found);
  const total = rows.find(({ line }) => line === '');
  const names = differentNames(steps.map(({ event, name = event }) => name));
  const lines = rows
    .filter(({ line }) => line !== '')
    .sort(
      (one, other) =>
        ORDER.indexOf(one.line) - ORDER.indexOf(other.line) ||
        (other.counts[0] ?? 0) - (one.counts[0] ?? 0) ||
        (one.label < other.label ? -1 : 1),
    );
  const shown = differentNames(
    lines.map(({ line, label }) => (line === 'one' ? label : line === 'other' ? OTHER : NONE)),
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
