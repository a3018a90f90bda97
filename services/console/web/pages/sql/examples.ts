import { t } from '../../app/i18n.ts';

interface Example {
  title: string;
  query: string;
}

/** Queries to begin with. */
export const examples = (): readonly Example[] => [
  {
    title: t('Events by name'),
    query:
      'select name, count(*) as events, count(distinct person_id) as people\nfrom events\ngroup by name\norder by events desc',
  },
  {
    title: t('People by their first event'),
    query:
      'select first_event, count(*) as people\nfrom (\n  select person_id, arg_min(name, occurred_at) as first_event\n  from events\n  group by person_id\n)\ngroup by first_event\norder by people desc',
  },
  {
    title: t('Longest sessions'),
    query:
      'select session_id, person_id, events, ended_at - started_at as duration\nfrom sessions\norder by duration desc\nlimit 100',
  },
  {
    title: t('Events of people by a trait'),
    query:
      "select p.traits->>'plan' as plan, count(*) as events\nfrom events\njoin people as p using (person_id)\ngroup by plan\norder by events desc",
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
