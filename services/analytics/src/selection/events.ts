import type { EventChoice, InsightClause } from '@switchboard/contracts';
import type { Calendar, Instants } from '../calendar/calendar.ts';
import { isAboutPerson, isOfPerson, parseAttribute } from '../conditions/attributes.ts';
import { clausesIn } from '../conditions/clauses.ts';
import {
  attributeOf,
  belongsTo,
  type Cohort,
  cohortsIn,
  isAboutCohorts,
  type TestAttribute,
} from '../conditions/cohorts.ts';
import { COUNTRY, TIME_ZONE } from '../engine/countries.ts';
import type { Dialect } from '../engine/dialect.ts';
import {
  allOf,
  anyOf,
  COMMA,
  FALSE,
  integer,
  integers,
  join,
  numbered,
  type Sql,
  sql,
  TRUE,
  text,
} from '../engine/sql.ts';
import type { RowsOf } from '../kept/kept-rows.ts';
import type { Counter } from '../timelines/counts.ts';
import { personOf } from './person.ts';

/** Rows of a query that are kept for some files, and the events of the other files. */
interface Kept {
  rows: Sql;
  events: Sql;
}

/** The data that queries read: rows of archived events, and the traits of people. */
export interface Source {
  /** The SQL dialect of the engine that has the data. */
  dialect: Dialect;
  projectId: string;
  /** A relation with the columns of an archived file. */
  events: Sql;
  /**
   * A relation of the distinct_id and person_id of each id that belongs to a person with another id. Absent if there
   * are none, or if the query does not read who the person of an event is.
   */
  personIds?: Sql | undefined;
  /** A relation of distinct_id (the person), and traits and groups as JSON. Absent if the query reads none. */
  people?: Sql | undefined;
  /**
   * Finds the rows that a function returns for a relation of events. Undefined if none are kept. Absent if events are not
   * in files.
   */
  kept?: ((rowsOf: (events: Sql) => Sql) => Kept | undefined) | undefined;
  /**
   * Counts people in the events by person that are kept of queries of `TimelineRows`. Undefined if too little is kept. Absent
   * if events are not in files.
   */
  countPeople?: (<C>(queries: readonly RowsOf[], counter: Counter<C>) => Promise<C | undefined>) | undefined;
  /** Whether events of known bots count. */
  hasBots?: boolean | undefined;
  /** The existing cohorts of the query, by id. */
  cohorts: ReadonlyMap<string, Cohort>;
}

interface Selection {
  source: Source;
  /** The names of the events to select; undefined for all. */
  names: readonly string[] | undefined;
  /** Conditions on every event. */
  where: readonly InsightClause[];
  /** When the events occurred. */
  instants?: Partial<Instants>;
  /** Whether the query reads `p`. Finding the person of each event costs a join. */
  readsPerson?: boolean;
}

/** The events that fulfill the conditions, with the data that a query reads. */
export interface SelectedEvents {
  /**
   * A relation of `t` (milliseconds since 1970), `p` (the person), `id`, `event_name`, and one column per attribute.
   */
  relation: Sql;
  /** Whether an event matches a choice, for use outside of `relation`. */
  matches(choice: EventChoice): Sql;
  /** Returns the JSON of an attribute, for use outside of `relation`. */
  attribute(name: string): Sql;
  /** Returns the text shown for an attribute of `labels`, for use outside of `relation`. */
  label(name: string): Sql;
}

/** Prepares a selection that distinguishes `choices`, and reads `attributes` and the labels of others. */
export function selectEvents(
  { source, names, where, instants: { from, to, gaps = [] } = {}, readsPerson = true }: Selection,
  choices: readonly EventChoice[],
  { attributes = [], labels = [] }: { attributes?: readonly string[]; labels?: readonly string[] } = {},
): SelectedEvents {
  const { dialect } = source;
  const fulfils = clausesIn(dialect);
  const clauses = [...where, ...choices.flatMap((choice) => choice.where ?? [])];
  const ids = clauses.filter(isAboutCohorts).flatMap((clause) => cohortsIn(clause) ?? []);
  // An unknown cohort has no members.
  const cohorts = [...new Set(ids)].flatMap((id) => {
    const cohort = source.cohorts.get(id);
    return cohort === undefined ? [] : [{ id, cohort }];
  });
  const read = [
    ...new Set([
      ...clauses.filter((clause) => !isAboutCohorts(clause)).map((clause) => clause.attribute),
      ...cohorts.flatMap(({ cohort }) => cohort.match.map(attributeOf)),
      ...attributes,
      ...labels.filter((name) => documentOf(name) === undefined),
    ]),
  ];
  // Reads the label directly, which is cheaper than deriving it from the JSON of the value.
  const labelled = [...new Set(labels)].flatMap((name, index) => {
    const found = documentOf(name);
    return found === undefined ? [] : [{ name, column: numbered('l', index), ...found }];
  });
  const columns = new Map(read.map((name, index) => [name, numbered('a', index)]));
  const attribute = (name: string): Sql => {
    const column = columns.get(name);
    if (column === undefined) throw new Error('An attribute is not part of the selection.');
    return column;
  };
  const isIn = new Map(cohorts.map(({ id }, index) => [id, numbered('k', index)]));
  const isByPerson =
    readsPerson || cohorts.length > 0 || read.some((name) => isAboutPerson(parseAttribute(name)));
  const personIds = isByPerson ? source.personIds : undefined;
  const ofPerson = personOf(dialect, personIds);
  const testValue: TestAttribute = (clause) => {
    const value = attribute(clause.attribute);
    return isId(clause.attribute) ? ofPerson.fulfils(clause, value) : fulfils(clause, value);
  };
  const test = (clause: InsightClause): Sql => {
    if (!isAboutCohorts(clause)) return testValue(clause);
    const named = cohortsIn(clause);
    if (named === undefined) return FALSE;
    const isInAny = anyOf(named.flatMap((id) => isIn.get(id) ?? []));
    return clause.op === 'in_cohort' ? isInAny : sql`(not ${isInAny})`;
  };
  const all = (list: readonly InsightClause[]) => allOf(list.map(test));
  const conditions = [
    sql`project_id = ${text(source.projectId)}`,
    ...(source.hasBots === true ? [] : [sql`not bot`]),
    ...(names === undefined
      ? []
      : [
          sql`event_name in (${join(
            [...new Set(names)].map((name) => sql`${text(name)}`),
            COMMA,
          )})`,
        ]),
    ...(from === undefined ? [] : [sql`occurred_at >= ${dialect.instant(from)}`]),
    ...(to === undefined ? [] : [sql`occurred_at < ${dialect.instant(to)}`]),
    ...gaps.map(
      (gap) =>
        sql`not (occurred_at >= ${dialect.instant(gap.from)} and occurred_at < ${dialect.instant(gap.to)})`,
    ),
  ];
  const extracted = read.map((name, index) => ({ name, column: numbered('a', index) }));
  const ofPeople = extracted.filter(({ name }) => isOfPerson(parseAttribute(name)));
  const person = personIds === undefined ? sql`e.distinct_id` : sql`e.person_id`;
  const columnsOf = (list: typeof extracted) =>
    join(
      list.map(({ name, column }) => sql`, ${extract(dialect, name, person)} as ${column}`),
      sql``,
    );
  const joined =
    ofPeople.length === 0
      ? sql``
      : sql` left join (select distinct_id${columnsOf(ofPeople)} from ${peopleOf(source)} as person) as person
          on person.distinct_id = ${person}${dialect.inLittleMemory}`;
  const ofEvents = columnsOf(extracted.filter(({ name }) => !isOfPerson(parseAttribute(name))));
  const asLabels = join(
    labelled.map(
      ({ document, property, column }) => sql`, ${dialect.labelOfProperty(document, property)} as ${column}`,
    ),
    sql``,
  );
  const fromPeople = join(
    ofPeople.map(({ column }) => sql`, ${dialect.joined(sql`person.${column}`)} as ${column}`),
    sql``,
  );
  const selected = sql`select ${dialect.millisOf(sql`e.occurred_at`)} as t, ${person} as p, e.event_id as id, e.event_name as event_name${ofEvents}${asLabels}${fromPeople}
    from (${ofPerson.withPerson(sql`select * from ${source.events} where ${join(conditions, sql` and `)}`)}) as e${joined}`;
  const memberships = cohorts.map(
    ({ cohort }, index) =>
      sql`, ${belongsTo(dialect, cohort, { test: testValue, isAnyOf: ofPerson.isAnyOf })} as ${numbered('k', index)}`,
  );
  const told = cohorts.length === 0 ? selected : sql`select *${join(memberships, sql``)} from (${selected})`;
  const isOfName = (event: string) =>
    names?.every((name) => name === event) ? TRUE : sql`event_name = ${text(event)}`;
  return {
    relation: sql`select * from (${told}) where ${all(where)}`,
    matches: ({ event, where: more = [] }) => sql`(${isOfName(event)} and ${all(more)})`,
    attribute,
    label: (name) => labelled.find((one) => one.name === name)?.column ?? dialect.labelOf(attribute(name)),
  };
}

const isId = (name: string) => parseAttribute(name).of === 'distinct_id';

function peopleOf({ people }: Source): Sql {
  if (people === undefined) throw new Error('The query reads people, but the source has none.');
  return people;
}

function extract(dialect: Dialect, text: string, person: Sql): Sql {
  const { jsonOf, partOf, propertyOf } = dialect;
  const attribute = parseAttribute(text);
  switch (attribute.of) {
    case 'distinct_id':
      return jsonOf(person);
    case 'session_id':
      return jsonOf(sql`e.session_id`);
    case 'property':
      return attribute.name === COUNTRY ? countryIn(dialect) : propertyOf(sql`e.properties`, attribute.name);
    case 'context':
      return propertyOf(sql`e.context`, attribute.name);
    case 'trait':
      return propertyOf(sql`person.traits`, attribute.name);
    case 'group':
      return partOf(propertyOf(sql`person.groups`, attribute.type), [attribute.name]);
  }
}

function countryIn({ countryOf, either, propertyOf }: Dialect): Sql {
  const property = (name: string) => propertyOf(sql`e.properties`, name);
  return either(property(COUNTRY), countryOf(property(TIME_ZONE)));
}

/** Returns the column and property of an attribute of the event itself; undefined for other attributes. */
function documentOf(text: string): { document: Sql; property: string } | undefined {
  const attribute = parseAttribute(text);
  // A country may follow from another property.
  if (attribute.of === 'property' && attribute.name === COUNTRY) return undefined;
  if (attribute.of === 'property') return { document: sql`e.properties`, property: attribute.name };
  if (attribute.of === 'context') return { document: sql`e.context`, property: attribute.name };
  return undefined;
}

/** Returns the bucket of a column `t`, which must be within `calendar.around`. */
export function bucketAt({ elementOf, quotient }: Dialect, calendar: Calendar): Sql {
  const { buckets, mapped, unitMs } = calendar;
  const [zero = 0] = buckets;
  const width = widthOf(buckets);
  const since = sql`t + ${offsetAt(calendar)} - ${integer(mapped * unitMs)}`;
  return width === undefined
    ? elementOf(integers(buckets), sql`${quotient(since, unitMs)} + 1`)
    : sql`(${quotient(since, unitMs * width)} + ${integer(zero)})`;
}

/** Returns the UTC offset of local time at a column `t`. */
function offsetAt({ stretches }: Calendar): Sql {
  const [last, ...before] = stretches.toReversed();
  return before
    .toReversed()
    .reduceRight(
      (otherwise, stretch) =>
        sql`case when t < ${integer(stretch.until)} then ${integer(stretch.offset)} else ${otherwise} end`,
      sql`${integer(last?.offset ?? 0)}`,
    );
}

/** Returns the number of units per bucket; undefined if it varies. Computing a bucket is cheaper than a look-up. */
function widthOf(buckets: readonly number[]): number | undefined {
  const [zero = 0] = buckets;
  const next = buckets.findIndex((bucket) => bucket !== zero);
  const width = next === -1 ? buckets.length : next;
  return buckets.every((bucket, index) => bucket === zero + Math.floor(index / width)) ? width : undefined;
}

/** Whether a column `t` is one of these instants. */
export function isWithin({ from, to, gaps }: Instants): Sql {
  return allOf([
    sql`t >= ${integer(from)} and t < ${integer(to)}`,
    ...gaps.map((gap) => sql`not (t >= ${integer(gap.from)} and t < ${integer(gap.to)})`),
  ]);
}

/** The events that rows are selected from, and the rows' time. */
export interface SelectedFrom {
  source: Source;
  instants: Partial<Instants>;
  /** The column `t` of rows, over the column t of events. */
  time: Sql;
}

const DAY_MS = 86_400_000;
const GRAINS = [DAY_MS, DAY_MS / 24, DAY_MS / 96];

/**
 * Returns a relation of rows that may be kept for each file: `select` returns them, with the time `t` of each rounded down
 * to a part of a day that no interval divides, and with ids as persons `p`. Undefined if nothing is kept.
 *
 * A kept row depends on one file alone: not on the range of a query, and not on which ids are of one person.
 */
export function keptRows(
  source: Source,
  { calendar, hasPersons }: { calendar: Calendar; hasPersons: boolean },
  select: (from: SelectedFrom) => Sql,
): Sql | undefined {
  const grain = grainOf(calendar);
  if (source.kept === undefined || grain === undefined) return undefined;
  const millis = integer(grain);
  const time = sql`t - ((t % ${millis}) + ${millis}) % ${millis} as t`;
  const rowsOf = (events: Sql, within: Partial<Instants> = {}) =>
    select({ source: { ...source, events, personIds: undefined }, instants: within, time });
  const found = source.kept(rowsOf);
  if (found === undefined) return undefined;
  const rows = sql`select * from (select * from ${found.rows} union all ${rowsOf(found.events, calendar)}) as known where ${isWithin(calendar)}`;
  if (!hasPersons || source.personIds === undefined) return rows;
  return sql`select known.* replace (coalesce(own.person_id, known.p) as p)
    from (${rows}) as known left join ${source.personIds} as own on own.distinct_id = known.p`;
}

/** Returns the longest part of a day that divides none of a calendar's intervals, in milliseconds. */
function grainOf({ unitMs, stretches }: Calendar): number | undefined {
  const bounds = stretches.flatMap(({ until, offset }) => [
    offset,
    ...(Number.isFinite(until) ? [until] : []),
  ]);
  return GRAINS.find((grain) => grain <= unitMs && bounds.every((bound) => bound % grain === 0));
}
