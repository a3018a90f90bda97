import { t } from '../../app/i18n.ts';

interface Example {
  title: string;
  query: string;
}

/** Queries to begin with, in the SQL that DuckDB and ClickHouse share. */
export const examples = (): readonly Example[] => [
  {
    title: t('Events by name'),
    query:
      'select name, count(*) as events, count(distinct person_id) as people\nfrom events\ngroup by name\norder by events desc',
  },
  {
    title: t('People by their first event'),
    query:
      'select first_event, count(*) as people\nfrom (\n  select person_id, min_by(name, occurred_at) as first_event\n  from events\n  group by person_id\n) as firsts\ngroup by first_event\norder by people desc',
  },
  {
    title: t('Longest sessions'),
    query:
      "select session_id, person_id, events, date_diff('second', started_at, ended_at) as seconds\nfrom sessions\norder by seconds desc\nlimit 100",
  },
  {
    title: t('New people by week'),
    query:
      "select date_trunc('week', first_seen_at) as week, count(*) as people\nfrom people\ngroup by week\norder by week desc",
  },
];

/** The tables of a query with their columns. */
export const TABLES: readonly (readonly [table: string, columns: string])[] = [
  [
    'events',
    'event_id, name, distinct_id, person_id, session_id, occurred_at, received_at, properties, context, bot',
  ],
  ['people', 'person_id, traits, groups, first_seen_at, last_seen_at'],
  ['groups', 'type, id, traits, members, first_seen_at, last_seen_at'],
  ['sessions', 'session_id, person_id, started_at, ended_at, events'],
];
