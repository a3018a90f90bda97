import type { EventChoice, InsightClause } from '@switchboard/contracts';
import {
  allOf,
  COMMA,
  integer,
  integers,
  join,
  number,
  numbered,
  type Sql,
  sql,
  text,
} from '../engine/sql.ts';
import type { Calendar, Span } from './calendar.ts';
import { fulfils, partOf, Unanswerable } from './clauses.ts';

const GROUP_ATTRIBUTE = /^group\.([^.]+)\.(.+)$/s;
const PERSON_ATTRIBUTE = /^(?:trait|group)\./s;

/** What questions are asked of: rows of archived events, and of people where `needsPeople` says so. */
export interface Source {
  projectId: string;
  /** A relation with the columns of an archived file. */
  events: Sql;
  /** A relation of distinct_id, and traits and groups as JSON. */
  people?: Sql;
}

/** Whether a question reads traits or groups, which the files do not have. */
export function needsPeople(attributes: readonly string[]): boolean {
  return attributes.some((name) => PERSON_ATTRIBUTE.test(name));
}

interface Selection {
  source: Source;
  /** Names of the events that matter; undefined for all. */
  names: readonly string[] | undefined;
  /** Conditions on every event. */
  where: readonly InsightClause[];
  /** Instants, the first included. */
  from?: number;
  to?: number;
}

/** Events under these conditions with what a question reads of them. */
export interface SelectedEvents {
  /** A query of `t` (milliseconds since 1970), `p` (distinct id), `id`, `event_name`, and a column per attribute. */
  query: Sql;
  /** Whether an event is chosen, for use outside of `query`. */
  matches(choice: EventChoice): Sql;
  /** The JSON of an attribute, for use outside of `query`. */
  attribute(name: string): Sql;
}

/** Prepares a selection in which `choices` are told apart and `attributes` are read. */
export function selectEvents(
  { source, names, where, from, to }: Selection,
  choices: readonly EventChoice[],
  attributes: readonly string[] = [],
): SelectedEvents {
  const clauses = [...where, ...choices.flatMap((choice) => choice.where ?? [])];
  const read = [...new Set([...clauses.map(({ attribute }) => attribute), ...attributes])];
  const columns = new Map(read.map((name, index) => [name, numbered('a', index)]));
  const attribute = (name: string): Sql => {
    const column = columns.get(name);
    if (column === undefined) throw new Error('An attribute is not part of the selection.');
    return column;
  };
  const all = (list: readonly InsightClause[]) =>
    allOf(list.map((clause) => fulfils(clause, attribute(clause.attribute))));
  const conditions = [
    sql`project_id = ${text(source.projectId)}`,
    ...(names === undefined
      ? []
      : [
          sql`event_name in (${join(
            [...new Set(names)].map((name) => sql`${text(name)}`),
            COMMA,
          )})`,
        ]),
    ...(from === undefined ? [] : [sql`occurred_at >= make_timestamptz(${integer(from * 1000)})`]),
    ...(to === undefined ? [] : [sql`occurred_at < make_timestamptz(${integer(to * 1000)})`]),
  ];
  const people = needsPeople(read);
  if (people && source.people === undefined) throw new Unanswerable('people are not available');
  const joined =
    people && source.people !== undefined
      ? sql` left join ${source.people} as person on person.distinct_id = e.distinct_id`
      : sql``;
  const extracted = read.map((name, index) => sql`, ${extract(name)} as ${numbered('a', index)}`);
  return {
    query: sql`select * from (select epoch_ms(e.occurred_at) as t, e.distinct_id as p, e.event_id as id, e.event_name as event_name${join(
      extracted,
      sql``,
    )} from (select * from ${source.events} where ${join(conditions, sql` and `)}) as e${joined}) where ${all(where)}`,
    matches: ({ event, where: more = [] }) => sql`(event_name = ${text(event)} and ${all(more)})`,
    attribute,
  };
}

/** A text that is not JSON, such as one with half a surrogate pair, has no parts. */
function extract(name: string): Sql {
  if (name === 'distinct_id') return sql`to_json(e.distinct_id)`;
  if (name === 'session_id') return sql`to_json(e.session_id)`;
  const [, type, trait] = GROUP_ATTRIBUTE.exec(name) ?? [];
  if (type !== undefined && trait !== undefined) return sql`try(${partOf(sql`person.groups`, type, trait)})`;
  if (name.startsWith('trait.')) return sql`try(${partOf(sql`person.traits`, name.slice('trait.'.length))})`;
  if (name.startsWith('context.')) return sql`try(${partOf(sql`e.context`, name.slice('context.'.length))})`;
  return sql`try(${partOf(sql`e.properties`, name)})`;
}

/** The local unit of a column `t` of instants. */
function unitAt({ stretches, unitMs }: Calendar): Sql {
  const [last, ...before] = stretches.toReversed();
  const offset = before
    .toReversed()
    .reduceRight(
      (otherwise, stretch) =>
        sql`case when t < ${integer(stretch.until)} then ${integer(stretch.offset)} else ${otherwise} end`,
      sql`${integer(last?.offset ?? 0)}`,
    );
  return sql`floor((t + ${offset}) / ${number(unitMs)})::bigint`;
}

/** Adds `u`, the local unit of each row, and `b`, its bucket: null outside of the calendar. */
export function withBuckets(query: Sql, calendar: Calendar): Sql {
  const place = sql`u - ${integer(calendar.mapped)}`;
  return sql`select *, case when ${place} >= 0 and ${place} < ${integer(calendar.buckets.length)}
    then list_extract(${integers(calendar.buckets)}, (${place} + 1)::bigint) end as b
    from (select *, ${unitAt(calendar)} as u from (${query}))`;
}

/** Whether a row lies in the span itself. */
export function isInSpan({ first, last }: Span): Sql {
  return sql`(u between ${integer(first)} and ${integer(last)})`;
}
