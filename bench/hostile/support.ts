import type { Harness } from '@switchboard/testkit';
import { eventually } from '@switchboard/testkit';
import postgres from 'postgres';

/** A member of the company that is attacked from within. */
export const MEMBER = 'searcher';

const CONVERSATIONS = 1_000;
const TURNS = 20;
const WEEK_SECONDS = 7 * 86_400;

/**
 * Fills a project with 20,000 turns that have words, and lets mail open conversations. Returns the address for that
 * mail.
 */
export async function fillSupport(harness: Harness, projectId: string): Promise<string> {
  const sql = postgres(await harness.databaseUrl('messenger'), { max: 1 });
  // Marks of the project and of the week, as searches require them.
  const mark = sql`chr(1) || ${projectId}::text`;
  await sql`
    insert into conversations (
      id, project_id, distinct_id, user_verified, token_hash, token_expires_at, turn_count, created_at, last_turn_at)
    select 'cnv_' || md5(n::text), ${projectId}, 'person-' || n, false, md5(n::text), now(), ${TURNS}, now(), now()
    from generate_series(1, ${CONVERSATIONS}) n`;
  await sql`
    insert into turns (conversation_id, position, id, author_kind, body, created_at, words)
    select 'cnv_' || md5(n::text), p, 'trn_' || md5(n || '/' || p), 'visitor', body, now(),
      to_tsvector('simple', body) || to_tsvector('english', body) || array_to_tsvector(array[
        ${mark}, ${mark} || chr(1) || floor(extract(epoch from now()) / ${WEEK_SECONDS})::text])
    from generate_series(1, ${CONVERSATIONS}) n, generate_series(1, ${TURNS}) p,
      lateral (select 'Where is my order ' || md5(n || '/' || p) || repeat(' refund', 20) as body) texts`;
  await sql`analyze`;
  await sql.end();
  const path = `/projects/${projectId}/support-settings`;
  return eventually(async () => {
    const { body: settings } = await harness.manage('messenger', 'GET', path);
    const { status, body } = await harness.manage('messenger', 'PUT', path, {
      ...Object(settings),
      mailOpensConversations: true,
    });
    const { mailAddress } = Object(body);
    if (status >= 300 || typeof mailAddress !== 'string')
      throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return mailAddress;
  });
}
