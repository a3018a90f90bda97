import { openDatabase } from '@switchboard/database';
import { call } from '@switchboard/testkit';
import { applyLoad } from '../lib/load/load.ts';
import { PROJECT_ID } from '../lib/project.ts';
import { decimals, printTable } from '../lib/table.ts';
import type { Deployment } from './deployment.ts';

const WEEK_SECONDS = 7 * 86_400;
const TWO_YEARS_SECONDS = 730 * 86_400;

/** The lists, counts and searches of a member, by name. */
const READS: Record<string, string> = {
  'all conversations': '/conversations',
  open: '/conversations?status=open',
  'open, mine': '/conversations?status=open&assigned=me',
  'open, of no one': '/conversations?status=open&assigned=none',
  'open, of a team': '/conversations?status=open&teamId=team-3',
  'with a label': '/conversations?labelId=label-5',
  urgent: '/conversations?priority=urgent',
  snoozed: '/conversations?snoozed=true',
  'waiting longest': '/conversations?status=open&sort=waiting',
  'view counts': '/conversation-counts',
  'search, rare word': '/conversation-search?text=word4711',
  'search, frequent word': '/conversation-search?text=charged',
  'search, two words': '/conversation-search?text=charged%20word17',
};

/** Measures lists, view counts and searches of a project with many conversations. */
export async function measureInbox(deployment: Deployment, rows: number, seconds: number): Promise<void> {
  await fill(deployment, rows);
  const { messenger, tokens } = deployment;
  const headers = { Authorization: `Bearer ${tokens[0]}` };
  const found: string[][] = [];
  const search = `${messenger.url}/v1/projects/${PROJECT_ID}${READS['search, frequent word']}`;
  const { body } = await call('GET', search, { headers });
  if (body.matches.length === 0) throw new Error('the search found none of the generated turns');
  for (const [name, path] of Object.entries(READS)) {
    const requests = [{ path: `/v1/projects/${PROJECT_ID}${path}` }];
    const plan = { port: messenger.port, headers, connections: 1, requests };
    await applyLoad({ ...plan, seconds: 1 });
    const { latency, statuses } = await applyLoad({ ...plan, seconds });
    const times = [latency.p50, latency.p99, latency.max].map((ms) => decimals(ms));
    found.push([name, ...times, JSON.stringify(statuses)]);
  }
  printTable([`${rows} conversations`, 'p50 ms', 'p99 ms', 'max ms', 'statuses'], found);
}

/** Adds conversations of two years with a turn each. One in ten is not resolved. */
async function fill({ databaseUrl }: Deployment, rows: number): Promise<void> {
  const url = await databaseUrl('messenger');
  const database = openDatabase({ url, applicationName: 'bench', statementTimeoutMs: 1_800_000 });
  await database.sql.unsafe(`
    alter table conversations disable trigger user;
    insert into conversations (id, project_id, distinct_id, subject, status, user_verified, token_hash,
        token_expires_at, turn_count, turn_bytes, created_at, last_turn_at, assignee_id, team_id, priority,
        label_ids, is_snoozed, waiting_since)
      select 'cnv_' || md5(i::text), '${PROJECT_ID}', 'visitor-' || i % 50000, null,
        case when i % 10 > 0 then 'resolved' when i % 20 = 0 then 'open' else 'pending' end, false, md5(i::text),
        now(), 1, 100, at, at, case when i % 3 > 0 then 'person-' || i % 50 end,
        case when i % 4 = 0 then 'team-' || i % 10 end, (array['normal', 'normal', 'normal', 'high', 'urgent'])[i % 5 + 1],
        case when i % 5 = 0 then array['label-' || i % 20] else '{}' end, i % 200 = 0,
        case when i % 20 = 0 then at end
      from (
        select i, now() - i * interval '${TWO_YEARS_SECONDS / rows} seconds' as at from generate_series(1, ${rows}) i
      ) as numbered;
    alter table conversations enable trigger user;
    insert into conversation_counts
        (project_id, label_id, status, snoozed, assignee_id, team_id, priority, count)
      select project_id, label, status, is_snoozed, coalesce(assignee_id, ''), coalesce(team_id, ''), priority, count(*)
      from conversations, unnest(label_ids || ''::text) as label
      where status <> 'resolved' and project_id = '${PROJECT_ID}' group by 1, 2, 3, 4, 5, 6, 7
      on conflict do nothing;
    insert into turns (conversation_id, position, id, author_kind, body, created_at, words)
      select id, 1, 'trn_' || right(id, 32), 'visitor', body, last_turn_at,
        to_tsvector('simple', body) || array_to_tsvector(array[E'\\x01${PROJECT_ID}',
          E'\\x01${PROJECT_ID}\\x01' || floor(extract(epoch from last_turn_at) / ${WEEK_SECONDS})::int])
      from (
        select id, last_turn_at, 'I was charged twice for word' || ('x' || right(id, 4))::bit(16)::int
          || ' and word' || ('x' || right(id, 2))::bit(8)::int || '. Can you look into it?' as body
        from conversations where project_id = '${PROJECT_ID}'
      ) as written`);
  // Also moves the pending words of the index of searches to their places, as autovacuum does.
  await database.sql.unsafe('vacuum analyze');
  await database.close();
}
