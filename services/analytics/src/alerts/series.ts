import {
  type AlertDefinition,
  type InsightInterval,
  type InsightQuery,
  type InsightRange,
  reportContent,
} from '@switchboard/contracts';
import { z } from 'zod';
import { type Calendar, calendarOf, spanOf, unitOf } from '../calendar/calendar.ts';
import type { Insights } from '../insights/insights.ts';
import { DEFAULT_INTERVAL, FUNNEL_WINDOW, percentage, windowMs } from '../queries/query.ts';
import { type Points, placesOf } from './judge.ts';

const DAY_MS = 86_400_000;
/** Hours of a query: a report has up to 400 buckets. */
const DAYS_PER_QUERY = 16;
const DAYS_OF_OTHERS = 40_000;

const answer = z.object({ report: reportContent });

/** The buckets of an alert's query. Their values are read on demand. */
export interface Series {
  interval: InsightInterval;
  labels: readonly string[];
  places: ReadonlyMap<string, number>;
  /** When the data of each bucket is complete: milliseconds since 1970. */
  completeAt: readonly number[];
  /** Reads the values of buckets. The others are undefined. */
  read(indexes: ReadonlySet<number>): Promise<Points>;
}

/** The buckets that one query reads. */
interface Part {
  range: InsightRange;
  first: number;
  count: number;
}

/** Returns the last buckets of an alert's query, the running one included. */
export function seriesOf(
  insights: Pick<Insights, 'ask'>,
  { projectId, count, now }: { projectId: string; count: number; now: number },
  definition: AlertDefinition,
): Series {
  const { query } = definition;
  const { interval = DEFAULT_INTERVAL, timezone: timeZone = 'UTC' } = query;
  const { unitMs, first, last } = spanOf({ last: count, unit: interval }, interval, timeZone, now);
  const dayOf = (unit: number) => Math.floor((unit * unitMs) / DAY_MS);
  const isFunnel = query.kind === 'funnel';
  const days = interval === 'hour' ? DAYS_PER_QUERY : DAYS_OF_OTHERS;
  const labels: string[] = [];
  const completeAt: number[] = [];
  const parts: Part[] = [];

  const add = (from: number, to: number): Calendar => {
    const range = { from: dayText(from), to: dayText(to) };
    const calendar = calendarOf({ span: spanOf(range, interval, timeZone, now), interval, timeZone });
    parts.push({ range, first: labels.length, count: calendar.labels.length });
    labels.push(...calendar.labels);
    completeAt.push(
      ...calendar.ends.map((end) => end + (isFunnel ? windowMs(query.window, FUNNEL_WINDOW) : 0)),
    );
    return calendar;
  };
  if (isFunnel) {
    const buckets = calendarOf({ span: { unitMs, first, last }, interval, timeZone }).numbers;
    for (const bucket of buckets) {
      add(dayOf(unitOf(bucket, interval, unitMs)), dayOf(unitOf(bucket + 1, interval, unitMs)) - 1);
    }
  } else {
    for (let day = dayOf(first); day <= dayOf(last); day += days)
      add(day, Math.min(day + days - 1, dayOf(last)));
  }

  const places = placesOf(labels);
  return {
    interval,
    labels,
    places,
    completeAt,
    async read(indexes) {
      const values: (number | null | undefined)[] = labels.map(() => undefined);
      for (const { range, first: start, count: length } of parts) {
        const own = labels.slice(start, start + length);
        if (!own.some((_, index) => indexes.has(start + index))) continue;
        const found = valuesIn(await ask(insights, projectId, plainQuery(query, range)), definition);
        own.forEach((_, index) => {
          values[start + index] = found[index] ?? null;
        });
      }
      return { interval, labels, places, values };
    },
  };
}

async function ask(insights: Pick<Insights, 'ask'>, projectId: string, query: InsightQuery) {
  const result = await insights.ask(projectId, query);
  const { body } = await result.prepare();
  return answer.parse(JSON.parse(body)).report;
}

function plainQuery(query: InsightQuery, range: InsightRange): InsightQuery {
  if (query.kind === 'funnel') {
    const { view: _, ...steps } = query;
    return { ...steps, range };
  }
  if (query.kind !== 'trends') return { ...query, range };
  const { compare: _, running: __, goal: ___, display: ____, ...plain } = query;
  return { ...plain, range };
}

/** Returns the values of the buckets of a report. */
function valuesIn(report: z.infer<typeof reportContent>, definition: AlertDefinition): (number | null)[] {
  if (report.kind === 'funnel') {
    const { steps } = report;
    const step = steps[definition.step ?? steps.length - 1];
    const started = steps[0]?.count ?? 0;
    return [step === undefined || started === 0 ? null : percentage(step.count, started)];
  }
  if (report.kind !== 'line') return [];
  return report.series[definition.series ?? 0]?.values ?? [];
}

const dayText = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
