import { z } from '@hono/zod-openapi';
import { day, exactJson, id, text } from '../fields/fields.ts';
import { timeZone } from '../fields/time-zone.ts';
import { targetingOp } from '../flags.ts';
import { conditionsFault, MAX_CONDITIONS, type Path, type PlacedClause } from './conditions.ts';
import { parseFormula } from './formula.ts';
import { display, goal, MAP_LIMIT } from './report-content.ts';

/** The questions that insights answer. Unknown properties are rejected at every depth. */

const eventName = text({ min: 1, max: 200 });
const label = text({ min: 1, max: 200 });

/** Longer than the longest group type and trait name together. */
const MAX_ATTRIBUTE = 1000;

export const attributeName = text({ min: 1, max: MAX_ATTRIBUTE }).openapi({
  description:
    'A property of the event by its name, or property.<name>, context.<name>, trait.<name>, group.<type>.<trait>, distinct_id or session_id. Without a property country, country is that of the property time_zone. A dot or backslash in a type has a backslash before it.',
  example: 'plan',
});

/** A condition on an event and its person, in the format of flag clauses. */
export const insightClause = z
  .strictObject({ attribute: attributeName, op: targetingOp, value: exactJson.optional() })
  .openapi('InsightClause');
export type InsightClause = z.infer<typeof insightClause>;

const where = z.array(insightClause).max(50).optional().openapi({ description: 'All must match.' });

export const insightInterval = z.enum(['hour', 'day', 'week', 'month']);
export type InsightInterval = z.infer<typeof insightInterval>;

const days = z
  .strictObject({ from: day, to: day })
  .refine(({ from, to }) => from <= to, {
    path: ['to'],
    message: 'before from; must be the same day or later',
  })
  .openapi({ description: 'Calendar days in the time zone, both included.' });
const recent = z.strictObject({ last: z.int().min(1).max(400), unit: insightInterval }).openapi({
  description: 'The number of hours, days, weeks or months, including the current one.',
});
export const insightRange = z.union([days, recent]);
export type InsightRange = z.infer<typeof insightRange>;

const common = {
  range: insightRange,
  timezone: timeZone
    .optional()
    .openapi({ description: 'IANA name. Default: UTC.', example: 'Europe/Berlin' }),
  interval: insightInterval.optional().openapi({ description: 'Default: day. Weeks begin on Monday.' }),
  where,
  cohort: id.optional().openapi({ description: 'Only people of this cohort.' }),
  bots: z.boolean().optional().openapi({
    description: 'Whether events that known bots sent from pages count. Default: false.',
  }),
};

/** The events that count. */
export const eventChoice = z.strictObject({ event: eventName, where });
export type EventChoice = z.infer<typeof eventChoice>;

const namedChoice = eventChoice.extend({
  name: label.optional().openapi({ description: 'Default: the event.' }),
});

/** The number of breakdown values shown for each series, unless the question requests fewer. */
export const BREAKDOWN_LIMIT = 10;

const splitBy = {
  property: attributeName,
  ranges: z
    .array(z.number())
    .min(1)
    .max(20)
    .refine((bounds) => bounds.every((bound, index) => index === 0 || bound > (bounds[index - 1] ?? bound)), {
      message: 'not ascending; sort the bounds',
    })
    .optional()
    .openapi({
      description:
        'Bounds of ranges of numbers: [10, 100] makes < 10, 10 – 100 (below 100) and ≥ 100. Values that are not numbers, or strings that are numbers, are (none).',
      example: [10, 100],
    }),
};
const splitAlso = z.strictObject(splitBy);
export type BreakdownProperty = z.infer<typeof splitAlso>;

const MAX_ALSO = 2;

const breakdown = z
  .strictObject({
    ...splitBy,
    and: z
      .array(splitAlso)
      .min(1)
      .max(MAX_ALSO)
      .optional()
      .openapi({ description: 'More properties. Each combination of values is a line: pro · DE.' }),
    limit: z.int().min(1).max(BREAKDOWN_LIMIT).optional().openapi({
      description:
        'The number of values shown for each series, those with the largest measure over the whole range; all others become Other. Default: 10, and for a map 250.',
    }),
  })
  .openapi('InsightBreakdown');
export type InsightBreakdown = z.infer<typeof breakdown>;

/** Returns the number of breakdown values shown for each series of trends. */
export const breakdownLimitOf = ({
  breakdown: by,
  display: shown,
}: Pick<TrendsQuery, 'breakdown' | 'display'>): number =>
  by?.limit ?? (shown === 'map' ? MAP_LIMIT : BREAKDOWN_LIMIT);

/** Returns the properties of a breakdown in order. */
export function propertiesOf({ property, ranges, and = [] }: InsightBreakdown): BreakdownProperty[] {
  return [{ property, ranges }, ...and];
}

const propertyMeasure = z.enum(['sum', 'average', 'minimum', 'maximum', 'median', 'p90', 'p99', 'unique']);
const sessionMeasure = z.enum(['sessions', 'exits', 'bounce_rate', 'session_seconds', 'session_events']);

export const measure = z.enum(['events', 'people', ...propertyMeasure.options, ...sessionMeasure.options]);
export type Measure = z.infer<typeof measure>;

/** Whether a measure is of the values of a property. */
export const isOfProperty = (one: Measure): boolean => propertyMeasure.safeParse(one).success;

const addingMeasure = z.enum(['events', 'sum', 'sessions', 'exits']);

/**
 * Whether the values of intervals add up. A person counts in every interval, and averages cover different numbers of
 * events.
 */
export const addsUp = (one: Measure): boolean => addingMeasure.safeParse(one).success;

/** Whether a measure is of sessions instead of events. */
export const isOfSessions = (one: Measure): boolean => sessionMeasure.safeParse(one).success;

export const trendsSeries = namedChoice
  .extend({
    name: label.optional().openapi({
      description:
        'Default: the event, followed by the measure if series of one event have different measures.',
    }),
    measure: measure.optional().openapi({
      description:
        'Default: events. unique is the number of different values of the property. A session is the matching events of the range with one session_id. sessions counts each at its first event, with the values that this event has; exits at its last. bounce_rate is the percentage with a single event, session_seconds the average time from the first to the last, and session_events the average number.',
    }),
    property: attributeName.optional().openapi({
      description:
        'The property that sum to p99 and unique use. All but unique use numbers, and strings that are numbers, and ignore other values.',
    }),
  })
  .refine(({ measure: of = 'events', property }) => !isOfProperty(of) || property !== undefined, {
    path: ['property'],
    message: 'required for this measure',
  });

const MAX_SERIES = 12;

interface DisplayLimits {
  takesFormula: boolean;
  takesGoal: boolean;
  /** Set if it adds up values: its name in errors, and the measures it takes although their values do not add up. */
  adding?: { name: string; also?: readonly Measure[] };
  ofOneMeasure?: boolean;
  /** Whether it shows one value over the whole range for each value of one property. */
  ofOneProperty?: boolean;
}

/** The queries that each display can show. */
const displays: Record<'lines' | z.infer<typeof display>, DisplayLimits> = {
  lines: { takesFormula: true, takesGoal: true },
  area: { takesFormula: false, takesGoal: true, adding: { name: 'areas', also: ['people', 'unique'] } },
  pie: { takesFormula: false, takesGoal: false, adding: { name: 'a pie' }, ofOneMeasure: true },
  map: { takesFormula: true, takesGoal: false, ofOneProperty: true },
  number: { takesFormula: false, takesGoal: false, adding: { name: 'a number' } },
  table: { takesFormula: true, takesGoal: false },
};

export const trendsQuery = z
  .strictObject({
    kind: z.literal('trends'),
    ...common,
    series: z.array(trendsSeries).min(1).max(MAX_SERIES),
    breakdown: breakdown.optional(),
    compare: z
      .union([z.literal('previous'), z.strictObject({ from: day })])
      .optional()
      .openapi({
        description:
          'Adds the previous period, or a period of the same length that begins on an earlier day.',
      }),
    formula: text({ min: 1, max: 200 }).optional().openapi({
      description:
        'Shows one line computed from the series instead of them: A is the first series, with numbers, + - * / and parentheses. null where a value is null or a divisor 0. With a breakdown, one line for each of the values of the first series.',
      example: 'A / B * 100',
    }),
    running: z
      .union([z.literal('total'), z.strictObject({ average: z.int().min(2).max(90) })])
      .optional()
      .openapi({
        description:
          'total: each value is the sum of the values up to it; for events, sum, sessions and exits. average: each value is the average of this number of intervals, itself and those before it in the range, without nulls.',
      }),
    display: display.optional(),
    goal: goal.optional().openapi({
      description: 'A value to reach, which charts draw as a dashed line. In the unit of the first series.',
    }),
  })
  .superRefine(({ series, formula }, context) => {
    if (formula === undefined) return;
    const report = (message: string) => context.addIssue({ code: 'custom', path: ['formula'], message });
    const parsed = parseFormula(formula);
    if (parsed === undefined) report('not a formula; use A, B, numbers, + - * / and parentheses');
    else if (parsed.series.some((index) => index >= series.length)) {
      report(`names a series that the query does not have; it has ${series.length}`);
    }
  })
  .superRefine(({ series, breakdown: by, formula, goal: target, running, display: shown }, context) => {
    const report = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    const { takesFormula, takesGoal, adding, ofOneMeasure, ofOneProperty } = displays[shown ?? 'lines'];
    if (formula !== undefined && !takesFormula) {
      const why = 'because its values do not add up; use table or remove one of them';
      report(['display'], `not ${shown} with a formula, ${why}`);
    }
    if (target !== undefined && !takesGoal) {
      report(['display'], `${shown} does not draw a goal; use area or remove one of them`);
    }
    if (ofOneProperty) {
      if (by === undefined) report(['breakdown'], `required for a ${shown}; break down by country`);
      if (by?.and !== undefined)
        report(['breakdown', 'and'], `not with a ${shown}, which shows one property`);
      if (by?.ranges !== undefined)
        report(['breakdown', 'ranges'], `not with a ${shown}, which shows countries`);
      if (series.length > 1 && formula === undefined) {
        report(['series'], `a ${shown} shows one series; remove the others or add a formula`);
      }
      if (running !== undefined) report(['running'], `not with a ${shown}, which shows no intervals`);
    }
    const needs = running === 'total' ? { name: 'a running total' } : adding;
    series.forEach(({ measure: of = 'events' }, index) => {
      const path = ['series', index, 'measure'];
      if (needs !== undefined && !addsUp(of) && needs.also?.includes(of) !== true) {
        report(path, `its values do not add up; use events, sum, sessions or exits for ${needs.name}`);
      }
      if (ofOneMeasure && of !== (series[0]?.measure ?? 'events')) {
        report(path, 'not the measure of the first series; a pie has shares of one total');
      }
    });
  })
  .openapi('TrendsQuery');
export type TrendsQuery = z.infer<typeof trendsQuery>;

const window = z.strictObject({
  count: z.int().min(1).max(10_000),
  unit: z.enum(['second', 'minute', 'hour', 'day', 'week']),
});
export type InsightWindow = z.infer<typeof window>;

const MAX_STEPS = 20;
/** The bits of an event that are left for steps and exclusions: the others tell its time over decades. */
const MAX_STEPS_AND_RANGES = 22;

const funnelStep = namedChoice.extend({
  optional: z.boolean().optional().openapi({
    description:
      'Whether people who skip the step still reach the later ones. It then counts those who did it in its place: after the last step before it that is not optional, and not after an event of the next one. Not for the first or last step. Default: false.',
  }),
});

const stepIndex = z
  .int()
  .min(0)
  .max(MAX_STEPS - 1);

const exclusion = eventChoice.extend({
  from: stepIndex.optional().openapi({
    description: 'The step after which the event disqualifies, from 0. Default: the first.',
  }),
  to: stepIndex.optional().openapi({
    description: 'The step before which the event disqualifies. Default: the last.',
  }),
});

/** Returns the steps between which each excluded event of a funnel disqualifies. */
export function excludedRanges({ steps, exclude = [] }: Pick<FunnelQuery, 'steps' | 'exclude'>) {
  return exclude.map(({ from = 0, to = steps.length - 1 }) => ({ from, to }));
}

export const funnelQuery = z
  .strictObject({
    kind: z.literal('funnel'),
    ...common,
    steps: z.array(funnelStep).min(2).max(MAX_STEPS),
    window: window
      .optional()
      .openapi({ description: 'The maximum time from the first step to the last. Default: 14 days.' }),
    order: z.enum(['ordered', 'strict', 'any']).optional().openapi({
      description:
        'ordered (the default): other events may come between the steps. strict: no other event may, except at the moment of a step. any: the steps count in any order, and the nth count is of people with n of them; the first of these is in the range.',
    }),
    sameProperty: attributeName.optional().openapi({
      description:
        'Only events with the same value of this property count together, also as excluded events and as events in between. Events without a value do not count.',
      example: 'order_id',
    }),
    breakdown: breakdown.optional(),
    exclude: z
      .array(exclusion)
      .min(1)
      .max(10)
      .optional()
      .openapi({
        description:
          'Events that may not happen between the first step and a later one, or only between two steps: with from 1 and to 3, after the second step and before the third or fourth. At the moment of either they may.',
        example: [{ event: 'order cancelled', from: 1, to: 2 }],
      }),
    view: z.enum(['steps', 'time_to_convert', 'over_time']).optional().openapi({
      description:
        'steps (the default), or the number of people by the time from the first step to the last, as bars. time_to_convert has no breakdown. over_time: of the people who entered in each interval of the range, the percentage that reached the last step within the window, as a line; null without people. It still grows while the window of an interval is not over.',
    }),
  })
  .refine(({ view, breakdown: by }) => view !== 'time_to_convert' || by === undefined, {
    path: ['breakdown'],
    message: 'not with time_to_convert; remove one of them',
  })
  .superRefine(({ steps, order }, context) => {
    steps.forEach(({ optional }, index) => {
      if (optional !== true) return;
      const report = (message: string) =>
        context.addIssue({ code: 'custom', path: ['steps', index, 'optional'], message });
      if (order === 'any') report('not in any order, in which each step may be missing; remove it');
      else if (index === 0) report('not for the first step, with which people enter; remove it');
      else if (index === steps.length - 1) report('not for the last step, which ends the funnel; remove it');
    });
  })
  .superRefine(({ steps, exclude = [], order }, context) => {
    const report = (path: Path, message: string) =>
      context.addIssue({ code: 'custom', path: ['exclude', ...path], message });
    const ranges = excludedRanges({ steps, exclude });
    ranges.forEach(({ from, to }, index) => {
      const given = exclude[index];
      const end = given?.to === undefined ? 'from' : 'to';
      if (order === 'any' && (given?.from !== undefined || given?.to !== undefined)) {
        report([index, end], 'not in any order, which has no step before another; remove it');
      } else if (to >= steps.length) {
        report([index, 'to'], `not a step; the query has 0 to ${steps.length - 1}`);
      } else if (steps[from]?.optional === true || steps[to]?.optional === true) {
        const side = steps[from]?.optional === true ? 'from' : 'to';
        report([index, side], 'an optional step, which people skip; use one that is not');
      } else if (from >= to) {
        report([index, end], `no step lies after ${from} and up to ${to}; from must be less than to`);
      }
    });
    const different = new Set(ranges.map(({ from, to }) => `${from} ${to}`)).size;
    if (steps.length + different > MAX_STEPS_AND_RANGES) {
      report(
        [],
        `more than ${MAX_STEPS_AND_RANGES} steps and different pairs of from and to; use fewer of them`,
      );
    }
  })
  .openapi('FunnelQuery');
export type FunnelQuery = z.infer<typeof funnelQuery>;

export const retentionQuery = z
  .strictObject({
    kind: z.literal('retention'),
    ...common,
    start: eventChoice,
    return: eventChoice,
    periods: z.int().min(1).max(60),
    mode: z.enum(['first', 'every']).optional().openapi({
      description:
        'first (the default): counts people once, at their first start event of all time. every: counts them in each interval with a start event.',
    }),
    retained: z.enum(['on', 'on_or_after']).optional().openapi({
      description:
        'on (the default): interval n has the people who returned n intervals later. on_or_after: those who returned then or later.',
    }),
    weight: attributeName.optional().openapi({
      description:
        'Adds up this property instead of counting people. The size of a row is its sum over the start events of the interval in which each person began, and interval n has the sum over their return events n intervals later, in percent of the size. Not with on_or_after.',
      example: 'total',
    }),
    breakdown: breakdown.optional().openapi({
      description:
        'Shows a row for each value of the start event, over all intervals, instead of a row for each interval.',
    }),
  })
  .refine(({ weight, retained }) => weight === undefined || retained !== 'on_or_after', {
    path: ['weight'],
    message: 'not with on_or_after; remove one of them',
  })
  .openapi('RetentionQuery');
export type RetentionQuery = z.infer<typeof retentionQuery>;

export const stickinessQuery = z
  .strictObject({
    kind: z.literal('stickiness'),
    ...common,
    series: z.array(namedChoice).min(1).max(MAX_SERIES),
    cumulative: z.boolean().optional().openapi({
      description: 'true: counts people who were active in at least n intervals. Default: in exactly n.',
    }),
  })
  .openapi('StickinessQuery');
export type StickinessQuery = z.infer<typeof stickinessQuery>;

export const lifecycleQuery = z
  .strictObject({
    kind: z.literal('lifecycle'),
    ...common,
    event: eventName.optional().openapi({ description: 'Default: any event.' }),
  })
  .openapi('LifecycleQuery');
export type LifecycleQuery = z.infer<typeof lifecycleQuery>;

/** The number of events of a path. */
export const PATH_LEVELS = 5;

export const pathsQuery = z
  .strictObject({
    kind: z.literal('paths'),
    ...common,
    after: eventChoice.optional().openapi({
      description:
        "Shows what people did from their first of these events in the range. With before, from each person's first one that an event of before follows within the window, up to the latter.",
    }),
    before: eventChoice.optional().openapi({
      description: 'Shows what people did up to their last of these events in the range.',
    }),
    property: attributeName.optional().openapi({
      description:
        'Names an event after its value of this property, such as the path of a page view. Default: its name, also for events without a value.',
      example: 'path',
    }),
    window: window.optional().openapi({
      description: 'The maximum time from the first event of a path to the last. Default: 1 day.',
    }),
  })
  .refine(({ after, before }) => after !== undefined || before !== undefined, {
    path: ['after'],
    message: 'required without before; name the event that paths begin or end with',
  })
  .openapi('PathsQuery');
export type PathsQuery = z.infer<typeof pathsQuery>;

const kinds = z.discriminatedUnion('kind', [
  trendsQuery,
  funnelQuery,
  pathsQuery,
  retentionQuery,
  stickinessQuery,
  lifecycleQuery,
]);

const MAX_QUERY_BYTES = 100_000;

/** Bounds a question to a size that an engine plans quickly. */
function checkSize({ value, issues }: z.core.ParsePayload<InsightQuery>): void {
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  if (bytes > MAX_QUERY_BYTES) {
    const message = `larger than ${MAX_QUERY_BYTES} bytes; use a smaller query`;
    issues.push({ code: 'custom', input: value, message });
  }
  const fault = conditionsFault(clausesOf(value));
  if (fault !== undefined) issues.push({ code: 'custom', input: value, ...fault });
}

/** One of the six kinds of question. */
export const insightQuery = kinds.check(checkSize).openapi('InsightQuery', {
  description: `At most ${MAX_QUERY_BYTES} bytes of JSON and ${MAX_CONDITIONS} conditions, where those of \`where\` count once for each series or step.`,
});
export type InsightQuery = z.infer<typeof kinds>;

/** A question that alerts evaluate. */
export const alertQuery = z.discriminatedUnion('kind', [trendsQuery, funnelQuery]).check(checkSize);

/** Returns the event choices of a question, each with its path. */
function choicesOf(question: InsightQuery): { path: Path; choice: EventChoice }[] {
  const numbered = (name: string, choices: readonly EventChoice[] = []) =>
    choices.map((choice, index) => ({ path: [name, index], choice }));
  switch (question.kind) {
    case 'trends':
    case 'stickiness':
      return numbered('series', question.series);
    case 'funnel':
      return [...numbered('steps', question.steps), ...numbered('exclude', question.exclude)];
    case 'retention':
      return [
        { path: ['start'], choice: question.start },
        { path: ['return'], choice: question.return },
      ];
    case 'paths':
      return [
        ...(question.after === undefined ? [] : [{ path: ['after'], choice: question.after }]),
        ...(question.before === undefined ? [] : [{ path: ['before'], choice: question.before }]),
      ];
    case 'lifecycle':
      return [];
  }
}

/** Returns the clauses of a question, each with its path and how many times an engine evaluates it. */
export function clausesOf(question: InsightQuery): PlacedClause<InsightClause>[] {
  const choices = choicesOf(question);
  const placed = (path: Path, list: readonly InsightClause[] = [], times = 1) =>
    list.map((clause, index) => ({ path: [...path, 'where', index], clause, times }));
  return [
    ...placed([], question.where, Math.max(1, choices.length)),
    ...choices.flatMap(({ path, choice }) => placed(path, choice.where)),
  ];
}
