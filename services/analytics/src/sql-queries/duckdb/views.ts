import { quoted } from '../../engine/quoted.ts';
import type { SqlData } from './calls.ts';

const listed = (texts: readonly string[]) => `[${texts.map(quoted).join(', ')}]`;
const instant = (millis: number) => `make_timestamptz(${Math.trunc(millis)}::bigint * 1000)`;

/** Without files, a view has no rows. */
const NO_EVENTS = `(select '' as project_id, '' as event_id, '' as event_name, '' as distinct_id,
  null::varchar as session_id, null::timestamptz as occurred_at, null::timestamptz as received_at,
  null::varchar as properties, null::varchar as context, false as bot where false)`;

const SESSIONS = `create view sessions as select session_id, arg_min(person_id, occurred_at) as person_id,
  min(occurred_at) as started_at, max(occurred_at) as ended_at, count(*) as events
  from events where session_id is not null group by session_id`;

const parquet = (paths: readonly string[]) => `read_parquet(${listed(paths)}, hive_partitioning = false)`;
const isOfQuery = ({ projectId, from, to }: SqlData) =>
  `project_id = ${quoted(projectId)} and occurred_at >= ${instant(from)} and occurred_at < ${instant(to)}`;

/**
 * Returns the statement that copies the project's rows of shared files. DuckDB promises no order of conditions: one of
 * the query could run before the one on the project, and show a value in its error. So the query never reads rows of
 * other projects.
 */
export function copyOf(data: SqlData): string | undefined {
  const { shared, copy } = data;
  if (shared.length === 0) return undefined;
  return `copy (select * from ${parquet(shared)} where ${isOfQuery(data)}) to ${quoted(copy)} (format parquet)`;
}

/** Returns the statements that create the views. A view binds no values, so they are literals. */
export function viewsOf(data: SqlData): string[] {
  const { events, shared, copy, persons, people, groups } = data;
  const files = [...events, ...(shared.length === 0 ? [] : [copy])];
  const sent = files.length === 0 ? NO_EVENTS : parquet(files);
  const known =
    persons === undefined
      ? "(select '' as distinct_id, '' as person_id where false)"
      : `read_parquet(${quoted(persons)})`;
  const lines = (path: string, columns: string) =>
    `read_json(${quoted(path)}, format = 'newline_delimited', columns = {${columns}})`;
  return [
    `create view events as select event_id, event_name as name, sent.distinct_id,
      coalesce(own.person_id, sent.distinct_id) as person_id, session_id, occurred_at, received_at,
      try_cast(properties as json) as properties, try_cast(context as json) as context, bot
      from ${sent} as sent left join ${known} as own on own.distinct_id = sent.distinct_id
      where ${isOfQuery(data)}`,
    SESSIONS,
    ...(people === undefined
      ? []
      : [
          `create view people as select * from ${lines(people, "person_id: 'VARCHAR', traits: 'JSON', groups: 'JSON', first_seen_at: 'TIMESTAMPTZ', last_seen_at: 'TIMESTAMPTZ'")}`,
        ]),
    ...(groups === undefined
      ? []
      : [
          `create view groups as select * from ${lines(groups, "type: 'VARCHAR', id: 'VARCHAR', traits: 'JSON', members: 'BIGINT', first_seen_at: 'TIMESTAMPTZ', last_seen_at: 'TIMESTAMPTZ'")}`,
        ]),
  ];
}
