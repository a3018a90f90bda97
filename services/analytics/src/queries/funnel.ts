import {
  BREAKDOWN_LIMIT,
  type EventChoice,
  type FunnelQuery,
  type ReportContent,
  roundedAmount,
} from '@switchboard/contracts';
import { z } from 'zod';
import { calendarOf, type Instants, spanOf } from '../calendar/calendar.ts';
import { UnusableQuery } from '../conditions/clauses.ts';
import { type Dialect, shownOf } from '../engine/dialect.ts';
import { anyOf, COMMA, integer, join, numbered, type Sql, sql, TRUE, text } from '../engine/sql.ts';
import { partOf, REST_LINES } from './breakdown-lines.ts';
import { selectEvents } from './events.ts';
import { NEVER, needsEvents, withNextStep } from './next-step.ts';
import { numberIn, type Point, placeIn } from './point.ts';
import { breakdownName, DEFAULT_INTERVAL, differentNames, type QueryInputs } from './query.ts';

const MS: Record<NonNullable<FunnelQuery['window']>['unit'], number> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};
const DEFAULT_WINDOW = { count: 14, unit: 'day' } as const;

/**
 * Computes a funnel from the chains of each person with the latest start. A chain begins at an event of the first
 * step, and continues with the earliest event of the next step that is not earlier, and so on.
 */
export async function funnel(query: FunnelQuery, inputs: QueryInputs): Promise<ReportContent> {
  return reportOf(query, await resultRowsOf(query, inputs));
}

/** Returns a query that begins with the tables `per`, of a row for each person, and with a breakdown `named`. */
function tablesOf(query: FunnelQuery, inputs: QueryInputs): Sql {
  const { dialect } = inputs.source;
  const { interval = DEFAULT_INTERVAL, timezone = 'UTC', steps, exclude, breakdown } = query;
  const span = spanOf(query.range, interval, timezone, inputs.now);
  const calendar = calendarOf({ span, interval, timeZone: timezone });
  const { count, unit } = query.window ?? DEFAULT_WINDOW;
  const windowMs = count * MS[unit];
  const hasLabel = breakdown !== undefined;
  const later = { from: calendar.from, to: calendar.to + windowMs };
  const eventsOf = (choices: readonly EventChoice[], instants: Partial<Instants>, label?: string): Sql => {
    const {
      relation,
      matches,
      label: labelAt,
    } = selectEvents(
      {
        source: inputs.source,
        names: choices.map(({ event }) => event),
        where: query.where ?? [],
        instants,
      },
      choices,
      { labels: label === undefined ? [] : [label] },
    );
    const shown = label === undefined ? sql`` : sql`, coalesce('v' || ${labelAt(label)}, 'n') as label`;
    return sql`select p, t, id${shown} from (${relation}) as ev where ${anyOf(choices.map(matches))}`;
  };
  const [first, ...others] = steps;
  const columns = hasLabel ? [sql`label`] : [];
  const stages = others.map((choice, before) => {
    const stage = { steps, step: before + 1, events: eventsOf([choice], later), columns, dialect };
    return sql`, ${numbered('w', before + 1)} as (${withNextStep(stage)})`;
  });
  const started = sql`select ${join([sql`p`, sql`t as t0`, ...(needsEvents(steps, 0) ? [sql`id as i0`] : []), ...columns], COMMA)}
    from (${eventsOf(first === undefined ? [] : [first], calendar, breakdown?.property)}) as ev`;
  const last = numbered('w', others.length);
  const ends =
    exclude === undefined
      ? sql`select *, ${NEVER} as ends from ${last}`
      : sql`select w.*, coalesce(x.t, ${NEVER}) as ends from ${last} as w
          asof left join (${eventsOf(exclude, later)}) as x on x.p = w.p and x.t > w.t0`;
  const chains = chainsOf(query);
  const best = steps.map((_, step) => {
    const at = numbered('t', step);
    const isChain = step === 0 ? TRUE : sql`${at} - t0 <= ${integer(windowMs)} and ${at} <= ends`;
    const times = steps.slice(1, step + 1).map((_, index) => sql`-${numbered('t', index + 1)}`);
    return sql`, max(${dialect.rowIf(isChain, [sql`t0`, ...times, ...(hasLabel ? [sql`label`] : [])])}) as ${numbered('c', step)}`;
  });
  const deepest = sql`case ${join(
    chains
      .map(
        (chain, step) =>
          sql`when ${dialect.isRow(chain)} then ${hasLabel ? dialect.valueOf(chain, step + 1) : sql`'n'`}`,
      )
      .toReversed(),
    sql` `,
  )} end`;
  const people = sql`
    with ${numbered('w', 0)} as (${started})${join(stages, sql``)},
    best as (select p${join(best, sql``)} from (${ends}) as ended group by p),
    per as (select *, ${deepest} as label from best where ${dialect.isRow(numbered('c', 0))})`;
  return breakdown === undefined
    ? people
    : sql`${people},
        sized as (select *, count(*) over (partition by label) as people from per),
        placed as (select *, case when label = 'n' then 'none'
          when dense_rank() over (order by case when label = 'n' then 1 else 0 end, people desc, label)
            <= ${integer(breakdown.limit ?? BREAKDOWN_LIMIT)} then 'one' else 'other' end as kind from sized),
        named as (select *, case when kind = 'one' then substr(label, 2) else '' end as name from placed)`;
}

const chainsOf = ({ steps }: FunnelQuery) => steps.map((_, index) => numbered('c', index));

/** Returns the counts and times of all people, and of each line of a breakdown. */
async function resultRowsOf(query: FunnelQuery, inputs: QueryInputs): Promise<ResultRow[]> {
  const { dialect } = inputs.source;
  const { steps, breakdown } = query;
  const chains = chainsOf(query);
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
  const found = sql`[${totals}] as counts, [${medians}] as medians`;
  const tables = tablesOf(query, inputs);
  // For each label, and for all people together.
  const rows = await inputs.run(
    breakdown === undefined
      ? sql`${tables} select ${found} from per`
      : sql`${tables} select coalesce(kind, '') as line, coalesce(name, '') as label, ${found}
        from named group by grouping sets ((), (kind, name))`,
  );
  return resultRows.parse(rows);
}

/** The `state` of a point for people who reached the step before and not this one. */
const DROPPED = 'dropped';

/** Returns a query of the people who reached a step, or who dropped out before it. */
export async function funnelPeople(query: FunnelQuery, point: Point, inputs: QueryInputs): Promise<Sql> {
  const { dialect } = inputs.source;
  const isDropped = point.state === DROPPED;
  if (point.state != null && !isDropped)
    throw new UnusableQuery(`point.state: must be "${DROPPED}" or absent`);
  const step = numberIn(point.step, isDropped ? 1 : 0, query.steps.length - 1, 'step');
  const has = (at: number) => dialect.isRow(numbered('c', at));
  const isAtStep = isDropped ? sql`${has(step - 1)} and not ${has(step)}` : has(step);
  const tables = tablesOf(query, inputs);
  const [name] = point.breakdown ?? [];
  if (query.breakdown === undefined || name === undefined)
    return sql`${tables} select p from per where ${isAtStep}`;
  const lines = namedLines(await resultRowsOf(query, inputs));
  const line =
    lines[
      placeIn(
        lines.map((one) => one.name),
        name,
        'breakdown[0]',
      )
    ];
  return sql`${tables} select p from named where ${isAtStep}
    and kind = ${text(line?.row.line ?? '')} and name = ${text(line?.row.label ?? '')}`;
}

/** Returns when the chain of a step reached an earlier step, in milliseconds. */
function timeOf(dialect: Dialect, chain: number, step: number): Sql {
  const value = dialect.valueOf(numbered('c', chain), step);
  return step === 0 ? value : sql`(-${value})`;
}

const list = <T>(item: z.ZodType<T>) =>
  z.array(item).or(z.object({ items: z.array(item) }).transform(({ items }) => items));
const resultRows = z.array(
  z.object({
    /** Absent or empty for all people. */
    line: z.enum(['', 'one', 'other', 'none']).default(''),
    label: z.string().default(''),
    counts: list(z.number()),
    medians: list(z.number().nullable()),
  }),
);
type ResultRow = z.infer<typeof resultRows>[number];
const ORDER = ['one', 'other', 'none'];

/** Returns the lines of a breakdown in order, with different names. */
function namedLines(rows: readonly ResultRow[]) {
  const lines = rows
    .filter(({ line }) => line !== '')
    .sort(
      (one, other) =>
        ORDER.indexOf(one.line) - ORDER.indexOf(other.line) ||
        (other.counts[0] ?? 0) - (one.counts[0] ?? 0) ||
        (one.label < other.label ? -1 : 1),
    );
  const parts = lines.map((row) => ({
    row,
    part: REST_LINES.find(({ builtIn }) => builtIn === row.line) ?? partOf(row.label),
  }));
  const shown = differentNames(parts.map(({ part }) => shownOf(part.label)));
  return parts.map(({ row, part: { label, ...part } }, index) => ({
    row,
    part,
    name: shown[index] ?? label,
  }));
}

function reportOf({ steps, breakdown }: FunnelQuery, rows: readonly ResultRow[]): ReportContent {
  const total = rows.find(({ line }) => line === '');
  const names = differentNames(steps.map(({ event, name = event }) => name));
  const lines = namedLines(rows);
  return {
    kind: 'funnel',
    steps: names.map((name, index) => {
      const median = total?.medians[index] ?? null;
      return {
        name,
        count: total?.counts[index] ?? 0,
        medianSeconds: median === null ? null : roundedAmount(median / 1000),
      };
    }),
    ...(breakdown === undefined ? {} : { breakdown: breakdownName(breakdown.property) }),
    ...(lines.length === 0
      ? {}
      : { series: lines.map(({ row, part, name }) => ({ ...part, values: row.counts, name })) }),
  };
}
