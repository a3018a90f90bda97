import type { Combination, DidCondition, EventChoice } from '@switchboard/contracts';
import type { Dialect } from '../engine/dialect.ts';
import { allOf, anyOf, COMMA, integer, join, numbered, type Sql, sql, text, whole } from '../engine/sql.ts';
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
 * The number of a fact about the people who fulfill the count, or do not fulfill it if 0 does: people without events
 * have no facts.
 */
interface Test {
  /** Assigned once all scans are known. */
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

/** The fact of everyone known. */
export const KNOWN = 0;
/** The facts of a group have one mask: a row of a person and a group, instead of one of each fact. */
const GROUP_SIZE = 50;

const groupOf = (k: number) => Math.floor(k / GROUP_SIZE);
const bitOf = (k: number) => k % GROUP_SIZE;
const groupsOf = (facts: readonly number[]) => [...new Set(facts.map(groupOf))];

const DAY_MS = 86_400_000;
/** An engine plans a query before a time-out can stop it, and each condition takes time. A mask has 53 bits. */
const MAX_COUNTERS = 50;
const MAX_CLAUSES = 200;
/** Bounds the masks of a row. */
const MAX_GROUPS = 10;
/** The longest prefix by which lists are divided. */
export const PREFIX_LENGTH = 3;

/** Plans one scan for the conditions of all cohorts about one event, as far as a query can hold them. */
export function planOf(cohorts: readonly BehaviouralCohort[], now: number): Plan {
  const counters = new Map<string, Counter>();
  const tests = new Map<string, Test>();

  function testOf({ event, where = [], count, within: { days } }: DidCondition): Test {
    const counterKey = JSON.stringify([event, where, days]);
    const counter = counters.get(counterKey) ?? {
      choice: { event, where },
      from: now - days * DAY_MS,
      tests: [],
    };
    counters.set(counterKey, counter);
    const key = JSON.stringify([counterKey, count]);
    const test = tests.get(key) ?? { k: KNOWN, count };
    if (!tests.has(key)) counter.tests.push(test);
    tests.set(key, test);
    return test;
  }

  const decided = cohorts.map(({ id, did, combine }) => {
    const testsOf = (isOfZero: boolean) => [
      ...new Set(did.filter(({ count }) => fulfils(count, 0) === isOfZero).map(testOf)),
    ];
    return { id, combine, has: testsOf(false), lacks: testsOf(true) };
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
  // In the order of the scans, so that each has few groups of facts.
  const ordered = scans.flatMap(({ counters: all }) => all.flatMap((counter) => counter.tests));
  for (const [index, test] of ordered.entries()) test.k = KNOWN + 1 + index;
  const numbers = (all: readonly Test[]) => all.map(({ k }) => k);
  const planned = decided.map(({ has, lacks, ...cohort }) => ({
    ...cohort,
    has: numbers(has),
    lacks: numbers(lacks),
  }));
  return { scans, cohorts: planned, next: KNOWN + 1 + ordered.length };
}

const fulfils = ({ gte, lte, eq }: DidCondition['count'], count: number): boolean =>
  gte === undefined ? (lte === undefined ? eq === count : count <= lte) : count >= gte;

function fulfilsIn({ gte, lte, eq }: DidCondition['count'], count: Sql): Sql {
  if (gte !== undefined) return sql`${count} >= ${integer(gte)}`;
  if (lte !== undefined) return sql`${count} <= ${integer(lte)}`;
  return sql`${count} = ${integer(eq ?? 0)}`;
}

/** Whether a count has a fact exactly if it is not 0. */
const isOfPresence = ({ gte, lte, eq }: DidCondition['count']): boolean => gte === 1 || lte === 0 || eq === 0;

/** Returns a number with the bits of the conditions that hold. Costs less to aggregate than each of them. */
const bitsOf = (conditions: Iterable<readonly [number, Sql]>): Sql =>
  join(
    Array.from(
      conditions,
      ([bit, condition]) => sql`case when ${condition} then ${whole(2 ** bit)} else 0 end`,
    ),
    sql` + `,
  );
/** The same, with the position of each condition as its bit. */
const maskOf = (conditions: readonly Sql[]): Sql => bitsOf(conditions.entries());

/** Returns a query of the masks of people: a row for each group with a fact that holds. */
function masksOf(dialect: Dialect, facts: ReadonlyMap<number, Sql>, people: Sql): Sql {
  const masks = Array.from(
    Map.groupBy(facts, ([k]) => groupOf(k)),
    ([group, all]) =>
      sql`when ${whole(group)} then ${bitsOf(all.map(([k, isFact]) => [bitOf(k), isFact] as const))}`,
  );
  const groups = join(groupsOf([...facts.keys()]).map(whole), COMMA);
  return sql`select k, p, mask from (select k, p, case k ${join(masks, sql` `)} else 0 end as mask
    from (select ${dialect.elements(sql`[${groups}]`)} as k, people.* from (${people}) as people) as spread) as masks
    where mask <> 0`;
}

/** Returns a query of the facts of a scan. */
export function factsOf({ event, from, to, counters }: Scan, source: Source): Sql {
  const { dialect } = source;
  const choices = counters.map(({ choice }) => choice);
  const selected = selectEvents({ source, names: [event], where: [], instants: { from, to } }, choices);
  // Counters differ more in days and counts than in conditions, which are the expensive part.
  const columns = new Map<string, { column: Sql; test: Sql }>();
  const counted = counters.map(({ choice, from: since }) => {
    const key = JSON.stringify(choice);
    const known = columns.get(key) ?? {
      column: numbered('w', columns.size),
      test: selected.matches(choice),
    };
    columns.set(key, known);
    return sql`t >= ${integer(since)} and ${known.column}`;
  });
  const tests = [...columns.values()].map(({ column, test }) => sql`, ${test} as ${column}`);
  const mask = sql`mask`;
  const counts = counters.map(({ tests }, index) =>
    tests.every(({ count }) => isOfPresence(count))
      ? sql``
      : sql`, count(case when ${dialect.hasBit(mask, index)} then 1 end) as ${numbered('c', index)}`,
  );
  const facts = new Map(
    counters.flatMap(({ tests }, index) =>
      tests.map(({ k, count }): [number, Sql] => {
        if (isOfPresence(count)) return [k, dialect.hasBit(sql`masks`, index)];
        const isFulfilled = fulfilsIn(count, numbered('c', index));
        return [k, fulfils(count, 0) ? sql`not (${isFulfilled})` : isFulfilled];
      }),
    ),
  );
  const people = sql`select p, bit_or(mask) as masks${join(counts, sql``)}
    from (select p, ${maskOf(counted)} as mask
      from (select p, t${join(tests, sql``)} from (${selected.relation}) as events) as tested) as masked
    where mask <> 0 group by p`;
  return masksOf(dialect, facts, people);
}

/** Returns a query of the people that a project knows, each named by the person of the id. */
export function knownPeople(ids: Sql, personIds: Sql | undefined): Sql {
  const known = sql`select p from ${ids} as ids where k = ${integer(-1)}`;
  const people =
    personIds === undefined
      ? known
      : sql`select distinct coalesce(own.person_id, known.p) as p
          from (${known}) as known left join ${personIds} as own on own.distinct_id = known.p`;
  return sql`select ${whole(groupOf(KNOWN))} as k, p, ${whole(2 ** bitOf(KNOWN))} as mask from (${people}) as people`;
}

/** Returns the fact of a cohort's members among those of the scans. Undefined if `membersOf` has to derive them. */
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
    if (last === undefined || facts.size > MAX_COUNTERS || last.cohorts.size >= MAX_CLAUSES)
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
  const groups = groupsOf([...cohorts.values()].flatMap(readBy));
  const has = (k: number) => dialect.hasBit(numbered('m', groups.indexOf(groupOf(k))), bitOf(k));
  const members = new Map(
    Array.from(cohorts, ([k, cohort]): [number, Sql] => {
      const conditions = [...cohort.has.map(has), ...cohort.lacks.map((one) => sql`not ${has(one)}`)];
      const isMember = (cohort.combine === 'any' ? anyOf : allOf)(conditions);
      const isKnown = cohort.lacks.length > 0 ? [anyOf(readBy(cohort).map(has))] : [];
      return [k, allOf([...isKnown, isMember])];
    }),
  );
  const masks = maskColumns(groups).map((mask, index) => sql`, ${mask} as ${numbered('m', index)}`);
  return masksOf(
    dialect,
    members,
    sql`select p${join(masks, sql``)} from ${inGroups(facts, groups)} group by p`,
  );
}

const inGroups = (facts: Sql, groups: readonly number[]): Sql =>
  sql`${facts} as facts where k in (${join(groups.map(whole), COMMA)})`;

/** Returns the mask of a person in each of these groups. */
const maskColumns = (groups: readonly number[]): Sql[] =>
  groups.map((group) => sql`bit_or(case when k = ${whole(group)} then mask else 0 end)`);

/** Divides facts into those that one query reads. */
export function readTogether(facts: readonly number[]): number[][] {
  const groups = groupsOf(facts);
  const parts = Map.groupBy(facts, (k) => Math.floor(groups.indexOf(groupOf(k)) / MAX_GROUPS));
  return [...parts.values()];
}

/** Returns a query for `eachPerson`: the bytes of each person's id and the person's masks. */
export function sizesOf(dialect: Dialect, read: readonly number[], facts: Sql): Sql {
  const groups = groupsOf(read);
  const words = join([dialect.bytesOf(sql`p`), ...maskColumns(groups)], COMMA);
  return sql`select '' as p, [${words}] as words, [''] as labels from ${inGroups(facts, groups)} group by p`;
}

/**
 * Returns a query for `eachPerson`, ordered by id: the masks of each person, and the first characters of the id's MD5.
 * `within` is the prefix of those that are read.
 */
export function membersByFact(
  dialect: Dialect,
  { read, within }: { read: readonly number[]; within: string | undefined },
  facts: Sql,
): Sql {
  const groups = groupsOf(read);
  const prefix = dialect.md5Prefix(sql`p`, PREFIX_LENGTH);
  const isWithin = within === undefined ? sql`` : sql` and ${dialect.md5Prefix(sql`p`, 1)} = ${text(within)}`;
  return sql`select p, [${join(maskColumns(groups), COMMA)}] as words, [${prefix}] as labels
    from ${inGroups(facts, groups)}${isWithin} group by p order by p`;
}

/** Returns a function that calls `visit` with each of these facts that the masks have. */
export function factsIn(read: readonly number[], visit: (k: number) => void) {
  const groups = groupsOf(read);
  const places = read.map((k) => {
    const bit = bitOf(k);
    return { k, word: groups.indexOf(groupOf(k)) * 2 + (bit < 32 ? 0 : 1), mask: 1 << (bit % 32) };
  });
  return (masks: Uint32Array): void => {
    for (const { k, word, mask } of places) if (((masks[word] ?? 0) & mask) !== 0) visit(k);
  };
}
