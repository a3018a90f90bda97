import { type InsightQuery, insightQuery, clause as personClause } from '@switchboard/contracts';
import fc from 'fast-check';
import type { Cohort } from '../conditions/cohorts.ts';
import { fulfilsAny, type TestEvent } from './reference.ts';

/** For tests: queries about generated events. Few people and moments cause many equal values. */

export const kindsOfCases = [
  'trends',
  'funnel',
  'crowded funnel',
  'paths',
  'retention',
  'stickiness',
  'lifecycle',
] as const;
type Kind = (typeof kindsOfCases)[number];

const QUARTER = 900_000;
/** Days before and around clock changes, most of them in one of the zones. */
const BASES = ['2026-03-27', '2026-10-23', '2026-04-03', '2026-09-30', '2025-12-28', '2011-12-28'];
/** Years outside of the range that ClickHouse guarantees. */
const FAR_BASES = ['0101-03-27', '1899-12-30', '2299-12-29', '9999-06-01'];
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'America/New_York',
  'Pacific/Apia',
];
/** Some occur more often, so that queries find events. */
const NAMES = ['a', 'a', 'a', 'b', 'b', 'größe 👩‍🚀'];
const INTERVALS = ['hour', 'day', 'week', 'month'] as const;

const scalar = fc.constantFrom<unknown>(
  'x',
  'y',
  '',
  1,
  2.5,
  '2.5',
  '12',
  12,
  true,
  null,
  '👩‍🚀',
  'naïve',
  -3,
  'x|y||',
  // The name of a line without a value.
  'Other',
  '(none)',
  '(empty)',
  // Longer than the limit of a name, and equal up to there.
  '👩‍🚀'.repeat(80),
  `${'👩‍🚀'.repeat(80)}!`,
  1732600000123,
);
const properties = fc.option(
  fc.dictionary(
    fc.constantFrom(
      'plan',
      'total',
      'total',
      'a/b~c"',
      'ключ',
      'context.os',
      'distinct_id',
      '',
      'country',
      'time_zone',
    ),
    fc.oneof(
      { weight: 3, arbitrary: scalar },
      {
        weight: 1,
        arbitrary: fc.constantFrom('Europe/Berlin', 'Asia/Kolkata', 'Asia/Calcutta', 'Etc/UTC', 'DE'),
      },
      { weight: 1, arbitrary: fc.array(scalar, { maxLength: 2 }) },
    ),
  ),
);
const traits = fc.dictionary(fc.constantFrom('plan', 'a/b~c"', '猫'), scalar);
/** Most people have traits or groups. */
const people = fc.record({
  known: fc.dictionary(
    fc.constantFrom('ada', 'béa', '猫'),
    fc.record({ traits, groups: fc.dictionary(fc.constantFrom('company', 'größe', 'acme.com'), traits) }),
  ),
  cohorts: fc.array(
    fc.record({
      id: fc.constantFrom('beta', '猫'),
      match: fc.array(
        fc.record({
          attribute: fc.constantFrom('plan', 'distinct_id', 'group.company.plan', 'a/b~c"'),
          op: fc.constantFrom('eq', 'neq', 'is_set', 'not_in', 'is_not_set'),
          value: fc.oneof(scalar, fc.constantFrom('ada', 'd')),
        }),
        { maxLength: 2 },
      ),
      distinctIds: fc.array(fc.constantFrom('ada', 'd', '猫'), { maxLength: 2 }),
    }),
    { maxLength: 2 },
  ),
  // No person is an id of another person.
  personIds: fc.oneof(
    fc.constant({}),
    fc.dictionary(fc.constantFrom('d', '猫', 'never seen'), fc.constantFrom('ada', 'béa', 'only a person')),
  ),
});
const clause = fc.oneof(
  fc.record({
    attribute: fc.constantFrom(
      ...['plan', 'total', 'a/b~c"', 'ключ', 'context.os', 'distinct_id', 'session_id'],
      ...['trait.plan', 'trait.a/b~c"', 'trait.', 'group.company.plan', 'group.größe.猫', 'group.company'],
      ...['property.plan', 'property.context.os', 'property.distinct_id', 'property.'],
      String.raw`group.acme\.com.plan`,
      'country',
    ),
    op: fc.constantFrom('eq', 'neq', 'gt', 'lte', 'is_set', 'contains', 'not_in'),
    value: scalar,
  }),
  fc.record({
    attribute: fc.constantFrom('cohort', 'plan'),
    op: fc.constantFrom('in_cohort', 'not_in_cohort'),
    value: fc.constantFrom<unknown>('beta', ['beta', '猫'], 'unknown', [], 7),
  }),
);
const cohort = fc.oneof(
  { weight: 9, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom('beta', '猫') },
);
const where = fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.array(clause, { maxLength: 2 }));
const choice = fc.record({ event: fc.constantFrom(...NAMES), where });

const name = fc.option(fc.constantFrom('a', 'Größe', '(none)', '👩‍🚀'.repeat(40)), {
  nil: undefined,
  freq: 2,
});
const namedChoice = fc
  .tuple(choice, name)
  .map(([chosen, own]) => (own === undefined ? chosen : { ...chosen, name: own }));

const world = fc.record({
  base: fc
    .oneof(
      { weight: 4, arbitrary: fc.constantFrom(...BASES) },
      { weight: 1, arbitrary: fc.constantFrom(...FAR_BASES) },
    )
    .map((day) => Date.parse(day)),
  timezone: fc.constantFrom(...ZONES),
  raw: fc.array(
    fc.record({
      // Few moments, so that many are equal.
      at: fc.oneof(
        { weight: 3, arbitrary: fc.nat({ max: 400 }) },
        { weight: 3, arbitrary: fc.nat({ max: 8 }).map((at) => at + 96) },
        { weight: 1, arbitrary: fc.nat({ max: 3000 }).map((at) => at - 1500) },
      ),
      ms: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.constantFrom(1, 999, 1000, 1001, 30_000)),
      name: fc.constantFrom(...NAMES),
      person: fc.constantFrom('ada', 'béa', '猫', 'd'),
      isBot: fc.nat({ max: 9 }).map((digit) => digit === 0),
      session: fc.option(fc.constantFrom('s', 't', 'größe')),
      properties,
      context: fc.option(fc.record({ os: scalar })),
    }),
    { minLength: 8, maxLength: 24 },
  ),
  from: fc.nat({ max: 3 }),
  days: fc.oneof({ weight: 4, arbitrary: fc.nat({ max: 4 }) }, fc.nat({ max: 70 })),
  last: fc.oneof(
    { weight: 2, arbitrary: fc.constant(null) },
    fc.record({ last: fc.integer({ min: 1, max: 60 }), unit: fc.constant('hour') }),
    fc.record({ last: fc.integer({ min: 1, max: 5 }), unit: fc.constantFrom('day', 'week', 'month') }),
  ),
  interval: fc.constantFrom(...INTERVALS),
  now: fc.integer({ min: 100, max: 500 }),
  asOf: fc.oneof(fc.nat({ max: 2000 }), fc.integer({ min: 2000, max: 20_000 })),
  people,
  cohort,
  bots: fc.constantFrom(true, undefined, undefined),
});

/** Many events in the same millisecond, with few names. */
const crowdedWorld = fc
  .tuple(
    world,
    fc.array(
      fc.record({
        at: fc.constantFrom(48, 48, 49),
        ms: fc.constantFrom(0, 0, 1),
        name: fc.constantFrom('a', 'a', 'a', 'b'),
        person: fc.constantFrom('ada', 'ada', 'd'),
        isBot: fc.constant(false),
        session: fc.constant(null),
        properties: fc.dictionary(fc.constantFrom('plan', 'total'), fc.constantFrom('x', 'y', 1)),
        context: fc.constant(null),
      }),
      { minLength: 3, maxLength: 9 },
    ),
  )
  .map(([made, raw]) => ({ ...made, raw, from: 0, days: 1, last: null, cohort: undefined }));

interface Made {
  base: number;
  raw: readonly (Omit<TestEvent, 'id' | 't'> & { at: number; ms: number })[];
}

function eventsOf({ base, raw }: Made): TestEvent[] {
  return raw.map(({ at, ms, ...event }, index) => ({
    ...event,
    id: `e${index}`,
    t: base + at * QUARTER + ms,
  }));
}

const limit = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined, freq: 2 });
const property = fc.constantFrom(
  'plan',
  'total',
  'distinct_id',
  'context.os',
  'trait.plan',
  'group.company.plan',
  'property.context.os',
  'country',
  String.raw`group.acme\.com.plan`,
);
const split = fc.record(
  { property, ranges: fc.constantFrom(undefined, undefined, [0], [1, 12], [-3, 2.5, 100]) },
  { requiredKeys: ['property'] },
);
const breakdown = fc.option(
  fc
    .tuple(
      split,
      fc.option(fc.array(split, { minLength: 1, maxLength: 2 }), { nil: undefined, freq: 1 }),
      limit,
    )
    .map(([first, and, most]) => ({ ...first, and, limit: most })),
  { nil: undefined, freq: 2 },
);

const window = fc.option(
  fc.record({
    count: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 60 })),
    unit: fc.constantFrom('second', 'minute', 'hour', 'day', 'week'),
  }),
  { nil: undefined, freq: 1 },
);

/** Excluded events, some between given steps. */
const excluding = (one: fc.Arbitrary<object>) =>
  fc.option(
    fc.array(fc.tuple(one, fc.option(fc.nat({ max: 9 }), { freq: 2 })), { minLength: 1, maxLength: 2 }),
    { nil: undefined, freq: 1 },
  );

/** Steps, some of them optional unless they are the first or the last. */
const stepsOf = (one: fc.Arbitrary<object>, lengths: { minLength: number; maxLength: number }) =>
  fc.array(fc.tuple(one, fc.constantFrom(false, false, true)), lengths);

interface FunnelMade {
  steps: readonly (readonly [object, boolean])[];
  order?: string | undefined;
  exclude?: readonly (readonly [object, number | null])[] | undefined;
}

/** Turns the number of an excluded event into one of the ranges of steps. In any order, all steps are required. */
function funnelOf({ steps, exclude, ...asked }: FunnelMade) {
  const isAny = asked.order === 'any';
  const last = steps.length - 1;
  const isOptional = steps.map(([, optional], step) => optional && !isAny && step > 0 && step < last);
  const required = [...steps.keys()].filter((step) => isOptional[step] === false);
  const ranges = required
    .flatMap((from) => required.map((to) => ({ from, to })))
    .filter(({ from, to }) => from < to);
  return {
    ...asked,
    steps: steps.map(([one], step) => (isOptional[step] === true ? { ...one, optional: true } : one)),
    exclude: exclude?.map(([one, number]) =>
      number === null || isAny ? one : { ...one, ...ranges[number % ranges.length] },
    ),
  };
}

/** Conditions that overlap: some events fulfill several. */
const overlapping = fc.constantFrom(
  [],
  [{ attribute: 'plan', op: 'eq', value: 'x' }],
  [{ attribute: 'plan', op: 'is_set' }],
  [{ attribute: 'plan', op: 'in', value: ['x', 'y'] }],
  [{ attribute: 'total', op: 'is_set' }],
  [{ attribute: 'total', op: 'is_not_set' }],
);

const order = fc.constantFrom(undefined, undefined, 'ordered', 'strict', 'any');

const view = fc.constantFrom(undefined, undefined, undefined, 'time_to_convert', 'over_time');
const sameProperty = fc.option(property, { nil: undefined, freq: 1 });

interface TrendsMade {
  series: readonly object[];
  formula?: string | undefined;
  onMap?: object | undefined;
}

/** Turns some trends into maps, which show one property and one series or formula. */
function trendsOf({ onMap, ...asked }: TrendsMade) {
  if (onMap === undefined) return asked;
  const series = asked.formula === undefined ? asked.series.slice(0, 1) : asked.series;
  return { ...asked, series, running: undefined, display: 'map', breakdown: onMap };
}

const kinds: Record<Kind, fc.Arbitrary<object>> = {
  trends: fc
    .record({
      series: fc.array(
        fc.record({
          event: fc.constantFrom(...NAMES),
          where,
          name,
          measure: fc.constantFrom(
            'events',
            'people',
            'sum',
            'average',
            'minimum',
            'maximum',
            'median',
            'p90',
            'p99',
            'unique',
            'sessions',
            'exits',
            'bounce_rate',
            'session_seconds',
            'session_events',
          ),
          property: fc.constant('total'),
        }),
        { minLength: 1, maxLength: 3 },
      ),
      breakdown,
      compare: fc.oneof(fc.constantFrom('previous', undefined), fc.integer({ min: 1, max: 20 })),
      formula: fc.option(fc.constantFrom('A / B', '(A + 1) * -2.5', 'A / (B - A)', 'C - B / 2 - A'), {
        nil: undefined,
        freq: 1,
      }),
      running: fc.oneof(
        { weight: 2, arbitrary: fc.constant(undefined) },
        fc.constant('total'),
        fc.record({ average: fc.integer({ min: 2, max: 4 }) }),
      ),
      onMap: fc.option(fc.record({ property, limit }), { nil: undefined, freq: 1 }),
    })
    .map(trendsOf),
  funnel: fc
    .record({
      steps: stepsOf(namedChoice, { minLength: 2, maxLength: 5 }),
      window,
      order,
      sameProperty,
      breakdown,
      view,
      exclude: excluding(choice),
    })
    .map(funnelOf),
  'crowded funnel': fc
    .record({
      steps: stepsOf(fc.record({ event: fc.constantFrom('a', 'a', 'a', 'b'), where: overlapping }), {
        minLength: 3,
        maxLength: 5,
      }),
      order,
      sameProperty,
      breakdown,
      view: fc.constantFrom(undefined, undefined, 'over_time'),
      exclude: excluding(fc.record({ event: fc.constantFrom('a', 'b'), where: overlapping })),
    })
    .map(funnelOf),
  paths: fc
    .record({
      direction: fc.constantFrom('after', 'before', 'between'),
      first: choice,
      last: choice,
      window,
      property: fc.option(fc.constantFrom('plan', 'total', 'trait.plan', 'distinct_id', 'country'), {
        nil: undefined,
        freq: 1,
      }),
    })
    .map(({ direction, first, last, ...rest }) => ({
      ...rest,
      ...(direction === 'before' ? {} : { after: first }),
      ...(direction === 'after' ? {} : { before: last }),
    })),
  retention: fc
    .record({
      start: choice,
      return: choice,
      periods: fc.integer({ min: 1, max: 5 }),
      mode: fc.constantFrom('first', 'every', undefined),
      retained: fc.constantFrom('on', 'on_or_after', undefined),
      weight: fc.option(fc.constantFrom('total', 'plan', 'trait.plan'), { nil: undefined, freq: 1 }),
      breakdown,
    })
    .map(({ weight, ...rest }) => ({ ...rest, ...(rest.retained !== 'on_or_after' && { weight }) })),
  stickiness: fc.record({
    series: fc.array(namedChoice, { minLength: 1, maxLength: 2 }),
    cumulative: fc.constantFrom(true, false, undefined),
  }),
  lifecycle: fc.record({ event: fc.option(fc.constantFrom(...NAMES), { nil: undefined, freq: 2 }) }),
};

const day = (t: number) => new Date(t).toISOString().slice(0, 10);
const DAY = 86_400_000;

/** Generates a range of at most 120 intervals. */
function timesOf({ base, from, days, last, interval }: TimesMade) {
  const isLong = last === null ? days > 4 : last.unit === 'week' || last.unit === 'month';
  const isShort = interval === 'hour' || (interval === 'day' && last?.unit === 'month');
  const first = base + from * DAY;
  return {
    range: last ?? { from: day(first), to: day(first + days * DAY) },
    interval: isLong && isShort ? 'week' : interval,
  };
}

/** Replaces a number of days before the range, or long before it, by the day. */
function compared({ base, from, last }: TimesMade, asked: { compare?: unknown }) {
  if (typeof asked.compare !== 'number') return asked;
  const before = asked.compare + (last === null ? 0 : MONTHS_BEFORE);
  return { ...asked, compare: { from: day(base + (from - before) * DAY) } };
}

/** More days than the longest range of the last units. */
const MONTHS_BEFORE = 170;

interface TimesMade {
  base: number;
  from: number;
  days: number;
  last: { last: number; unit: string } | null;
  interval: (typeof INTERVALS)[number];
}

export interface Case {
  events: TestEvent[];
  query: InsightQuery;
  asOf: number;
  /** The traits and groups of persons. */
  people: Record<string, { traits: Traits; groups: Record<string, Traits> }>;
  /** The person of each id that belongs to a person with another id. */
  personIds: Record<string, string>;
  /** Cohorts by id. */
  cohorts: Map<string, Cohort>;
}

type Traits = Record<string, unknown>;

type KnownOfCase = Pick<Case, 'people' | 'personIds' | 'cohorts'>;

/** Adds the person of each event, as flags see them. */
function withPeople(events: TestEvent[], { people: known, personIds, cohorts }: KnownOfCase) {
  return events.map((event) => {
    const distinctId = personIds[event.person] ?? event.person;
    const ids = [distinctId, ...Object.keys(personIds).filter((id) => personIds[id] === distinctId)];
    const person = { distinctId, ...(known[distinctId] ?? { traits: {}, groups: {} }) };
    const isIn = ({ match, distinctIds }: Cohort) =>
      distinctIds.some((id) => ids.includes(id)) ||
      (match.length > 0 && match.every((one) => fulfilsAny(one, { ...person, cohorts: new Set() }, ids)));
    const own = [...cohorts].filter(([, cohort]) => isIn(cohort)).map(([id]) => id);
    return { ...event, who: { ...person, cohorts: new Set(own), ids } };
  });
}

/** Whether the range is only the day that clocks in Apia skipped, which no report can show. */
function isSkipped({ range, timezone }: InsightQuery): boolean {
  return (
    timezone === 'Pacific/Apia' && 'from' in range && range.from === '2011-12-30' && range.to === range.from
  );
}

export function casesOf(kind: Kind): fc.Arbitrary<Case> {
  const isCrowded = kind === 'crowded funnel';
  return fc
    .tuple(isCrowded ? crowdedWorld : world, kinds[kind], isCrowded ? fc.constant([]) : where)
    .map(([made, asked, common]) => {
      const parsed = insightQuery.safeParse({
        ...compared(made, JSON.parse(JSON.stringify(asked))),
        kind: isCrowded ? 'funnel' : kind,
        ...timesOf(made),
        timezone: made.timezone,
        where: common,
        cohort: made.cohort,
        bots: made.bots,
      });
      const known: KnownOfCase = {
        people: made.people.known,
        personIds: made.people.personIds,
        cohorts: new Map(
          made.people.cohorts.map(({ id, match, distinctIds }) => [
            id,
            { match: match.map((one) => personClause.parse(one)), distinctIds },
          ]),
        ),
      };
      const events: TestEvent[] = withPeople(eventsOf(made), known);
      return {
        ...known,
        events,
        query: parsed.data,
        asOf: made.base + (made.last === null ? made.asOf : made.now) * QUARTER,
      };
    })
    .filter((made): made is Case => made.query !== undefined && !isSkipped(made.query));
}
