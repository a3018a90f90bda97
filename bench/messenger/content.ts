import { openDatabase } from '@switchboard/database';
import { call } from '@switchboard/testkit';
import pMap from 'p-map';
import { AUTHORIZED, PROJECT_ID } from '../lib/project.ts';
import { AUTHORS, type Deployment } from './deployment.ts';

/** Fills the report `threads` with 500 threads of 20 comments. Every second comment has two reactions. */
export async function fillThreads({ databaseUrl }: Deployment): Promise<void> {
  const url = await databaseUrl('collaboration');
  const database = openDatabase({ url, applicationName: 'bench', statementTimeoutMs: 60_000 });
  await database.sql.unsafe(`
    insert into threads (id, project_id, report_id, created_by_sub, created_at)
      select 'thr_' || md5(i::text), '${PROJECT_ID}', 'threads', 'person-0',
        timestamptz '2026-03-01Z' + i * interval '1 second'
      from generate_series(1, 500) i;
    insert into comments (id, thread_id, position, body, mentions, author_sub, created_at)
      select 'cmt_' || md5(t.id || p), t.id, p, repeat('words ', 20), '{}', 'person-' || p % ${AUTHORS},
        t.created_at + p * interval '1.234 second'
      from threads t, generate_series(1, 20) p;
    insert into reactions (comment_id, emoji, sub)
      select id, '👍', sub from comments, unnest(array['person-0', 'person-1']) sub where position % 2 = 0;
    analyze`);
  await database.close();
}

/** Turns on the public link of a report and records a run of it. Returns the token of the link. */
export async function share(
  { collaboration, tokens, manage }: Deployment,
  report: string,
  content: unknown,
): Promise<string> {
  await manage('collaboration', 'POST', `/projects/${PROJECT_ID}/reports/${report}/runs`, {
    report: content,
  });
  const path = `/v1/projects/${PROJECT_ID}/reports/${report}/public-link`;
  const expiresOn = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const { status, body } = await call('PUT', collaboration.url + path, {
    token: tokens[0] ?? '',
    body: { expiresOn },
  });
  if (status !== 200) throw new Error(`the link of ${report} got status ${status}`);
  return String(body.token);
}

const CONVERSATION_TURNS = 100;

/** Creates a conversation of 100 turns. Returns the path and the headers for reading it. */
export async function converse({ messenger }: Deployment) {
  const headers: Record<string, string> = { ...AUTHORIZED };
  const opened = await call('POST', `${messenger.url}/v1/conversations`, {
    headers,
    body: { distinctId: 'bench' },
  });
  const path = `/v1/conversations/${opened.body.conversationId}`;
  headers['X-Service-Conversation-Token'] = opened.body.token;
  const body = { body: 'I was charged twice for the same order. Can you look into it? '.repeat(5) };
  const turns = Array.from({ length: CONVERSATION_TURNS }, (_, index) => index);
  await pMap(
    turns,
    async () => {
      const { status } = await call('POST', `${messenger.url}${path}/turns`, { headers, body });
      if (status !== 201) throw new Error(`a turn got status ${status}`);
    },
    { concurrency: 4 },
  );
  return { path, headers };
}
