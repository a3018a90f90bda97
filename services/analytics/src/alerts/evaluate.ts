import type { AlertDefinition, AlertPreview } from '@switchboard/contracts';
import { Unavailable } from '@switchboard/http';
import type { Evaluated, Transition } from '../alert-states/store.ts';
import type { Insights } from '../insights/insights.ts';
import { DEFAULT_INTERVAL, FUNNEL_WINDOW, windowMs } from '../queries/query.ts';
import { advance, comparedWith, depthOf, judge, type Progress, QUIET } from './judge.ts';
import { type Series, seriesOf } from './series.ts';

/** Buckets that are evaluated after a pause. Older ones are skipped. */
const MAX_MISSED = 48;
const PREVIEWED = { hour: 90 * 24, day: 90, week: 13, month: 12 } as const;
const BUCKET_MS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000, month: 28 * 86_400_000 } as const;
const PREVIEW_TIMEOUT_MS = 30_000;
/** The time in which an evaluation begins its last query. */
const EVALUATION_TIMEOUT_MS = 60_000;

/** An alert, and how far it was evaluated. */
interface Before extends Progress {
  definition: AlertDefinition;
  evaluatedBucket: string | null;
  value: number | null;
}

interface Inputs {
  insights: Pick<Insights, 'ask'>;
  projectId: string;
  /** Milliseconds since 1970. */
  now: number;
  /** Every event accepted before this time can be queried. */
  asOf: number;
}

/**
 * Evaluates the complete buckets after the last evaluated one, or the last complete one of a new alert. Throws
 * Unavailable if it takes too long.
 */
export async function evaluate(
  before: Before,
  inputs: Inputs,
): Promise<Evaluated & { completeAt: number | undefined }> {
  const { definition } = before;
  const series = openSeries(definition, within(inputs, EVALUATION_TIMEOUT_MS, 'evaluation'), MAX_MISSED);
  const ended = endedOf(series, inputs.asOf);
  const { evaluatedBucket: last } = before;
  const first =
    last === null ? ended - 1 : series.labels.findIndex((label, index) => label > last || index >= ended);
  const indexes = rangeOf(Math.max(0, first, ended - MAX_MISSED), ended);
  const transitions: Transition[] = [];
  let progress: Progress = before;
  let { value, evaluatedBucket } = before;
  for (const point of await judgedOf(definition, series, indexes)) {
    const { isFiring } = progress;
    progress = advance(progress, point.verdict, definition);
    ({ value, bucket: evaluatedBucket } = point);
    if (progress.isFiring === isFiring) continue;
    const { bucket, expected } = point;
    transitions.push({ type: isFiring ? 'alert.recovered' : 'alert.fired', bucket, value, expected });
  }
  const { isFiring, streak } = progress;
  return { isFiring, streak, value, evaluatedBucket, transitions, completeAt: series.completeAt[ended] };
}

/** Evaluates the last 90 days, or the last year by month. Throws Unavailable if it takes too long. */
export async function preview(definition: AlertDefinition, inputs: Inputs): Promise<AlertPreview> {
  const shown = PREVIEWED[definition.query.interval ?? DEFAULT_INTERVAL];
  const series = openSeries(definition, within(inputs, PREVIEW_TIMEOUT_MS, 'preview'), shown);
  const ended = endedOf(series, inputs.asOf);
  const judged = await judgedOf(definition, series, rangeOf(Math.max(0, ended - shown), ended));
  const incidents: AlertPreview['incidents'] = [];
  let progress: Progress = QUIET;
  const points = judged.map(({ bucket, value, expected, verdict }) => {
    const { isFiring } = progress;
    progress = advance(progress, verdict, definition);
    if (progress.isFiring && !isFiring) incidents.push({ startedBucket: bucket, endedBucket: null });
    const open = incidents.at(-1);
    if (!progress.isFiring && isFiring && open !== undefined) open.endedBucket = bucket;
    return { bucket, value, expected, isFiring: progress.isFiring };
  });
  return { points, incidents };
}

/** Returns inputs that reject further queries after this time. */
function within({ insights, ...inputs }: Inputs, timeoutMs: number, work: string): Inputs {
  const signal = AbortSignal.timeout(timeoutMs);
  return {
    ...inputs,
    insights: {
      ask(...query) {
        if (signal.aborted) throw new Unavailable(`The ${work} took too long. Use a longer interval.`);
        return insights.ask(...query);
      },
    },
  };
}

/** Opens a series of this many complete buckets, with those that judgements compare with. */
function openSeries(
  definition: AlertDefinition,
  { insights, projectId, now }: Inputs,
  complete: number,
): Series {
  const { query, rule } = definition;
  const { interval = DEFAULT_INTERVAL } = query;
  const waiting =
    query.kind === 'funnel' ? Math.ceil(windowMs(query.window, FUNNEL_WINDOW) / BUCKET_MS[interval]) : 0;
  const count = complete + depthOf(rule, interval) + waiting + 2;
  return seriesOf(insights, { projectId, count, now }, definition);
}

/** Returns the number of buckets with complete data. */
function endedOf({ completeAt }: Series, asOf: number): number {
  const next = completeAt.findIndex((at) => at > asOf);
  return next === -1 ? completeAt.length : next;
}

async function judgedOf({ rule }: AlertDefinition, series: Series, indexes: readonly number[]) {
  const { labels } = series;
  const needed = indexes.flatMap((index) => [index, ...comparedWith(rule, series, index)]);
  const points = await series.read(new Set(needed));
  return indexes.map((index) => ({
    bucket: labels[index] ?? '',
    value: points.values[index] ?? null,
    ...judge(rule, points, index),
  }));
}

const rangeOf = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
