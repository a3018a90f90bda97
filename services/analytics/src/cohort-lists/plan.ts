import type { Combination, DidCondition, EventChoice } from '@switchboard/contracts';
import type { Dialect } from '../engine/dialect.ts';
import { allOf, anyOf, COMMA, integer, join, numbered, type Sql, sql, whole } from '../engine/sql.ts';
import { type Source, selectEvents } from '../selection/events.ts';

/** The conditions of a cohort on what people did. */
export interface BehaviouralCohort {
  id: string;
  did: readonly DidCondition[];
  combine: Combination;
}

/** Counts of one event, each of events that match a choice in the last days. */
interface Counter {
  choice: EventChoice;
  from: number;
  tests: Test[];
}

/**
 * The number of people with a fact, who fulfill the count, or do not fulfill it if 0 does: people without events have
 * no facts.
 */
interface Test {
  k: number;
  count: DidCondition['count'];
}

/** A scan of the events of one name. */
export interface Scan {
  event: string;
  from: number;
  to: number;
  counters: Counter[];
}

/** People are in the cohort by the facts that they have, and those that they lack. */
interface PlannedCohort {
  id: string;
  combine: Combination;
  has: number[];
  lacks: number[];
}

/** How the lists of cohorts are computed from few scans. */
export interface Plan {
  scans: Scan[];
  cohorts: PlannedCohort[];
  /** The first number that no test has. */
  next: number;
}

/** The `k` of everyone known. */
export const KNOWN = 0;

const DAY_MS = 86_400_000;
/** An engine plans a query before a time-out can stop it, and each condition takes time. */
const MAX_COUNTERS = 200;
/** The bits of a mask. */
const MAX_FACTS = 50;
const MAX_CLAUSES = 200;

/** Plans one scan for the conditions of all cohorts about one event, as far as a query can hold them. */
export function planOf(cohorts: readonly BehaviouralCohort[], now: number): Plan {
  const counters = new Map<string, Counter>();
  const tests = new Map<string, Test>();

  function testOf({ event, where = [], count, within: { days } }: DidCondition): number {
    const counterKey = JSON.stringify([event, where, days]);
    const counter = counters.get(counterKey) ?? {
      choice: { event, where },
      from: now - days * DAY_MS,
      tests: [],
    };
    counters.set(counterKey, counter);
    const key = JSON.stringify([counterKey, count]);
    const test = tests.get(key) ?? { k: KNOWN + 1 + tests.size, count };
    if (!tests.has(key)) counter.tests.push(test);
    tests.set(key, test);
    return test.k;
  }

  const planned = cohorts.map(({ id, did, combine }) => {
    const numbers = (isOfZero: boolean) => [
      ...new Set(did.filter(({ count }) => fulfils(count, 0) === isOfZero).map(testOf)),
    ];
    return { id, combine, has: numbers(false), lacks: numbers(true) };
  });
  const scans: Scan[] = [];
  for (const [event, all] of Map.groupBy(counters.values(), ({ choice }) => choice.event)) {
    let clauses = Number.POSITIVE_INFINITY;
    for (const counter of all) {
      const more = counter.choice.where?.length ?? 0;
      const last = scans.at(-1);
      clauses += more;
      if (last === undefined || clauses > MAX_CLAUSES || last.counters.length >= MAX_COUNTERS) {
        scans.push({ event, from: counter.from, to: now, counters: [counter] });
        clauses = more;
      } else {
        last.counters.push(counter);
        last.from = Math.min(last.from, counter.from);
      }
    }
  }
  return { scans, cohorts: planned, next: KNOWN + 1 + tests.size };
}

const fulfils = ({ gte, lte, eq }: DidCondition['count'], count: number): boolean =>
  gte === undefined ? (lte === undefined ? eq === count : count <= lte) : count >= gte;

function fulfilsIn({ gte, lte, eq }: DidCondition['count'], count: Sql): Sql {
  if (gte !== undefined) return sql`${count} >= ${integer(gte)}`;
  if (lte !== undefined) return sql`${count} <= ${integer(lte)}`;
  return sql`${count} = ${integer(eq ?? 0)}`;
}

/** Returns a number with one bit for each of these conditions. Costs less to aggregate than each of them. */
const maskOf = (conditions: readonly Sql[]): Sql =>
  join(
    conditions.map((condition, bit) => sql`case when ${condition} then ${whole(2 ** bit)} else 0 end`),
    sql` + `,
  );

/**
 * Returns a query of the facts of a scan. Counts the events of each person between two beginnings of windows once: a
 * window is the sum of those since its beginning.
 */
export function factsOf({ event, from, to, counters }: Scan, source: Source): Sql {
  const { dialect } = source;
  const choices = counters.map(({ choice }) => choice);
  const selected = selectEvents({ source, names: [event], where: [], instants: { from, to } }, choices);
  const keys = choices.map((choice) => JSON.stringify(choice));
  // Counters differ more in days and counts than in conditions, which are the expensive part.
  const matching = (index: number) => numbered('w', keys.indexOf(keys[index] ?? ''));
  const tests = choices.map((choice, index) =>
    keys.indexOf(keys[index] ?? '') < index
      ? sql``
      : sql`, count(case when ${selected.matches(choice)} then 1 end) as ${matching(index)}`,
  );
  // Latest first.
  const begins = [...new Set(counters.map((counter) => counter.from))].sort((one, other) => other - one);
  const part = join(
    begins.map((begin, index) => sql`when t >= ${integer(begin)} then ${whole(index)}`),
    sql` `,
  );
  const counts = counters.map(
    ({ from: begin }, index) =>
      sql`, sum(case when part <= ${whole(begins.indexOf(begin))} then ${matching(index)} else 0 end) as ${numbered('c', index)}`,
  );
  const facts = counters.flatMap(({ tests: all }, index) =>
    all.map(({ k, count }) => {
      const isFulfilled = fulfilsIn(count, numbered('c', index));
      const isFact = fulfils(count, 0) ? sql`not (${isFulfilled})` : isFulfilled;
      return sql`case when ${isFact} then ${integer(k)} else ${integer(-1)} end`;
    }),
  );
  const people = sql`select p${join(counts, sql``)}
    from (select p, case ${part} end as part${join(tests, sql``)}
      from (${selected.relation}) as events group by p, part) as counted group by p`;
  return sql`select k, p from (select ${dialect.elements(sql`[${join(facts, COMMA)}]`)} as k, p from (${people}) as people) as facts where k >= 0`;
}

/** Returns a query of the people that a project knows, each named by the person of the id. */
export function knownPeople(ids: Sql, personIds: Sql | undefined): Sql {
  const known = sql`select p from ${ids} as ids where k = ${integer(-1)}`;
  return personIds === undefined
    ? sql`select ${integer(KNOWN)} as k, p from (${known}) as known`
    : sql`select distinct ${integer(KNOWN)} as k, coalesce(own.person_id, known.p) as p
        from (${known}) as known left join ${personIds} as own on own.distinct_id = known.p`;
}

/** Returns the `k` of a cohort's members among the facts of the scans. Undefined if `membersOf` has to derive them. */
export function factOf({ has, lacks }: PlannedCohort): number | undefined {
  return lacks.length === 0 && has.length === 1 ? has[0] : undefined;
}

/** Cohorts with members that one query derives from facts, by the number that they get. */
export type Derivation = ReadonlyMap<number, PlannedCohort>;

/**
 * Numbers cohorts that follow from several facts, the same ones once. Returns the number of each cohort, and divides
 * them among few queries, because each reads the facts of everyone.
 */
export function derivationsOf(cohorts: readonly PlannedCohort[], first: number) {
  const numbers = new Map<string, number>();
  const byId = new Map<string, number>();
  const batches: { facts: Set<number>; cohorts: Map<number, PlannedCohort> }[] = [];
  for (const cohort of cohorts) {
    const key = JSON.stringify([cohort.combine, cohort.has, cohort.lacks]);
    const k = numbers.get(key) ?? first + numbers.size;
    byId.set(cohort.id, k);
    if (numbers.has(key)) continue;
    numbers.set(key, k);
    const last = batches.at(-1);
    const facts = new Set([...(last?.facts ?? []), ...readBy(cohort)]);
    if (last === undefined || facts.size > MAX_FACTS || last.cohorts.size >= MAX_CLAUSES)
      batches.push({ facts: new Set(readBy(cohort)), cohorts: new Map([[k, cohort]]) });
    else {
      last.facts = facts;
      last.cohorts.set(k, cohort);
    }
  }
  return { byId, derivations: batches.map((batch): Derivation => batch.cohorts) };
}

/** Returns the facts that decide about the members of a cohort. */
const readBy = ({ has, lacks }: PlannedCohort) => [...(lacks.length > 0 ? [KNOWN] : []), ...has, ...lacks];

/** Returns a query of the members of cohorts as facts. */
export function membersOf(dialect: Dialect, cohorts: Derivation, facts: Sql): Sql {
  const read = [...new Set([...cohorts.values()].flatMap(readBy))];
  const bits = new Map(read.map((k, bit) => [k, bit]));
  const has = (k: number) => dialect.hasBit(sql`masks`, bits.get(k) ?? 0);
  const members = Array.from(cohorts, ([k, cohort]) => {
    const conditions = [...cohort.has.map(has), ...cohort.lacks.map((one) => sql`not ${has(one)}`)];
    const isMember = (cohort.combine === 'any' ? anyOf : allOf)(conditions);
    const isKnown = cohort.lacks.length > 0 ? [anyOf(readBy(cohort).map(has))] : [];
    return sql`case when ${allOf([...isKnown, isMember])} then ${integer(k)} else ${integer(-1)} end`;
  });
  const mask = maskOf(read.map((k) => sql`k = ${whole(k)}`));
  return sql`select k, p from (select ${dialect.elements(sql`[${join(members, COMMA)}]`)} as k, p
    from (select p, bit_or(${mask}) as masks from ${facts} as facts where k in (${join(read.map(whole), COMMA)})
      group by p) as counted) as members
    where k >= 0`;
}

/** Returns a query of the number of people with each of these facts, and of the bytes of their ids. */
export function sizesOf(dialect: Dialect, numbers: readonly number[], facts: Sql): Sql {
  return sql`select k::integer as k, count(*)::double as size, sum(${dialect.bytesOf(sql`p`)})::double as bytes
    from ${facts} as facts where k in (${join(numbers.map(whole), COMMA)}) group by k`;
}

/** Returns a query of the parts of lists, by fact and prefix. `within` is the prefix that all have. */
export function partsOf(
  dialect: Dialect,
  { numbers, depth, within }: { numbers: readonly number[]; depth: number; within: Sql | undefined },
  facts: Sql,
): Sql {
  const isWithin = within === undefined ? sql`` : sql` and ${dialect.md5Prefix(sql`p`, 1)} = ${within}`;
  return sql`select k::integer as k, prefix, ${dialect.jsonOfTexts(sql`p`)} as members
    from (select k, p, ${dialect.md5Prefix(sql`p`, depth)} as prefix from ${facts} as facts
      where k in (${join(numbers.map(whole), COMMA)})${isWithin}) as divided
    group by k, prefix`;
}
