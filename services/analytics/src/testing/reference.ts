import { hash } from 'node:crypto';
import type {
  EventChoice,
  FunnelQuery,
  InsightBreakdown,
  InsightClause,
  InsightInterval,
  InsightQuery,
  InsightRange,
  LifecycleQuery,
  PathsQuery,
  RetentionQuery,
  StickinessQuery,
  TrendsQuery,
} from '@switchboard/contracts';
import { matchesClauses, numeric, type User } from '@switchboard/flag-engine';

/** For tests: results of queries, computed as slowly and simply as possible. */

export interface TestEvent {
  id: string;
  t: number;
  name: string;
  person: string;
  /** Default: false. */
  isBot?: boolean | undefined;
  session: string | null;
  properties: Record<string, unknown> | null;
  context: Record<string, unknown> | null;
  /** The person, with all ids. Absent if nothing is known of the person. */
  who?: User & { ids: readonly string[] };
  /** The project, in a file of several. */
  project?: string;
}

export interface Known {
  events: readonly TestEvent[];
  now: number;
  asOf: number;
}

const DAY = 86_400_000;
/** The countries of the time zones in generated events. */
const COUNTRIES: Record<string, string> = {
  'Europe/Berlin': 'DE',
  'Asia/Calcutta': 'IN',
  'Asia/Kolkata': 'IN',
};
const HOUR = DAY / 24;
const SHOWN_LENGTH = 200;
const HOUR_LENGTH = '2026-03-01T09'.length;

type Clauses = Parameters<typeof matchesClauses>[0];

/** Whether a person fulfills a clause: by any id, or by all ids if the operator is negative. */
export function fulfilsAny(clause: Clauses[number], person: User, ids: readonly string[]): boolean {
  const isNegative = ['neq', 'not_in', 'is_not_set'].includes(clause.op);
  const isFulfilled = (distinctId: string) => matchesClauses([clause], { ...person, distinctId });
  return isNegative ? ids.every(isFulfilled) : ids.some(isFulfilled);
}

const personOf = ({ person, who }: TestEvent) => who?.distinctId ?? person;

export function fulfilsAll(event: TestEvent, where: readonly InsightClause[] = []): boolean {
  return where.every(({ attribute, ...clause }) => {
    if (attribute === 'distinct_id' && clause.op !== 'in_cohort' && clause.op !== 'not_in_cohort') {
      const nobody = { distinctId: '', traits: {}, cohorts: new Set<string>() };
      return fulfilsAny({ ...clause, attribute }, nobody, event.who?.ids ?? [event.person]);
    }
    const traits = { x: attributeOf(event, attribute) };
    return matchesClauses([{ ...clause, attribute: 'x' }], {
      distinctId: '',
      traits,
      cohorts: event.who?.cohorts ?? new Set(),
    });
  });
}

function attributeOf(event: TestEvent, name: string): unknown {
  if (name === 'distinct_id') return personOf(event);
  if (name === 'session_id') return event.session;
  if (name.startsWith('trait.')) return own(event.who?.traits, name.slice(6));
  if (name.startsWith('property.')) return own(event.properties, name.slice(9));
  const [, type, trait] = /^group\.((?:\\.|[^.\\])+)\.(.+)$/s.exec(name) ?? [];
  if (type !== undefined && trait !== undefined)
    return own(own(event.who?.groups, type.replaceAll(/\\(.)/g, '$1')), trait);
  if (name === 'country') return country(event.properties);
  const [owner, key] = name.startsWith('context.')
    ? [event.context, name.slice(8)]
    : [event.properties, name];
  return own(owner, key);
}

/** A null is a country that an event has. */
function country(properties: unknown): unknown {
  const sent = own(properties, 'country');
  return sent === undefined ? COUNTRIES[String(own(properties, 'time_zone'))] : sent;
}

function own(owner: unknown, key: string): unknown {
  if (typeof owner !== 'object' || owner === null || !Object.hasOwn(owner, key)) return undefined;
  return Object.entries(owner).find(([name]) => name === key)?.[1];
}

const isChosen = (event: TestEvent, { event: name, where }: EventChoice) =>
  event.name === name && fulfilsAll(event, where);

/** The clock of a time zone. Cached, because queries are often about the same times. */
interface Clock {
  format: Intl.DateTimeFormat;
  hours: Map<number, string>;
}
const clocks = new Map<string, Clock>();

/** Returns local time as `2026-03-01T09`. */
function localHour(t: number, timeZone: string): string {
  const options = { timeZone, dateStyle: 'short', timeStyle: 'short' } as const;
  const { format, hours } = clocks.get(timeZone) ?? {
    format: new Intl.DateTimeFormat('sv-SE', options),
    hours: new Map<number, string>(),
  };
  clocks.set(timeZone, { format, hours });
  const known = hours.get(t);
  if (known !== undefined) return known;
  const time = format.format(t).padStart('2026-03-01 09:00'.length, '0');
  const hour = time.replace(' ', 'T').slice(0, HOUR_LENGTH);
  hours.set(t, hour);
  return hour;
}

function bucketName(localTime: string, interval: InsightInterval): string {
  const day = localTime.slice(0, 10);
  if (interval === 'hour') return `${localTime}:00`;
  if (interval === 'day') return day;
  if (interval === 'month') return `${day.slice(0, 7)}-01`;
  const date = new Date(`${day}T00:00:00Z`);
  const sinceMonday = (date.getUTCDay() + 6) % 7;
  return new Date(date.getTime() - sinceMonday * DAY).toISOString().slice(0, 10);
}

/** The first and last hour of a range, in local time. */
type Hours = readonly [string, string];

interface Days {
  hours: Hours;
  has(t: number): boolean;
  bucket(t: number): string;
  /** The buckets of the range. */
  buckets: string[];
  /** Returns the buckets of the range and of long periods around it. */
  all(): readonly string[];
}

interface Times {
  range: InsightRange;
  interval?: InsightInterval | undefined;
  timezone?: string | undefined;
}

const at = (localHour: string) => Date.parse(`${localHour}:00Z`);
const hourAt = (time: number | Date) => new Date(time).toISOString().slice(0, HOUR_LENGTH);

function hoursOf({ range, interval = 'day', timezone = 'UTC' }: Times, now: number): Hours {
  if ('from' in range) return [`${range.from}T00`, `${range.to}T23`];
  const { last, unit } = range;
  const current = localHour(now, timezone);
  const to = interval === 'hour' || unit === 'hour' ? current : `${current.slice(0, 10)}T23`;
  const before = last - 1;
  if (unit === 'hour') return [hourAt(at(current) - before * HOUR), to];
  const first = new Date(`${bucketName(current, unit)}T00:00Z`);
  if (unit === 'month') first.setUTCMonth(first.getUTCMonth() - before);
  else first.setUTCDate(first.getUTCDate() - before * (unit === 'week' ? 7 : 1));
  return [hourAt(first), to];
}

/** The first and last day or hour of the previous period, and how the buckets correspond. */
interface Before {
  hours: Hours;
  counterpart(bucket: string, index: number, buckets: readonly string[]): string | undefined;
}

/** Returns local time some steps earlier. In a month without that day, it is this hour of the last day. */
function earlier(localTime: string, step: InsightInterval, count: number, otherwise = '23'): string {
  const time = new Date(at(localTime));
  if (step === 'hour') time.setUTCHours(time.getUTCHours() - count);
  if (step === 'day') time.setUTCDate(time.getUTCDate() - count);
  if (step === 'week') time.setUTCDate(time.getUTCDate() - count * 7);
  if (step !== 'month') return hourAt(time);
  const [day, month] = [time.getUTCDate(), time.getUTCMonth() - count];
  time.setUTCMonth(month, 1);
  const wanted = time.getUTCMonth();
  time.setUTCDate(day);
  if (time.getUTCMonth() === wanted) return hourAt(time);
  time.setUTCDate(0);
  return `${hourAt(time).slice(0, 10)}T${otherwise}`;
}

function beforeOf(
  { range, interval = 'day' }: Times,
  [from, to]: Hours,
  compare: NonNullable<TrendsQuery['compare']>,
): Before {
  if (compare !== 'previous') {
    const first = `${compare.from}T00`;
    return {
      hours: [first, hourAt(at(first) + at(to) - at(from))],
      counterpart: (_bucket, index, buckets) => buckets[index],
    };
  }
  const next = hourAt(at(to) + HOUR);
  const isMonths = from.endsWith('-01T00') && next.endsWith('-01T00');
  const units = ['unit' in range ? range.unit : isMonths ? 'month' : 'day', interval];
  const step = (['month', 'week', 'day', 'hour'] as const).find((one) => units.includes(one)) ?? 'hour';
  const toBefore = (count: number) =>
    step === 'month' && isMonths ? hourAt(at(earlier(next, step, count)) - HOUR) : earlier(to, step, count);
  let count = 1;
  while (toBefore(count) >= from) count++;
  return {
    hours: [earlier(from, step, count, '00'), toBefore(count)],
    counterpart(bucket, index, buckets) {
      if (step === 'month' && interval === 'week') return buckets[index];
      const found = earlier(bucket.length > 10 ? bucket.slice(0, HOUR_LENGTH) : `${bucket}T00`, step, count);
      const isThatDay = step !== 'month' || found.slice(8) === `${bucket}T00`.slice(8, HOUR_LENGTH);
      return isThatDay ? (interval === 'hour' ? `${found}:00` : found.slice(0, 10)) : undefined;
    },
  };
}

function daysOf({ interval = 'day', timezone = 'UTC' }: Omit<Times, 'range'>, hours: Hours): Days {
  const [from, to] = hours;
  const has = (t: number) => {
    const hour = localHour(t, timezone);
    return from <= hour && hour <= to;
  };
  const bucket = (t: number) => bucketName(localHour(t, timezone), interval);
  // A range of hours may be within a day.
  const step = interval === 'hour' || at(to) - at(from) < 3 * DAY ? HOUR / 2 : DAY / 2;
  const margin = { hour: 3, day: 8, week: 50, month: 200 }[interval] * DAY;
  const within = (first: number, last: number, isWanted: (t: number) => boolean) => {
    const found = new Set<string>();
    for (let t = first; t < last; t += step) if (isWanted(t)) found.add(bucket(t));
    return [...found].sort();
  };
  let all: readonly string[] | undefined;
  return {
    hours,
    has,
    bucket,
    buckets: within(at(from) - 2 * DAY, at(to) + 2 * DAY, has),
    all() {
      all ??= within(at(from) - margin, at(to) + margin, () => true);
      return all;
    },
  };
}

export function reference(query: InsightQuery, known: Known): unknown {
  const { cohort } = query;
  const events = known.events.filter(
    (event) =>
      (query.bots === true || event.isBot !== true) &&
      fulfilsAll(event, query.where) &&
      (cohort === undefined || event.who?.cohorts.has(cohort) === true),
  );
  const days = daysOf(query, hoursOf(query, known.now));
  switch (query.kind) {
    case 'trends':
      return trends(query, events, days);
    case 'funnel':
      return funnel(query, events, days);
    case 'paths':
      return paths(query, events, days);
    case 'retention':
      return retention(query, { ...known, events }, days);
    case 'stickiness':
      return stickiness(query, events, days);
    case 'lifecycle':
      return lifecycle(query, events, days);
  }
}

function labelOf(event: TestEvent, property: string): string | undefined {
  const value = attributeOf(event, property);
  if (value === undefined || value === null) return undefined;
  const label = typeof value === 'string' ? value : JSON.stringify(value);
  const start = [...label].slice(0, SHOWN_LENGTH).join('');
  // Values with the same beginning are ordered by their hashes.
  return start === label ? label : start + hash('sha256', label);
}

/** Returns the label of an event with each property of a breakdown. Several are joined, with a mark for a missing one. */
function brokenLabel(event: TestEvent, breakdown: InsightBreakdown): string | undefined {
  const { property, ranges, and = [] } = breakdown;
  const labels = [{ property, ranges }, ...and].map((one) => {
    if (one.ranges === undefined) return labelOf(event, one.property);
    const value = numeric(attributeOf(event, one.property));
    if (value === undefined) return undefined;
    const above = one.ranges.findIndex((bound) => value < bound);
    if (above === -1) return `≥ ${one.ranges.at(-1)}`;
    return above === 0 ? `< ${one.ranges[0]}` : `${one.ranges[above - 1]} – ${one.ranges[above]}`;
  });
  if (and.length === 0) return labels[0];
  return labels.map((label) => (label === undefined ? 'n' : `v${label.replaceAll('|', '||')}`)).join('|');
}

/** Returns the name of a line of a breakdown. */
function brokenName(label: string, { and }: InsightBreakdown): string {
  if (and === undefined) return label || '(empty)';
  return label
    .replaceAll('||', '\0')
    .split('|')
    .map((one) =>
      one === 'n'
        ? '(none)'
        : [...one.slice(1).replaceAll('\0', '|')].slice(0, SHOWN_LENGTH).join('') || '(empty)',
    )
    .join(' · ');
}

/** Returns the labels with the largest sizes. */
function largest(sizes: ReadonlyMap<string, number | null>, limit = 10): string[] {
  const sizeOf = (size: number | null) => size ?? Number.NEGATIVE_INFINITY;
  return [...sizes]
    .sort((a, b) => sizeOf(b[1]) - sizeOf(a[1]) || (a[0] < b[0] ? -1 : 1))
    .slice(0, limit)
    .map(([label]) => label);
}

function countBy<T>(items: readonly T[], keyOf: (item: T) => string | undefined): [string, number][] {
  const counts = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

/** A session, as its first or last event, with all its events. */
type Session = TestEvent & { own?: readonly TestEvent[] };

const OF_SESSIONS = ['sessions', 'exits', 'bounce_rate', 'session_seconds', 'session_events'];

/** Returns the sessions of events if the measure is of sessions, or else the events. */
function countedIn(events: readonly TestEvent[], measure = 'events'): readonly Session[] {
  if (!OF_SESSIONS.includes(measure)) return events;
  const withSession = events.filter(({ session }) => session !== null);
  return [...Map.groupBy(withSession, ({ session }) => session).values()].flatMap((group) => {
    const own = group.toSorted((one, other) => one.t - other.t || (one.id < other.id ? -1 : 1));
    const edge = own.at(measure === 'exits' ? -1 : 0);
    return edge === undefined ? [] : [{ ...edge, own }];
  });
}

function sessionValue({ own = [] }: Session, measure: string): number {
  if (measure === 'bounce_rate') return own.length === 1 ? 100 : 0;
  return measure === 'session_events' ? own.length : ((own.at(-1)?.t ?? 0) - (own[0]?.t ?? 0)) / 1000;
}

function measured(
  events: readonly Session[],
  { measure = 'events', property }: TrendsQuery['series'][number],
): number | null {
  if (measure === 'events' || measure === 'sessions' || measure === 'exits') return events.length;
  if (measure === 'unique') {
    const labels = events.map((event) => labelOf(event, property ?? ''));
    return new Set(labels.filter((label) => label !== undefined)).size;
  }
  if (measure === 'bounce_rate' || measure === 'session_seconds' || measure === 'session_events') {
    const total = events.reduce((sum, event) => sum + sessionValue(event, measure), 0);
    return events.length === 0 ? null : withoutNoise(total / events.length);
  }
  if (measure === 'people') return new Set(events.map(personOf)).size;
  const values = events
    .map((event) => numeric(attributeOf(event, property ?? '')))
    .filter((value) => value !== undefined)
    .sort((a, b) => a - b);
  const sum = values.reduce((total, value) => total + value, 0);
  if (measure === 'sum') return withoutNoise(sum);
  if (values.length === 0) return null;
  if (measure === 'average') return withoutNoise(sum / values.length);
  if (measure === 'minimum') return values[0] ?? null;
  if (measure === 'maximum') return values.at(-1) ?? null;
  return withoutNoise(quantile(values, { median: 0.5, p90: 0.9, p99: 0.99 }[measure]));
}

function withoutNoise(value: number): number {
  return Number.isSafeInteger(value) ? value : Number(value.toPrecision(15));
}

function quantile(sorted: readonly number[], part: number): number {
  const place = (sorted.length - 1) * part;
  const low = sorted[Math.floor(place)] ?? 0;
  const high = sorted[Math.ceil(place)] ?? 0;
  return low + (high - low) * (place - Math.floor(place));
}

function nameOf(one: TrendsQuery['series'][number], { series }: TrendsQuery): string {
  const what = ({ measure, property }: typeof one) => {
    if (measure === undefined || measure === 'events') return 'events';
    if (measure === 'people') return 'people';
    return OF_SESSIONS.includes(measure) ? measure.replaceAll('_', ' ') : `${measure} of ${property}`;
  };
  const differs = series.some(
    (other) => other.event === one.event && other.name === undefined && what(other) !== what(one),
  );
  return differs ? `${one.event}, ${what(one)}` : one.event;
}

/** Returns the same days as a single bucket. */
function asOne(days: Days, interval: InsightInterval | undefined, range: InsightRange): Days {
  const ofHours = interval === 'hour' || ('unit' in range && range.unit === 'hour');
  const ends = days.hours.map((hour) => (ofHours ? `${hour}:00` : hour.slice(0, 10)));
  const name = ends[0] === ends[1] ? ends[0] : ends.join(' – ');
  return { ...days, bucket: () => name ?? '', buckets: [name ?? ''] };
}

function trends(query: TrendsQuery, events: readonly TestEvent[], given: Days): unknown {
  const isMap = query.display === 'map';
  const shownAs = (some: Days) => (isMap ? asOne(some, query.interval, query.range) : some);
  const days = shownAs(given);
  const compared = query.compare && beforeOf(query, given.hours, query.compare);
  const before = compared && shownAs(daysOf(query, compared.hours));
  let shown: string[] = [];
  /** The lines of other labels and of none that some series has. */
  const present = new Set<string>();
  const all = query.series.flatMap((one, at) => {
    const chosenIn = ({ has }: Days) =>
      countedIn(
        events.filter((event) => isChosen(event, one) && has(event.t)),
        one.measure,
      );
    const valuesIn = ({ buckets, bucket }: Days, some: readonly Session[]) =>
      buckets.map((name) =>
        measured(
          some.filter(({ t }) => bucket(t) === name),
          one,
        ),
      );
    const [now, then] = [chosenIn(days), before ? chosenIn(before) : []];
    const lineOf = (name: string, isPart: (event: TestEvent) => boolean) => {
      const values = before ? valuesIn(before, then.filter(isPart)) : [];
      const own = valuesIn(days, now.filter(isPart));
      const sumOf = (some: readonly (number | null)[]) =>
        some.reduce<number>((total, value) => total + (value ?? 0), 0);
      const runsOver = (some: (number | null)[]) =>
        some.map((value, index) => {
          if (query.running === undefined) return value;
          if (query.running === 'total') return sumOf(some.slice(0, index + 1));
          const last = some.slice(0, index + 1).slice(-query.running.average);
          const present = last.filter((one) => one !== null);
          return present.length === 0 ? null : sumOf(present) / present.length;
        });
      const runs = runsOver(values);
      const counterparts = isMap
        ? before?.buckets
        : days.buckets.map((bucket, index, all) =>
            compared?.counterpart(bucket, index, before?.buckets ?? all),
          );
      const isShown = before?.buckets.every((bucket) => counterparts?.includes(bucket)) ?? true;
      const isSum = ['events', 'sum', 'sessions', 'exits'].includes(one.measure ?? 'events');
      return {
        name,
        values: runsOver(own),
        ...(before && {
          previous: counterparts?.map((bucket) => runs[before.buckets.indexOf(bucket ?? '')] ?? null),
          ...((isShown && query.running === undefined) || !isSum ? {} : { previousTotal: sumOf(values) }),
        }),
        ...(isSum ? {} : { total: null }),
        ...(isSum && query.running !== undefined ? { total: sumOf(own) } : {}),
      };
    };
    const { breakdown } = query;
    const name = one.name ?? nameOf(one, query);
    if (breakdown === undefined) return [{ ...lineOf(name, () => true), part: '' }];
    const label = (event: TestEvent) => brokenLabel(event, breakdown);
    const sizes = new Map<string, number | null>();
    for (const [value, some] of Map.groupBy(now, label)) {
      if (value !== undefined) sizes.set(value, measured(some, one));
    }
    shown =
      query.formula === undefined || at === 0
        ? largest(sizes, breakdown.limit ?? (isMap ? 250 : undefined))
        : shown;
    const own = shown;
    const isNone = (event: TestEvent) => label(event) === undefined;
    const isOther = (event: TestEvent) => !isNone(event) && !own.includes(label(event) ?? '');
    const named = (value: string) =>
      query.series.length > 1 && query.formula === undefined ? `${name}: ${value}` : value;
    const lines = own.map((value) => ({
      ...lineOf(named(brokenName(value, breakdown)), (event) => label(event) === value),
      builtIn: value === '' ? 'empty' : undefined,
      part: value,
    }));
    const rest = { Other: isOther, '(none)': isNone };
    for (const [called, isPart] of Object.entries(rest)) {
      const builtIn = called === 'Other' ? 'other' : 'none';
      const isPresent = [...now, ...then].some(isPart);
      if (isPresent) present.add(builtIn);
      if (isPresent || query.formula !== undefined)
        lines.push({ ...lineOf(named(called), isPart), builtIn, part: builtIn });
    }
    return lines.length === 0 ? [{ ...lineOf(name, () => true), part: '' }] : lines;
  });
  const isShownPart = ({ part }: { part: string }) =>
    !['other', 'none'].includes(part) || present.has(part) || query.formula === undefined;
  const series = all.map(({ part: _, ...line }) => line);
  const { formula } = query;
  if (formula === undefined) return { buckets: days.buckets, series };
  const names = [...'ABCDEFGHIJKL'].slice(0, query.series.length);
  // Safe, because the formulas are those of the generated questions.
  const compute = new Function(...names, `return ${formula}`);
  const computed = (each: (readonly (number | null)[])[]) =>
    (each[0] ?? []).map((_, index) => {
      const used = each.filter((_values, at) => formula.includes(names[at] ?? ''));
      if (used.some((values) => values[index] === null)) return null;
      const value: number = compute(...each.map((values) => values[index]));
      return Number.isFinite(value) ? value : null;
    });
  const perSeries = all.length / query.series.length;
  const lines = all
    .slice(0, perSeries)
    .map((line, at) => ({ ...line, each: query.series.map((_, index) => all[index * perSeries + at]) }))
    .filter(isShownPart);
  const isBroken = query.breakdown !== undefined && lines.length > 0;
  const chosen = lines.length === 0 ? [{ each: query.series.map(() => undefined), name: formula }] : lines;
  return {
    buckets: days.buckets,
    series: chosen.map(({ each, name }) => ({
      name: isBroken ? name : formula,
      values: computed(each.map((line) => line?.values ?? [])),
      ...(query.compare && { previous: computed(each.map((line) => line?.previous ?? [])) }),
      total: null,
    })),
  };
}

interface Chain {
  /** The events of the steps that are not optional, and the last one. */
  events: TestEvent[];
  label: string;
}

/** Whether a chain has a later start, or then an earlier second event, and so on. */
function isBetter(one: Chain, other: Chain | undefined): boolean {
  if (other === undefined) return true;
  for (const [index, event] of one.events.entries()) {
    const difference = (other.events[index]?.t ?? 0) - event.t;
    if (difference !== 0) return index === 0 ? difference < 0 : difference > 0;
  }
  return one.label > other.label;
}

/** Returns the best chain of a person to each step, where `sameProperty` has one value. */
function bestChains(query: FunnelQuery, events: readonly TestEvent[], days: Days): (Chain | undefined)[] {
  const { sameProperty } = query;
  if (sameProperty === undefined) return chainsAmong(query, events, days);
  const groups = Map.groupBy(events, (event) => labelOf(event, sameProperty));
  groups.delete(undefined);
  const found = [...groups.values()].map((own) => chainsAmong(query, own, days));
  return query.steps.map((_, step) =>
    found
      .flatMap((chains) => chains[step] ?? [])
      .reduce<Chain | undefined>((best, chain) => (isBetter(chain, best) ? chain : best), undefined),
  );
}

function chainsAmong(query: FunnelQuery, events: readonly TestEvent[], days: Days): (Chain | undefined)[] {
  const { steps, exclude = [], window = { count: 14, unit: 'day' }, breakdown, order } = query;
  const ms =
    { second: 1000, minute: 60_000, hour: 3_600_000, day: DAY, week: 7 * DAY }[window.unit] * window.count;
  const excluded = exclude.map(({ from = 0, to = steps.length - 1, ...choice }) => ({
    from,
    to,
    times: events.filter((event) => isChosen(event, choice)).map(({ t }) => t),
  }));
  const candidates = steps.map((step) => events.filter((event) => isChosen(event, step)));
  const best: (Chain | undefined)[] = steps.map(() => undefined);
  const isBetween = (one: TestEvent, other: TestEvent) => events.some(({ t }) => one.t < t && t < other.t);
  const isRequired = (step: number) => steps[step]?.optional !== true;
  /** Whether an excluded event lies between the steps of a chain and its next event. */
  const isExcluded = (chain: readonly Taken[], step: number, next: TestEvent) =>
    excluded.some(({ from, to, times }) => {
      const since = order === 'any' ? chain[0] : chain.find((one) => one.step === from);
      if (since === undefined || (order !== 'any' && step > to)) return false;
      return times.some((t) => since.event.t < t && t < next.t);
    });
  /** Whether an optional step comes before any event of the next required one. */
  const isInPlace = (chain: readonly Taken[], { step, event }: Taken) => {
    if (isRequired(step)) return true;
    const before = chain.findLast((one) => isRequired(one.step));
    const next = steps.findIndex((_, index) => index > step && isRequired(index));
    return candidates[next]?.every(({ t }) => t <= (before?.event.t ?? 0) || t >= event.t);
  };
  /** Returns the steps that may follow in a chain. */
  const stepsAfter = (chain: readonly Taken[]) => {
    const all = [...steps.keys()];
    if (order === 'any') return all.filter((step) => chain.every((one) => one.step !== step));
    const later = all.slice((chain.at(-1)?.step ?? -1) + 1);
    return later.slice(0, later.findIndex(isRequired) + 1);
  };
  const extend = (chain: readonly Taken[]) => {
    const [first, last] = [chain[0], chain.at(-1)];
    if (first !== undefined && last !== undefined && isInPlace(chain, last)) {
      const label = breakdown === undefined ? undefined : brokenLabel(first.event, breakdown);
      const own = chain.filter((taken) => taken === last || isRequired(taken.step));
      const one = {
        events: own.map(({ event }) => event),
        label: label === undefined ? 'n' : `v${label}`,
      };
      const place = order === 'any' ? chain.length - 1 : last.step;
      if (isBetter(one, best[place])) best[place] = one;
    }
    const next = stepsAfter(chain).flatMap((step) =>
      (candidates[step] ?? []).map((event) => ({ step, event })),
    );
    for (const { step, event } of next) {
      if (first === undefined && !days.has(event.t)) continue;
      if (chain.some((taken) => taken.event === event)) continue;
      if (first !== undefined && event.t - first.event.t > ms) continue;
      if (last !== undefined && event.t < last.event.t) continue;
      if (isExcluded(chain, step, event)) continue;
      if (order === 'strict' && last !== undefined && isBetween(last.event, event)) continue;
      extend([...chain, { step, event }]);
    }
  };
  extend([]);
  return best;
}

/** An event as a step of a chain. */
interface Taken {
  step: number;
  event: TestEvent;
}

/** The ends of the bars of times to convert, in seconds. */
const TIMES = [
  10, 30, 60, 120, 300, 600, 1800, 3600, 10_800, 21_600, 43_200, 86_400, 172_800, 345_600, 604_800, 1_209_600,
  2_592_000, 7_776_000,
];

/** The share of the people who entered in each interval that reached the last step. */
function conversionOverTime(query: FunnelQuery, events: readonly TestEvent[], days: Days): unknown {
  const { breakdown } = query;
  const entries = days.buckets.flatMap((bucket) => {
    const within = { ...days, has: (t: number) => days.has(t) && days.bucket(t) === bucket };
    return [...Map.groupBy(events, personOf).values()].flatMap((own) => {
      const chains = bestChains(query, own, within);
      const label = chains.findLast(
        (chain, step) => chain !== undefined && query.steps[step]?.optional !== true,
      )?.label;
      return label === undefined ? [] : [{ bucket, label, isDone: chains.at(-1) !== undefined }];
    });
  });
  const lineOf = (name: string, some: typeof entries) => ({
    name,
    values: days.buckets.map((bucket) => {
      const own = some.filter((one) => one.bucket === bucket);
      if (own.length === 0) return null;
      return Math.round((own.filter(({ isDone }) => isDone).length / own.length) * 1000) / 10;
    }),
  });
  const last = query.steps.at(-1);
  const name = last?.name ?? last?.event ?? '';
  if (breakdown === undefined || entries.length === 0) {
    return { buckets: days.buckets, series: [lineOf(name, entries)] };
  }
  const sizes = countBy(entries, ({ label }) => (label === 'n' ? undefined : label));
  const shown = sizes.slice(0, breakdown.limit ?? 10).map(([label]) => label);
  const series = [
    ...shown.map((label) => ({
      line: brokenName(label.slice(1), breakdown),
      some: entries.filter((one) => one.label === label),
    })),
    { line: 'Other', some: entries.filter(({ label }) => label !== 'n' && !shown.includes(label)) },
    { line: '(none)', some: entries.filter(({ label }) => label === 'n') },
  ].filter(({ some }) => some.length > 0);
  return { buckets: days.buckets, series: series.map(({ line, some }) => lineOf(line, some)) };
}

function funnel(query: FunnelQuery, events: readonly TestEvent[], days: Days): unknown {
  if (query.view === 'over_time') return conversionOverTime(query, events, days);
  const people = [...Map.groupBy(events, personOf).values()]
    .map((own) => bestChains(query, own, days))
    .filter(([first]) => first !== undefined);
  if (query.view === 'time_to_convert') {
    const times = people.flatMap((chains) => {
      const complete = chains.at(-1)?.events ?? [];
      return complete.length === 0 ? [] : [((complete.at(-1)?.t ?? 0) - (complete[0]?.t ?? 0)) / 1000];
    });
    const { count, unit } = query.window ?? { count: 14, unit: 'day' };
    const longest = count * { second: 1, minute: 60, hour: 3600, day: 86_400, week: 604_800 }[unit];
    const within = TIMES.findIndex((end) => end >= longest);
    const ends = within === -1 ? [...TIMES, Number.POSITIVE_INFINITY] : TIMES.slice(0, within + 1);
    const isIn = (time: number, index: number) =>
      (index === 0 || time > (ends[index - 1] ?? 0)) && time <= (ends[index] ?? 0);
    return { series: [{ values: ends.map((_, index) => times.filter((time) => isIn(time, index)).length) }] };
  }
  const countsOf = (some: typeof people) =>
    query.steps.map((_, step) => some.filter((chains) => chains[step] !== undefined).length);
  const counts = countsOf(people);
  const steps = query.steps.map((step, index) => {
    const seconds = people
      .map((chains) => chains[index]?.events ?? [])
      .filter((chain) => chain.length > 1)
      .map((chain) => ((chain.at(-1)?.t ?? 0) - (chain.at(-2)?.t ?? 0)) / 1000)
      .sort((a, b) => a - b);
    const medianSeconds = seconds.length === 0 ? null : quantile(seconds, 0.5);
    const name =
      query.order === 'any' ? `${index + 1} step${index === 0 ? '' : 's'}` : (step.name ?? step.event);
    return { name, count: counts[index], medianSeconds, ...(step.optional && { optional: true }) };
  });
  const { breakdown } = query;
  if (breakdown === undefined) return { steps };
  const labelOfPerson = (chains: (Chain | undefined)[]) =>
    chains.findLast((chain, step) => chain !== undefined && query.steps[step]?.optional !== true)?.label ??
    'n';
  const shown = countBy(people, (chains) =>
    labelOfPerson(chains) === 'n' ? undefined : labelOfPerson(chains),
  )
    .slice(0, breakdown.limit ?? 10)
    .map(([label]) => label);
  const lineOf = (name: string, some: typeof people) => ({ name, values: countsOf(some) });
  const isShown = (label: string) => shown.includes(label);
  const series = [
    ...shown.map((label) =>
      lineOf(
        brokenName(label.slice(1), breakdown),
        people.filter((chains) => labelOfPerson(chains) === label),
      ),
    ),
    lineOf(
      'Other',
      people.filter((chains) => labelOfPerson(chains) !== 'n' && !isShown(labelOfPerson(chains))),
    ),
    lineOf(
      '(none)',
      people.filter((chains) => labelOfPerson(chains) === 'n'),
    ),
  ].filter(({ values }) => (values[0] ?? 0) > 0);
  return series.length === 0 ? { steps } : { steps, series };
}

const LEVELS = 5;

/** Returns the labels of a person's path in the order of time, or undefined for none. */
function pathIn(query: PathsQuery, own: readonly TestEvent[], days: Days): string[] | undefined {
  const { after, before, property, window = { count: 1, unit: 'day' } } = query;
  const ms =
    { second: 1000, minute: 60_000, hour: 3_600_000, day: DAY, week: 7 * DAY }[window.unit] * window.count;
  const all = own
    .map((event) => ({
      t: event.t,
      begins: after !== undefined && isChosen(event, after) && days.has(event.t),
      ends: before !== undefined && isChosen(event, before) && (after !== undefined || days.has(event.t)),
      label: (property === undefined ? undefined : labelOf(event, property)) ?? event.name,
    }))
    .sort(
      (one, other) =>
        one.t - other.t ||
        Number(one.begins) + 2 * Number(one.ends) - Number(other.begins) - 2 * Number(other.ends) ||
        (one.label < other.label ? -1 : 1),
    );
  const collapsed = (some: typeof all) =>
    some.map(({ label }) => label).filter((label, index, labels) => label !== labels[index - 1]);
  if (after === undefined) {
    const last = all.findLastIndex(({ ends }) => ends);
    const end = all[last];
    if (end === undefined) return undefined;
    return collapsed(all.slice(0, last + 1).filter(({ t }) => t >= end.t - ms)).slice(-LEVELS);
  }
  const endOf = (first: number) => all.findIndex(({ ends }, index) => ends && index > first);
  const first = all.findIndex(({ begins, t }, index) => {
    if (!begins || before === undefined) return begins;
    const end = all[endOf(index)];
    return end !== undefined && end.t - t <= ms;
  });
  const start = all[first];
  if (start === undefined) return undefined;
  const until = before === undefined ? all.length : endOf(first) + 1;
  return collapsed(all.slice(first, until).filter(({ t }) => t <= start.t + ms)).slice(0, LEVELS);
}

function paths(query: PathsQuery, events: readonly TestEvent[], days: Days): unknown {
  const found = [...Map.groupBy(events, personOf).values()].flatMap((own) => {
    const path = pathIn(query, own, days);
    return path === undefined ? [] : [path];
  });
  const isBack = query.after === undefined;
  const placed = found.map((path) => {
    const empty = Array<undefined>(LEVELS - path.length).fill(undefined);
    return isBack ? [...empty, ...path] : [...path, ...empty];
  });
  const levels = Array.from({ length: LEVELS }, (_, level) => {
    const counts = countBy(placed, (path) => path[level]);
    const shown = counts.slice(0, 10).map(([label]) => label);
    return [...shown, ...(counts.length > shown.length ? [null] : [])];
  });
  const placeOf = (level: number, label = '') => {
    const place = levels[level]?.indexOf(label) ?? -1;
    return place === -1 ? (levels[level]?.length ?? 0) - 1 : place;
  };
  const isAt = (path: (typeof placed)[number], level: number, place: number) =>
    path[level] !== undefined && placeOf(level, path[level]) === place;
  return {
    levels: levels.map((labels, level) =>
      labels.map((label, place) => {
        const some = placed.filter((path) => isAt(path, level, place));
        const next = level + (isBack ? -1 : 1);
        const ended = some.filter((path) => next >= 0 && next < LEVELS && path[next] === undefined);
        const isBetween = query.after !== undefined && query.before !== undefined;
        return {
          name: label === null ? 'Other' : [...label].slice(0, SHOWN_LENGTH).join('') || '(empty)',
          count: some.length,
          ...(isBetween ? {} : { ended: ended.length }),
        };
      }),
    ),
    links: levels.slice(1).flatMap((to, level) =>
      (levels[level] ?? []).flatMap((_, from) =>
        to.flatMap((_label, place) => {
          const some = placed.filter((path) => isAt(path, level, from) && isAt(path, level + 1, place));
          return some.length === 0 ? [] : [{ level, from, to: place, count: some.length }];
        }),
      ),
    ),
  };
}

function retention(query: RetentionQuery, { events, asOf }: Known, days: Days): unknown {
  const { breakdown } = query;
  /** The label of the start, the interval in which a person began, and what they count there and in each period. */
  const begun: { label: string; at: number; size: number; came: number[] }[] = [];
  const weighed = (some: readonly TestEvent[]) =>
    query.weight === undefined
      ? Math.min(1, some.length)
      : some.reduce((sum, event) => sum + (numeric(attributeOf(event, query.weight ?? '')) ?? 0), 0);
  for (const own of Map.groupBy(events, personOf).values()) {
    const labelled = own
      .filter((event) => isChosen(event, query.start))
      .map(({ t, ...event }) => {
        const label = breakdown && brokenLabel({ t, ...event }, breakdown);
        return { t, label: label === undefined ? 'n' : `v${label}` };
      });
    const starts = labelled.sort((a, b) => a.t - b.t || (a.label < b.label ? -1 : 1));
    const counted = (query.mode === 'every' ? starts : starts.slice(0, 1)).filter(({ t }) => days.has(t));
    const returns = own.filter((event) => isChosen(event, query.return));
    for (const [bucket, [start]] of Map.groupBy(counted, ({ t }) => days.bucket(t))) {
      if (start === undefined) throw new Error('No start.');
      const at = days.all().indexOf(bucket);
      const came = Array.from({ length: query.periods }, (_, period) =>
        weighed(
          returns.filter(({ t }) => {
            const [returned, wanted] = [days.bucket(t), days.all()[at + period] ?? ''];
            const isThen = query.retained === 'on_or_after' ? returned >= wanted : returned === wanted;
            return isThen && t >= start.t;
          }),
        ),
      );
      const first = own.filter(
        (event) => isChosen(event, query.start) && days.has(event.t) && days.bucket(event.t) === bucket,
      );
      begun.push({ label: start.label, at, size: weighed(first), came });
    }
  }
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  const rowOf = (name: string, some: typeof begun, intervals: readonly string[]) => ({
    name,
    size: Math.max(0, total(some.map(({ size }) => size))),
    values: Array.from({ length: query.periods }, (_, period) => {
      const over = intervals
        .map((bucket) => days.all().indexOf(bucket))
        .filter((at) => days.bucket(asOf) > (days.all()[at + period] ?? ''));
      const counted = some.filter(({ at }) => over.includes(at));
      const back = total(counted.map(({ came }) => came[period] ?? 0));
      const size = total(counted.map((one) => one.size));
      return size > 0 ? Math.round((back / size) * 1000) / 10 : null;
    }),
  });
  if (breakdown === undefined) {
    const isIn = (bucket: string) => begun.filter(({ at }) => days.all()[at] === bucket);
    return { rows: days.buckets.map((bucket) => rowOf(bucket, isIn(bucket), [bucket])) };
  }
  const sizes = countBy(begun, ({ label }) => (label === 'n' ? undefined : label));
  const shown = largest(new Map(sizes), breakdown.limit);
  const lines = [
    ...shown.map((label) => ({
      name: brokenName(label.slice(1), breakdown),
      some: begun.filter((one) => one.label === label),
    })),
    { name: 'Other', some: begun.filter(({ label }) => label !== 'n' && !shown.includes(label)) },
    { name: '(none)', some: begun.filter(({ label }) => label === 'n') },
  ].filter(({ some }, index, { length }) => some.length > 0 || (begun.length === 0 && index === length - 1));
  return { rows: lines.map(({ name, some }) => rowOf(name, some, days.buckets)) };
}

function stickiness(query: StickinessQuery, events: readonly TestEvent[], days: Days): unknown {
  return {
    series: query.series.map((one) => {
      const chosen = events.filter((event) => isChosen(event, one) && days.has(event.t));
      const active = [...Map.groupBy(chosen, personOf).values()].map(
        (own) => new Set(own.map(({ t }) => days.bucket(t))).size,
      );
      const isCounted = (count: number, n: number) => (query.cumulative ? count >= n : count === n);
      return {
        name: one.name ?? one.event,
        values: days.buckets.map((_, index) => active.filter((count) => isCounted(count, index + 1)).length),
      };
    }),
  };
}

function lifecycle(query: LifecycleQuery, events: readonly TestEvent[], days: Days): unknown {
  const values = { New: 0, Returning: 0, Resurrecting: 0, Dormant: 0 };
  const found = days.buckets.map(() => ({ ...values }));
  const chosen = events.filter(({ name }) => query.event === undefined || name === query.event);
  for (const own of Map.groupBy(chosen, personOf).values()) {
    const earliest = Math.min(...own.map(({ t }) => t));
    const activeIn = (bucket: string | undefined, inRange: boolean) =>
      own.filter(({ t }) => days.bucket(t) === bucket && (!inRange || days.has(t)));
    for (const [index, bucket] of days.buckets.entries()) {
      const states = found[index];
      if (states === undefined) continue;
      const now = activeIn(bucket, true);
      const before = activeIn(days.all()[days.all().indexOf(bucket) - 1], index > 0).length > 0;
      if (now.length === 0) states.Dormant -= before ? 1 : 0;
      else if (now.some(({ t }) => t === earliest)) states.New++;
      else if (before) states.Returning++;
      else states.Resurrecting++;
    }
  }
  return {
    buckets: days.buckets,
    series: (['New', 'Returning', 'Resurrecting', 'Dormant'] as const).map((name) => ({
      name,
      values: found.map((states) => states[name]),
    })),
  };
}

const COMPARED_LENGTH = 189;

/**
 * Normalizes a result where the reference leaves room: sums of fractions depend on their order, equal names are
 * numbered, and long ones cut.
 */
export function comparable(value: unknown): object {
  const text = JSON.stringify(value).replaceAll(/ \(\d+\)"/g, '"');
  return JSON.parse(text, (_name, part: unknown) => {
    if (typeof part === 'string') return part.slice(0, COMPARED_LENGTH);
    return typeof part === 'number' ? Math.round(part * 1e6) / 1e6 + 0 : part;
  });
}
