import { z } from '@hono/zod-openapi';

/**
 * The content of a report that insights return and that the page of a public link displays:
 * docs/insights.md, under Report content.
 */

const name = z.string().min(1).max(200);
const value = z.number().nullable();

const described = {
  title: name.optional(),
  description: z.string().max(2000).optional(),
  /** The unit of the values, such as `people`, `€` or `%`. */
  unit: z.string().max(40).optional(),
  /** The property that the series are split by, such as `Country`. */
  breakdown: name.optional(),
};

const amounts = {
  total: value
    .optional()
    .openapi({ description: 'Default: the sum of the values. null if the values cannot be added up.' }),
  previousTotal: value.optional().openapi({ description: 'The total of the previous period.' }),
};

const builtInName = z.enum(['other', 'none', 'empty', 'new', 'returning', 'resurrecting', 'dormant']);
export type BuiltInName = z.infer<typeof builtInName>;

/** The names that a computation gives to series. The page translates them. */
export const BUILT_IN_NAMES: Record<BuiltInName, string> = {
  other: 'Other',
  none: '(none)',
  empty: '(empty)',
  new: 'New',
  returning: 'Returning',
  resurrecting: 'Resurrecting',
  dormant: 'Dormant',
};

/** The prefix of the labels of a grid's periods: the first week is `Week 0`. */
export const PERIOD_NAMES = { hour: 'Hour', day: 'Day', week: 'Week', month: 'Month' } as const;

/** The unit that the page translates and has a singular for. */
export const PEOPLE = 'people';

const one = {
  name,
  builtIn: builtInName.optional().openapi({
    description:
      'Marks a name, or the part of it after a colon, that does not come from data: Other, (none), (empty), New, Returning, Resurrecting or Dormant.',
  }),
  unit: z.string().max(40).optional().openapi({
    description: 'The unit of this series, if series have different units. Default: the unit of the report.',
  }),
  values: z.array(value),
  ...amounts,
  previous: z.array(value).optional().openapi({
    description:
      'The values of the previous period, each at the index of the value that it is compared with.',
  }),
};

const MAX_SERIES = 144;
const seriesUpTo = (most: number) => z.array(z.object(one)).min(1).max(most);
const series = seriesUpTo(MAX_SERIES);

/** The number of breakdown values of a map: every country. */
export const MAP_LIMIT = 250;
/** With the others and those without a value. */
const MAX_MAP_SERIES = MAP_LIMIT + 2;
const MAX_BUCKETS = 400;

/** The largest size of a goal, which every chart can draw. */
const MAX_GOAL = 1e15;

export const goal = z
  .strictObject({
    value: z.number().min(-MAX_GOAL).max(MAX_GOAL),
    label: z.string().min(1).max(60).optional().openapi({ description: 'Default: Goal.' }),
  })
  .openapi('ReportGoal');

const overBuckets = {
  ...described,
  ...amounts,
  buckets: z.array(name).min(1).max(MAX_BUCKETS).openapi({
    description: 'Days (YYYY-MM-DD), hours (YYYY-MM-DDTHH:00) or any other labels, in order.',
  }),
  interval: z
    .enum(['hour', 'day', 'week', 'month'])
    .optional()
    .openapi({ description: 'The length of each bucket.' }),
  goal: goal.optional().openapi({
    description: 'A value to reach, as a dashed line. In the unit of the first series.',
  }),
  series,
};

export const display = z.enum(['area', 'pie', 'map', 'number', 'table']).openapi({
  description:
    'area: stacked areas. pie: the share of each series in their total, of the largest eight and the others together. map: countries in the colours of their values over the whole range; the series are named by ISO 3166-1 alpha-2 codes. number: the totals, with their change from the previous period. table: the values only. Default: lines.',
});

const line = z.object({
  kind: z.literal('line'),
  ...overBuckets,
  display: display.optional(),
  series: seriesUpTo(MAX_MAP_SERIES).openapi({
    description: `At most ${MAX_SERIES}, or ${MAX_MAP_SERIES} of a map with at most ${MAX_SERIES * MAX_BUCKETS} values.`,
  }),
});
const bar = z.object({ kind: z.literal('bar'), ...overBuckets });

const funnel = z.object({
  kind: z.literal('funnel'),
  ...described,
  steps: z
    .array(
      z.object({
        name,
        count: z.number().min(0),
        optional: z.boolean().optional().openapi({
          description:
            'Whether people reach the later steps without this one. Shares compare with a step before it.',
        }),
        medianSeconds: value.optional().openapi({
          description:
            'Median time from the last step before it that is not optional. null for the first step, and for a step that no one reached.',
        }),
      }),
    )
    .min(1)
    .max(20),
  /** The split counts of the steps. Their values are in the order of the steps. */
  series: series.optional(),
});

const grid = z.object({
  kind: z.literal('grid'),
  ...described,
  periods: z.array(name).min(1).max(60),
  interval: z
    .enum(['hour', 'day', 'week', 'month'])
    .optional()
    .openapi({ description: 'The length of the interval of each row.' }),
  rows: z
    .array(
      z.object({
        name,
        builtIn: builtInName.optional(),
        size: z.number().min(0).optional(),
        values: z.array(value).max(60),
      }),
    )
    .min(1)
    .max(120),
});

const MAX_NODES = 20;

const paths = z
  .object({
    kind: z.literal('paths'),
    ...described,
    levels: z
      .array(
        z
          .array(
            z.object({
              name,
              builtIn: builtInName.optional(),
              count: z.number().min(0),
              ended: z.number().min(0).optional().openapi({
                description:
                  'The people without a further event, or without an earlier one if paths were followed back.',
              }),
            }),
          )
          .max(MAX_NODES),
      )
      .min(1)
      .max(10)
      .openapi({ description: 'The events at each position of a path, and how many people had each.' }),
    links: z
      .array(
        z.object({
          level: z.int().min(0),
          from: z.int().min(0),
          to: z.int().min(0),
          count: z.number().min(0),
        }),
      )
      .max(MAX_NODES * MAX_NODES * 10)
      .openapi({
        description: 'The people who went from an event of a level to one of the next, by the index of each.',
      }),
  })
  .openapi('ReportPaths');

const kinds = z.discriminatedUnion('kind', [line, bar, funnel, grid, paths]);

export const reportContent = kinds
  .refine(fits)
  .refine((drawn) => new Set(labelsOf(drawn)).size === labelsOf(drawn).length)
  .openapi('ReportContent');
export type ReportContent = z.infer<typeof reportContent>;

/** Returns whether the number of values matches the number of labels. */
function fits(drawn: z.infer<typeof kinds>): boolean {
  if (drawn.kind === 'paths') {
    return drawn.links.every(
      ({ level, from, to }) =>
        from < (drawn.levels[level]?.length ?? 0) && to < (drawn.levels[level + 1]?.length ?? 0),
    );
  }
  if (drawn.kind === 'grid') return drawn.rows.every(({ values }) => values.length <= drawn.periods.length);
  const places = drawn.kind === 'funnel' ? drawn.steps.length : drawn.buckets.length;
  if (drawn.kind === 'line' && drawn.series.length > MAX_SERIES) {
    if (drawn.display !== 'map' || drawn.series.length * places > MAX_SERIES * MAX_BUCKETS) return false;
  }
  return (drawn.series ?? []).every(
    ({ values, previous = values }) => values.length === places && previous.length === places,
  );
}

/** Returns the labels of the values. Two equal labels would place two values at one position. */
function labelsOf(drawn: z.infer<typeof kinds>): string[] {
  if (drawn.kind === 'grid') return drawn.rows.map(({ name }) => name);
  if (drawn.kind === 'paths') {
    return drawn.levels.flatMap((nodes, level) => nodes.map((node) => `${level} ${node.name}`));
  }
  return drawn.kind === 'funnel' ? drawn.steps.map(({ name }) => name) : drawn.buckets;
}
