import { and, asc, desc, eq, gte, isNull, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../db.ts';
import type { ChunkName } from './chunk.ts';
import { replayChunks, replayPeople, replays } from './schema.ts';
import type { SessionName } from './store.ts';

export type ReplayRow = typeof replays.$inferSelect;

/** Where a page begins: behind this session. */
export interface Place {
  receivedAt: Date;
  sessionId: string;
}

/** A span of seqs, both ends included. */
export interface Span {
  from: number;
  to: number;
}

const MOST_PEOPLE = 100;
const MOST_SPANS = 1_000;
const CHUNKS_A_PAGE = 1_000;

/** Sessions of a project, or of one person in it, newest first. */
export async function pageOfReplays(
  db: Db,
  projectId: string,
  { distinctId, after, limit }: { distinctId?: string | undefined; after?: Place | undefined; limit: number },
): Promise<ReplayRow[]> {
  if (distinctId === undefined) {
    return await db
      .select()
      .from(replays)
      .where(and(eq(replays.projectId, projectId), isNull(replays.deletedAt), behind(replays, after)))
      .orderBy(desc(replays.receivedAt), desc(replays.sessionId))
      .limit(limit);
  }
  const rows = await db
    .select({ replay: replays })
    .from(replayPeople)
    .innerJoin(
      replays,
      and(eq(replays.projectId, replayPeople.projectId), eq(replays.sessionId, replayPeople.sessionId)),
    )
    .where(
      and(
        eq(replayPeople.projectId, projectId),
        eq(replayPeople.distinctId, distinctId),
        behind(replayPeople, after),
      ),
    )
    .orderBy(desc(replayPeople.receivedAt), desc(replayPeople.sessionId))
    .limit(limit);
  return rows.map(({ replay }) => replay);
}

function behind(table: typeof replays | typeof replayPeople, after: Place | undefined): SQL | undefined {
  if (after === undefined) return undefined;
  const { receivedAt, sessionId } = after;
  return sql`(${table.receivedAt}, ${table.sessionId}) < (${receivedAt.toISOString()}::timestamptz, ${sessionId})`;
}

export async function findReplay(
  db: Db,
  { projectId, sessionId }: SessionName,
): Promise<ReplayRow | undefined> {
  const [row] = await db
    .select()
    .from(replays)
    .where(
      and(eq(replays.projectId, projectId), eq(replays.sessionId, sessionId), isNull(replays.deletedAt)),
    );
  return row;
}

/** Whom sessions show, up to 100 each, by session id. */
export async function peopleOf(
  db: Db,
  projectId: string,
  sessionIds: string[],
): Promise<Map<string, string[]>> {
  const rows = await db.execute<{ session_id: string; distinct_ids: string[] }>(sql`
    select named.session_id, array(
      select ${replayPeople.distinctId} from ${replayPeople}
      where ${replayPeople.projectId} = ${projectId} and ${replayPeople.sessionId} = named.session_id
      order by 1 limit ${MOST_PEOPLE}
    ) as distinct_ids
    from unnest(${sql.param(sessionIds)}::text[]) as named(session_id)`);
  return new Map(rows.map((row) => [row.session_id, row.distinct_ids]));
}

/** The seqs that are there as spans, lowest first, up to 1,000 of them. */
export async function spansOf(db: Db, { projectId, sessionId }: SessionName): Promise<Span[]> {
  const rows = await db.execute<{ from: number; to: number }>(sql`
    select min(seq) as "from", max(seq) as "to" from (
      select seq, seq - dense_rank() over (order by seq) as island from ${replayChunks}
      where ${replayChunks.projectId} = ${projectId} and ${replayChunks.sessionId} = ${sessionId}
    ) as numbered
    group by island order by 1 limit ${MOST_SPANS}`);
  return rows.map(({ from, to }) => ({ from: Number(from), to: Number(to) }));
}

/** The chunks in the order in which they play: by seq, those under one seq by time; read page by page. */
export async function* chunksInOrder(
  db: Db,
  { projectId, sessionId }: SessionName,
): AsyncGenerator<ChunkName> {
  const { seq, firstAt, hash } = replayChunks;
  let behindLast: SQL | undefined;
  for (;;) {
    const page = await db
      .select({ seq, firstAt, hash })
      .from(replayChunks)
      .where(and(eq(replayChunks.projectId, projectId), eq(replayChunks.sessionId, sessionId), behindLast))
      .orderBy(asc(seq), asc(firstAt), asc(hash))
      .limit(CHUNKS_A_PAGE);
    for (const row of page) yield { projectId, sessionId, seq: row.seq, hash: row.hash };
    const last = page.at(-1);
    if (last === undefined || page.length < CHUNKS_A_PAGE) return;
    const place = sql`(${last.seq}::bigint, ${last.firstAt.toISOString()}::timestamptz, ${last.hash}::text)`;
    // The first half is what the index can use.
    behindLast = and(gte(seq, last.seq), sql`(${seq}, ${firstAt}, ${hash}) > ${place}`);
  }
}
