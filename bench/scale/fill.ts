import type { Database } from '@switchboard/database';
import { call, eventually } from '@switchboard/testkit';
import pMap from 'p-map';
import { benchFlags, traitsOf } from '../flags/ruleset.ts';
import type { Deployment } from './deployment.ts';
import { MODEL, personId, projectInSql, projectOf, type Size } from './model.ts';

type Sql = Database['sql'];

const PROJECTS_AT_ONCE = 100;
const ROWS_AT_ONCE = 1_000_000;
/** People with the same traits. */
const KINDS_OF_PEOPLE = 1_000;

/** A conversation that can be written to. */
export interface Opened {
  project: number;
  path: string;
  token: string;
}

/** Puts what the model stores into the databases, apart from projects and archived events. */
export async function fill(deployment: Deployment, size: Size): Promise<Opened[]> {
  await fillFlags(deployment.sql('flags'), size.projects);
  for (const service of ['flags', 'analytics'] as const) await fillPeople(deployment.sql(service), size);
  await fillSeenEvents(deployment.sql('archive'), size.archivedEvents);
  return await fillConversations(deployment, size);
}

async function fillFlags(sql: Sql, projects: number): Promise<void> {
  const entries = JSON.stringify(benchFlags());
  for (let from = 0; from < projects; from += PROJECTS_AT_ONCE) {
    // Every project has keys of its own, so that no two rulesets are equal.
    await sql`
      insert into flags (project_id, key, entry)
      select 'project-' || n, entry ->> 'key', entry
      from generate_series(${from}::int, ${Math.min(projects, from + PROJECTS_AT_ONCE) - 1}::int) as n,
        json_array_elements(replace(${entries}::text, 'feature-', 'feature-' || n || '-')::json) as entry`;
  }
  await sql`
    insert into flag_versions (project_id, key, version, entry) select project_id, key, 1, entry from flags`;
  await sql`insert into rulesets (project_id, changed_at) select distinct project_id, now() from flags`;
  await sql`vacuum analyze flags, flag_versions, rulesets`;
}

async function fillPeople(sql: Sql, { people, projects }: Size): Promise<void> {
  const kinds = Array.from({ length: KINDS_OF_PEOPLE }, (_, kind) => traitsOf(kind));
  await sql.unsafe('create table bench_kinds (kind int primary key, traits json, stamps json)');
  await sql`
    insert into bench_kinds
    select n - 1, traits, (
      select json_object_agg(name, json_build_array('2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z', n))
      from json_object_keys(traits) as name)
    from json_array_elements(${JSON.stringify(kinds)}::text::json) with ordinality as kinds (traits, n)`;
  for (let from = 0; from < people; from += ROWS_AT_ONCE) {
    const to = Math.min(people, from + ROWS_AT_ONCE);
    await sql.unsafe(`
      insert into people (project_id, distinct_id, traits, trait_stamps, groups, group_stamps)
      select 'project-' || ${projectInSql('n', projects)}, 'user-' || n, traits, stamps,
        json_build_object('company', 'company-' || n % 500),
        '{"company":["2026-11-01T00:00:00.000Z","2026-11-01T00:00:00.000Z",1]}'
      from generate_series(${from}::bigint, ${to - 1}::bigint) as n join bench_kinds on kind = n % ${KINDS_OF_PEOPLE}
      order by 1, 2`);
  }
  await sql.unsafe('drop table bench_kinds');
  await sql`vacuum analyze people`;
}

/** The events of the day before: each new one is looked for among them. */
async function fillSeenEvents(sql: Sql, events: number): Promise<void> {
  for (let from = 0; from < events; from += ROWS_AT_ONCE) {
    const to = Math.min(events, from + ROWS_AT_ONCE);
    await sql`
      insert into seen_events (event_key, log_partition, log_offset, log_line, accepted_at, day)
      select md5(n::text)::uuid, n % ${MODEL.partitions}, n / 100, n % 100, now() - interval '1 day',
        (now() at time zone 'utc')::date - 1
      from generate_series(${from}::bigint, ${to - 1}::bigint) as n order by 1`;
  }
  await sql`vacuum analyze seen_events`;
}

const OPENED = 200;

/** Opens a few through the interface, which turns are sent to, and inserts as many as the model says. */
async function fillConversations(
  { pods: { messenger }, keys, sql: sqlOf }: Deployment,
  { conversations, people, projects }: Size,
): Promise<Opened[]> {
  const opened = await pMap(
    Array.from({ length: OPENED }, (_, person) => person % people),
    async (person): Promise<Opened> => {
      const project = projectOf(person, projects);
      const answer = await eventually(
        async () => {
          const opening = await call('POST', `${messenger.url}/v1/conversations`, {
            token: keys[project] ?? '',
            body: { distinctId: personId(person) },
          });
          if (opening.status !== 201) throw new Error(`a conversation was answered ${opening.status}`);
          return opening.body;
        },
        { withinMs: 60_000 },
      );
      const path = `/v1/conversations/${answer.conversationId}/turns`;
      return { project, path, token: answer.token };
    },
    { concurrency: 8 },
  );
  const sql = sqlOf('messenger');
  for (let from = 0; from < conversations; from += ROWS_AT_ONCE) {
    const numbers = `generate_series(${from}::bigint, ${Math.min(conversations, from + ROWS_AT_ONCE) - 1}::bigint) as n`;
    await sql.unsafe(`
      insert into conversations (id, project_id, distinct_id, status, user_verified, token_hash, token_expires_at,
        turn_count, turn_bytes, created_at, last_turn_at)
      select 'cnv_' || md5(n::text), 'project-' || ${projectInSql('n', projects)}, 'user-' || n,
        (array['open', 'pending', 'resolved'])[n % 3 + 1], false, md5(n::text) || md5('token' || n),
        now() + interval '30 days', ${MODEL.turnsPerConversation}, ${MODEL.turnsPerConversation * TURN.length},
        at, at from ${numbers}, lateral (select now() - n * interval '1 second' as at)`);
    await sql.unsafe(`
      insert into turns (conversation_id, position, id, author_kind, body, created_at)
      select 'cnv_' || md5(n::text), p, 'trn_' || md5(n || '-' || p), 'visitor', '${TURN}',
        now() - n * interval '1 second'
      from ${numbers}, generate_series(1, ${MODEL.turnsPerConversation}) as p`);
  }
  await sql`vacuum analyze conversations, turns`;
  return opened;
}

export const TURN = 'I was charged twice for the same order. Can you look into it? '.repeat(3);
