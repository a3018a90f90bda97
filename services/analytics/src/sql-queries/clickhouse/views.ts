import type { View } from '../query.ts';

/**
 * The queries of the views. PREWHERE makes ClickHouse select the rows of the project before it evaluates a condition of
 * the query: otherwise, a condition that fails on a row of another project would show that the row exists.
 */

const isOfProject = (table: string) => `${table}.project_id = {PROJECT:String}`;

/** JSON is never null, because ClickHouse extracts no list from a value that may be null. */
const SENT = `select e.event_id as event_id, e.event_name as name, e.distinct_id as distinct_id,
  e.session_id as session_id, e.occurred_at as occurred_at, e.received_at as received_at,
  ifNull(e.properties, '{}') as properties, ifNull(e.context, '{}') as context, e.bot as bot
  from events as e prewhere ${isOfProject('e')}
  where e.occurred_at >= fromUnixTimestamp64Milli({FROM:Int64}, 'UTC')
    and e.occurred_at < fromUnixTimestamp64Milli({TO:Int64}, 'UTC')`;

const PERSONS = `left join (select i.distinct_id as distinct_id, i.person_id as person_id
    from person_ids as i final prewhere ${isOfProject('i')}) as own on own.distinct_id = sent.distinct_id`;

/** How a query reads the persons of events. Their ids cost a join where a person has several. */
export type Persons = 'joined' | 'single' | 'unread';

const PERSON: Record<Persons, string> = {
  joined: 'coalesce(own.person_id, sent.distinct_id) as person_id,',
  single: 'sent.distinct_id as person_id,',
  unread: '',
};

const eventsOf = (persons: Persons) => `select sent.event_id as event_id, sent.name as name,
  sent.distinct_id as distinct_id, ${PERSON[persons]} sent.session_id as session_id, sent.occurred_at as occurred_at,
  sent.received_at as received_at, sent.properties as properties, sent.context as context, sent.bot as bot
  from (${SENT}) as sent ${persons === 'joined' ? PERSONS : ''}`;

/** Every column is named with its table, so that no name in the query can take its place. */
export const viewsOf = (persons: Persons): Record<View, string> => ({
  events: eventsOf(persons),
  sessions: `select e.session_id as session_id, argMin(e.person_id, e.occurred_at) as person_id,
    min(e.occurred_at) as started_at, max(e.occurred_at) as ended_at, count() as events
    from (${eventsOf(persons)}) as e where e.session_id is not null group by e.session_id`,
  people: `select c.person_id as person_id, c.traits as traits, c.groups as groups,
    c.first_seen_at as first_seen_at, c.last_seen_at as last_seen_at
    from sql_people as c prewhere c.run = {RUN:String}`,
  groups: `select c.type as type, c.id as id, c.traits as traits, c.members as members,
    c.first_seen_at as first_seen_at, c.last_seen_at as last_seen_at
    from sql_groups as c prewhere c.run = {RUN:String}`,
});

/** The parameters of the views. Those of queries are in lower case. */
export interface ViewParameters {
  PROJECT: string;
  /** Identifies the copies of people and groups. */
  RUN: string;
  FROM: number;
  TO: number;
}

/** Conditions of tables. */
const OF_PROJECT = ['events', 'person_ids'];
const OF_RUN = ['sql_people', 'sql_groups'];
const CLOSED = [
  ...['cohort_facts', 'event_keys', 'groups', 'people', 'project_versions', 'question_people'],
  ...['schema_migrations'],
];

/**
 * Returns conditions of tables, with which ClickHouse itself hides the rows of other projects, even if a query could
 * name a table. Hex needs no escaping.
 */
export function filtersOf({ PROJECT, RUN }: Pick<ViewParameters, 'PROJECT' | 'RUN'>): Record<string, string> {
  const all = (tables: readonly string[], condition: string) => tables.map((table) => [table, condition]);
  const equals = (text: string) => `= unhex(\\'${Buffer.from(text).toString('hex')}\\')`;
  return Object.fromEntries([
    ...all(OF_PROJECT, `project_id ${equals(PROJECT)}`),
    ...all(OF_RUN, `run ${equals(RUN)}`),
    ...all(CLOSED, '0'),
  ]);
}
