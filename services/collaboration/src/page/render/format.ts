import { z } from 'zod';

/** The format of report content that the page draws: docs/report-format.md. */

const name = z.string().min(1).max(200);
const value = z.number().nullable();

const described = {
  title: name.optional(),
  description: z.string().max(2000).optional(),
  /** What a value counts, such as `sign-ups`, `€` or `%`. */
  unit: z.string().max(40).optional(),
  /** What the series are split by, such as `Country`. */
  breakdown: name.optional(),
};

const series = z
  .array(z.object({ name, values: z.array(value) }))
  .min(1)
  .max(12);

const overBuckets = {
  ...described,
  /** Days (YYYY-MM-DD) or any other labels, in order. */
  buckets: z.array(name).min(1).max(400),
  series,
};

const line = z.object({ kind: z.literal('line'), ...overBuckets });
const bar = z.object({ kind: z.literal('bar'), ...overBuckets });

const funnel = z.object({
  kind: z.literal('funnel'),
  ...described,
  steps: z
    .array(z.object({ name, count: z.number().min(0) }))
    .min(1)
    .max(20),
  /** The steps' counts split; their values are in the order of the steps. */
  series: series.optional(),
});

const grid = z.object({
  kind: z.literal('grid'),
  ...described,
  periods: z.array(name).min(1).max(60),
  rows: z
    .array(z.object({ name, size: z.number().min(0).optional(), values: z.array(value).max(60) }))
    .min(1)
    .max(120),
});

const content = z
  .discriminatedUnion('kind', [line, bar, funnel, grid])
  .refine(fits)
  .refine((drawn) => new Set(labelsOf(drawn)).size === labelsOf(drawn).length);

export type ReportContent = z.infer<typeof content>;
export type OverBuckets = Extract<ReportContent, { kind: 'line' | 'bar' }>;
export type Funnel = Extract<ReportContent, { kind: 'funnel' }>;
export type Grid = Extract<ReportContent, { kind: 'grid' }>;

/** Values are as many as there are places for them. */
function fits(
  drawn: z.infer<typeof line> | z.infer<typeof bar> | z.infer<typeof funnel> | z.infer<typeof grid>,
) {
  if (drawn.kind === 'grid') return drawn.rows.every(({ values }) => values.length <= drawn.periods.length);
  const places = drawn.kind === 'funnel' ? drawn.steps.length : drawn.buckets.length;
  return (drawn.series ?? []).every(({ values }) => values.length === places);
}

/** What the values stand at: the same label twice would draw two values in one place. */
function labelsOf(
  drawn: z.infer<typeof line> | z.infer<typeof bar> | z.infer<typeof funnel> | z.infer<typeof grid>,
) {
  if (drawn.kind === 'grid') return drawn.rows.map(({ name }) => name);
  return drawn.kind === 'funnel' ? drawn.steps.map(({ name }) => name) : drawn.buckets;
}

/** The content as the format knows it; undefined for any other JSON, which is shown as a table. */
export function parseContent(report: unknown): ReportContent | undefined {
  return content.safeParse(report).data;
}
