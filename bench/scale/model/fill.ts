import type { Database } from '@switchboard/database';
import { call, eventually } from '@switchboard/testkit';
import pMap from 'p-map';
import { benchFlags, traitsOf } from '../../flags/ruleset.ts';
import type { Deployment } from './deployment.ts';
import { MODEL, personId, projectInSql, projectOf, type Size } from './model.ts';

type Sql = Database['sql'];
type Tx = Parameters<Parameters<Sql['begin']>[1]>[0];

/** When everyone was identified, in milliseconds. */
const IDENTIFIED_AT = Date.UTC(2026, 10, 1);
/** The number of distinct sets of traits. */
const KINDS_OF_PEOPLE = 1_000;
/** The fill factor in percent of index pages after inserts in random order. */
const RANDOM_FILL = 70;

/** Fills the databases with the data of the model, except for projects and archived events. */
export async function fillDatabases({ sql }: Deployment, size: Size): Promise<void> {
  await Promise.all([
    fillSeenEvents(sql('archive'), size.archivedEvents),
    fillFlags(sql('flags'), size.projects)
      .then(() => fillPeople(sql('flags'), size))
      .then(() => fillJoins(sql('flags'), size)),
    fillPeople(sql('analytics'), size),
    fillConversations(sql('messenger'), size),
  ]);
}

/**
 * Refills tables in one transaction, and builds their indexes after the rows. It writes no write-ahead log, because
 * the server's `wal_level` is minimal.
 */
async function refill(sql: Sql, tables: readonly string[], insert: (tx: Tx) => Promise<unknown>) {
  await sql.begin(async (tx) => {
    await useMemory(tx);
    await tx.unsafe(`truncate ${tables.join(', ')} cascade`);
    // Inserts do not update an index that is not ready. Rebuilding it makes it ready again.
    await tx`update pg_index set indisready = false where indrelid::regclass::text = any(${tables as string[]})`;
    // Disables foreign key checks.
    await tx`set local session_replication_role = replica`;
    await insert(tx);
    for (const table of tables) await tx.unsafe(`reindex table ${table}`);
  });
  await sql.unsafe(`vacuum (analyze) ${tables.join(', ')}`);
}

async function useMemory(tx: Tx): Promise<void> {
  await tx`set local maintenance_work_mem = '512MB'`;
}

async function fillFlags(sql: Sql, projects: number): Promise<void> {
  const entries = JSON.stringify(benchFlags());
  await refill(sql, ['flags', 'flag_versions', 'rulesets'], async (tx) => {
    // Every project has unique keys, so that no two rulesets are equal.
    await tx`
      insert into flags (project_id, key, entry)
      select 'project-' || n, entry ->> 'key', entry
      from generate_series(0, ${projects - 1}::int) as n,
        json_array_elements(replace(${entries}::text, 'feature-', 'feature-' || n || '-')::json) as entry`;
    await tx`
      insert into flag_versions (project_id, key, version, entry) select project_id, key, 1, entry from flags`;
    await tx`insert into rulesets (project_id, changed_at) select distinct project_id, now() from flags`;
  });
}

/** The traits and groups of person `n`, as SQL. */
const STATE_OF_PERSON = `traits, stamps, json_build_object('company', 'company-' || n % 500),
  '{"company":[${IDENTIFIED_AT},${IDENTIFIED_AT},1]}'::json`;

async function fillPeople(sql: Sql, { people, projects }: Size): Promise<void> {
  await refill(sql, ['people'], async (tx) => {
    await createKinds(tx);
    await tx.unsafe(`
      alter index people_project_id_distinct_id_pk set (fillfactor = ${RANDOM_FILL});
      insert into people (project_id, distinct_id, traits, trait_stamps, groups, group_stamps)
      select 'project-' || ${projectInSql('n', projects)}, 'user-' || n, ${STATE_OF_PERSON}
      from generate_series(0::bigint, ${people - 1}) as n join kinds on kind = n % ${KINDS_OF_PEOPLE}`);
  });
}

async function createKinds(tx: Tx): Promise<void> {
  const kinds = Array.from({ length: KINDS_OF_PEOPLE }, (_, kind) => traitsOf(kind));
  await tx`create temp table kinds (kind int, traits json, stamps json) on commit drop`;
  await tx`
    insert into kinds
    select n - 1, traits, (
      select json_object_agg(name, json_build_array(${IDENTIFIED_AT}::bigint, ${IDENTIFIED_AT}::bigint, n))
      from json_object_keys(traits) as name)
    from json_array_elements(${JSON.stringify(kinds)}::text::json) with ordinality as kinds (traits, n)`;
  await tx`analyze kinds`;
}

/** Fills the joins of flags, after its people. Flags then publishes them to the other services. */
async function fillJoins(sql: Sql, { people, joinedPeople, joinedIds, projects }: Size): Promise<void> {
  // Further ids are spread over the people with several ids.
  const ids = `generate_series(0::bigint, ${joinedIds - 1}) as id, lateral (select id % ${joinedPeople} as n) as person`;
  const project = `'project-' || ${projectInSql('n', projects)}`;
  await refill(sql, ['identities', 'persons'], async (tx) => {
    await createKinds(tx);
    await tx.unsafe(`
      alter index identities_project_id_distinct_id_pk set (fillfactor = ${RANDOM_FILL});
      alter index persons_project_id_person_id_pk set (fillfactor = ${RANDOM_FILL});
      insert into identities (project_id, distinct_id, is_known, person_id)
      select ${project}, 'user-' || n, true, case when n < ${joinedPeople} then 'user-' || n end
      from generate_series(0::bigint, ${people - 1}) as n;
      insert into identities (project_id, distinct_id, claimed_at, claimed_by, person_id)
      select ${project}, 'anonymous-' || id, ${IDENTIFIED_AT}, 'user-' || n, 'user-' || n from ${ids};
      insert into persons (project_id, person_id, ids, traits, trait_stamps, groups, group_stamps, seen_on)
      select ${project}, 'user-' || n,
        array(select 'user-' || n union all
          select 'anonymous-' || id from generate_series(n, ${joinedIds - 1}, ${joinedPeople}) as id),
        ${STATE_OF_PERSON}, current_date
      from generate_series(0::bigint, ${joinedPeople - 1}) as n join kinds on kind = n % ${KINDS_OF_PEOPLE}`);
  });
  await sql.unsafe(`
    insert into people (project_id, distinct_id) select ${project}, 'anonymous-' || id from ${ids};
    -- In the order in which flags inserts, which publishes at the same time.
    insert into unpublished_people (project_id, distinct_id)
    select ${project}, 'anonymous-' || id from ${ids} order by 1, 2 on conflict do nothing`);
}

/** The closed days within the deduplication window that nothing else fills. */
const SEEN_DAYS = [7, 6, 5, 4, 3, 2];

/** Fills the events of earlier days. Each new event is looked up among those of each day. */
async function fillSeenEvents(sql: Sql, events: number): Promise<void> {
  for (const [index, daysAgo] of SEEN_DAYS.entries()) {
    const from = Math.floor((events * index) / SEEN_DAYS.length);
    const to = Math.floor((events * (index + 1)) / SEEN_DAYS.length);
    const [row] = await sql`select ((now() at time zone 'utc')::date - ${daysAgo}::int)::text as day`;
    const day = `'${row?.['day']}'::date`;
    const table = `seen_events_${daysAgo}_days_ago`;
    // Creates the partition of a day as the archive does.
    await sql.begin(async (tx) => {
      await useMemory(tx);
      await tx.unsafe(`
        create table ${table} (like seen_events including defaults, check (day = ${day}))
          with (autovacuum_vacuum_insert_threshold = -1);
        insert into ${table} (event_key, log_partition, log_offset, log_line, accepted_at, day)
          select md5(n::text)::uuid, n % ${MODEL.partitions}, n / 100, n % 100, ${day}, ${day}
          from generate_series(${from}::bigint, ${to - 1}) as n;
        alter table ${table} add primary key (event_key) with (fillfactor = ${RANDOM_FILL});
        insert into seen_days values (${day});
        alter table seen_events attach partition ${table} for values in (${day})`);
    });
    await sql.unsafe(`analyze ${table}`);
  }
}

async function fillConversations(sql: Sql, { conversations, projects }: Size): Promise<void> {
  const each = MODEL.turnsPerConversation;
  // Ids are in time order, like those of the service.
  const numbers = `generate_series(1::bigint, ${conversations}) as n,
    lateral (select now() - (${conversations} - n) * interval '1 second' as at, lpad(to_hex(n), 32, '0') as id) as made`;
  await refill(sql, ['conversations', 'turns'], async (tx) => {
    await tx.unsafe(`
      insert into conversations (id, project_id, distinct_id, status, user_verified, token_hash, token_expires_at,
        turn_count, turn_bytes, created_at, last_turn_at)
      select 'cnv_' || id, 'project-' || ${projectInSql('n', projects)}, 'user-' || n,
        (array['open', 'pending', 'resolved'])[n % 3 + 1], false, md5(n::text) || md5('token' || n),
        now() + interval '30 days', ${each}, ${each * TURN.length}, at, at from ${numbers}`);
    await tx.unsafe(`
      insert into turns (conversation_id, position, id, author_kind, body, created_at)
      select 'cnv_' || id, p, 'trn_' || lpad(to_hex(${each} * n + p), 32, '0'), 'visitor', '${TURN}', at
      from ${numbers}, generate_series(1, ${each}) as p`);
  });
}

/** A conversation that can be written to. */
export interface Opened {
  project: number;
  path: string;
  token: string;
}

const OPENED = 200;

/** Opens a few conversations through the API. The load sends turns to them. */
export async function openConversations(
  { pods: { messenger } }: Deployment,
  { people, projects }: Size,
  keys: readonly string[],
): Promise<Opened[]> {
  return await pMap(
    Array.from({ length: OPENED }, (_, person) => person % people),
    async (person): Promise<Opened> => {
      const project = projectOf(person, projects);
      const answer = await eventually(
        async () => {
          const opening = await call('POST', `${messenger.url}/v1/conversations`, {
            token: keys[project] ?? '',
            body: { distinctId: personId(person) },
          });
          if (opening.status !== 201) throw new Error(`a conversation got status ${opening.status}`);
          return opening.body;
        },
        { withinMs: 60_000 },
      );
      const path = `/v1/conversations/${answer.conversationId}/turns`;
      return { project, path, token: answer.token };
    },
    { concurrency: 8 },
  );
}

export const TURN = 'I was charged twice for the same order. Can you look into it? '.repeat(3);
