import { breakdownLimit, type Measure, type ReportContent, type TrendsQuery } from '@switchboard/contracts';
import { z } from 'zod';
import { integer, type Sql, sql, texts } from '../engine/sql.ts';
import { type Calendar, calendarOf, spanBefore, spanOf } from './calendar.ts';
import { isInSpan, selectEvents, withBuckets } from './events.ts';
import { type Asking, DEFAULT_INTERVAL, differentNames, rounded } from './question.ts';

type Series = TrendsQuery['series'][number];
type Values = (number | null)[];

export const OTHER = 'Other';
export const NONE = '(none)';

/** A line before it has a name: the events of a series, or those with one value of its breakdown. */
interface Line {
  /** null: the whole series. */
  label: string | null;
  values: Values;
  previous?: Values;
}

export async function trends(question: TrendsQuery, asking: Asking): Promise<ReportContent> {
  const { interval = DEFAULT_INTERVAL, timezone = 'UTC', range, breakdown } = question;
  const span = spanOf(range, interval, timezone, asking.now);
  const calendar = calendarOf({ span, interval, timeZone: timezone });
  const before =
    question.compare === undefined
      ? undefined
      : calendarOf({ span: spanBefore(span), interval, timeZone: timezone });
  const named: { name: string; values: Values; previous?: Values }[] = [];
  for (const series of question.series) {
    const name = series.name ?? series.event;
    const lines = await linesOf(question, series, { asking, calendar, before });
    for (const { label, ...line } of lines) {
      named.push({
        ...line,
        name: label === null ? name : question.series.length > 1 ? `${name}: ${label}` : label,
      });
    }
  }
  const names = differentNames(named.map(({ name }) => name.slice(0, 200)));
  return {
    kind: 'line',
    interval,
    ...(breakdown === undefined ? {} : { breakdown: breakdown.property }),
    buckets: calendar.labels,
    series: named.map((line, index) => ({ ...line, name: names[index] ?? line.name })),
  };
}

interface Context {
  asking: Asking;
  calendar: Calendar;
  before: Calendar | undefined;
}

async function linesOf(question: TrendsQuery, series: Series, context: Context): Promise<Line[]> {
  const { asking, calendar, before } = context;
  const shown = question.breakdown && (await commonest(question, series, asking, calendar));
  const now = await valuesOf(question, series, { asking, calendar, shown });
  const then = before && (await valuesOf(question, series, { asking, calendar: before, shown }));
  const empty = emptyValue(series.measure);
  const labels =
    shown === undefined ? [null] : [...shown, ...[OTHER, NONE].filter((label) => now.has(kindOf(label)))];
  const lineOf = (label: string | null): Line => {
    const key = label === null ? keyOf('one', '') : kindOf(label, shown);
    const valuesIn = (
      found: Map<string, Map<number, number | null>>,
      { labels: buckets }: Calendar,
    ): Values => buckets.map((_, bucket) => found.get(key)?.get(bucket) ?? empty);
    return {
      label,
      values: valuesIn(now, calendar),
      ...(then && before ? { previous: fitted(valuesIn(then, before), calendar.labels.length) } : {}),
    };
  };
  return (labels.length === 0 ? [null] : labels).map(lineOf);
}

const keyOf = (kind: string, label: string) => `${kind} ${label}`;
/** A value may itself be called Other. */
const kindOf = (label: string, shown: readonly string[] = []) =>
  shown.includes(label) ? keyOf('one', label) : keyOf(label === OTHER ? 'other' : 'none', '');

/** A period may have an interval more or less than the one it is compared with. */
function fitted(values: Values, length: number): Values {
  return Array.from({ length }, (_, index) => values[index] ?? null);
}

function emptyValue(measure: Measure | undefined): number | null {
  return measure === undefined || measure === 'events' || measure === 'people' || measure === 'sum'
    ? 0
    : null;
}

function selection(question: TrendsQuery, series: Series, asking: Asking, calendar: Calendar): Sql {
  const attributes = [question.breakdown?.property, series.property].filter((name) => name !== undefined);
  const { query, matches, attribute } = selectEvents(
    {
      source: asking.source,
      names: [series.event],
      where: question.where ?? [],
      from: calendar.from,
      to: calendar.to,
    },
    [series],
    attributes,
  );
  const label = question.breakdown
    ? sql`label_of(${attribute(question.breakdown.property)})`
    : sql`null::varchar`;
  const value =
    series.property === undefined ? sql`null::double` : sql`numeric_of(${attribute(series.property)})`;
  return sql`select p, b, ${label} as label, ${value} as x from (${withBuckets(query, calendar)})
    where ${matches(series)} and ${isInSpan(calendar)}`;
}

/** The values with the most events, the commonest first. */
async function commonest(
  question: TrendsQuery,
  series: Series,
  asking: Asking,
  calendar: Calendar,
): Promise<string[]> {
  const limit = breakdownLimit(question.series.length, question.breakdown?.limit);
  const rows = await asking.query(sql`select label from (${selection(question, series, asking, calendar)})
    where label is not null group by label order by count(*) desc, label limit ${integer(limit)}`);
  return z
    .array(z.object({ label: z.string() }))
    .parse(rows)
    .map(({ label }) => label);
}

const MEASURES: Record<Measure, Sql> = {
  events: sql`count(*)::double`,
  people: sql`count(distinct p)::double`,
  sum: sql`coalesce(fsum(x), 0)`,
  average: sql`favg(x)`,
  minimum: sql`min(x)`,
  maximum: sql`max(x)`,
  median: sql`quantile_cont(x, 0.5)`,
  p90: sql`quantile_cont(x, 0.9)`,
  p99: sql`quantile_cont(x, 0.99)`,
};

const valueRows = z.array(
  z.object({ kind: z.string(), label: z.string(), b: z.number(), value: z.number().nullable() }),
);

/** Values by line and bucket. */
async function valuesOf(
  question: TrendsQuery,
  series: Series,
  { asking, calendar, shown }: { asking: Asking; calendar: Calendar; shown: string[] | undefined },
): Promise<Map<string, Map<number, number | null>>> {
  const isShown =
    shown === undefined ? sql`true` : sql`coalesce(list_contains(${texts(shown)}, label), false)`;
  const rows = await asking.query(sql`
    select kind, label, b::integer as b, ${MEASURES[series.measure ?? 'events']} as value
    from (select p, b, x,
      case when ${isShown} then 'one' when label is null then 'none' else 'other' end as kind,
      case when ${isShown} then coalesce(label, '') else '' end as label
      from (${selection(question, series, asking, calendar)}))
    group by all`);
  const values = new Map<string, Map<number, number | null>>();
  for (const { kind, label, b, value } of valueRows.parse(rows)) {
    const key = keyOf(kind, label);
    const line = values.get(key) ?? new Map<number, number | null>();
    values.set(key, line.set(b, value === null ? null : rounded(value)));
  }
  return values;
}
