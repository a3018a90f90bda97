import { and, count, eq, isNull, lt, sql } from 'drizzle-orm';
import type { Db } from '../db.ts';
import type { ChunkFacts, ChunkName } from './chunk.ts';
import { replayChunks, replayPeople, replays } from './schema.ts';

/** `redelivered`: this very copy has been counted before. `deleted`: the session was deleted; nothing is kept. */
export type Recorded = 'archived' | 'duplicate' | 'redelivered' | 'deleted';

export type SessionName = Pick<ChunkName, 'projectId' | 'sessionId'>;

const isSession = ({ projectId, sessionId }: SessionName) =>
  and(eq(replays.projectId, projectId), eq(replays.sessionId, sessionId));

const isChunk = ({ projectId, sessionId, seq, hash }: ChunkName) =>
  and(
    eq(replayChunks.projectId, projectId),
    eq(replayChunks.sessionId, sessionId),
    eq(replayChunks.seq, seq),
    eq(replayChunks.hash, hash),
  );

/** Enters a chunk, whose object is there, into the manifest of its session. */
export function recordChunk(db: Db, facts: ChunkFacts, storedBytes: number): Promise<Recorded> {
  const { projectId, sessionId, distinctId, seq, hash, offset, firstAt, lastAt, receivedAt } = facts;
  return db.transaction(async (tx) => {
    await tx.insert(replays).values({ projectId, sessionId, receivedAt }).onConflictDoNothing();
    const [session] = await tx
      .select({ deletedAt: replays.deletedAt, receivedAt: replays.receivedAt })
      .from(replays)
      .where(isSession(facts))
      .for('update');
    if (session === undefined || session.deletedAt !== null) return 'deleted';

    const added = await tx
      .insert(replayChunks)
      .values({ projectId, sessionId, seq, hash, firstAt, logOffset: offset })
      .onConflictDoNothing()
      .returning({ seq: replayChunks.seq });
    if (added.length === 0) {
      const again = await tx
        .update(replayChunks)
        .set({ logOffset: offset })
        .where(and(isChunk(facts), lt(replayChunks.logOffset, offset)))
        .returning({ seq: replayChunks.seq });
      if (again.length === 0) return 'redelivered';
      await tx
        .update(replays)
        .set({ duplicates: sql`${replays.duplicates} + 1` })
        .where(isSession(facts));
      return 'duplicate';
    }

    const [alike] = await tx
      .select({ chunks: count() })
      .from(replayChunks)
      .where(
        and(
          eq(replayChunks.projectId, projectId),
          eq(replayChunks.sessionId, sessionId),
          eq(replayChunks.seq, seq),
        ),
      );
    const newSeqs = alike?.chunks === 1 ? 1 : 0;
    const time = (value: Date) => sql`${value.toISOString()}::timestamptz`;
    await tx
      .update(replays)
      .set({
        firstAt: sql`least(${replays.firstAt}, ${time(firstAt)})`,
        lastAt: sql`greatest(${replays.lastAt}, ${time(lastAt)})`,
        highestSeq: sql`greatest(${replays.highestSeq}, ${seq})`,
        seqs: sql`${replays.seqs} + ${newSeqs}`,
        chunks: sql`${replays.chunks} + 1`,
        events: sql`${replays.events} + ${facts.events}`,
        bytes: sql`${replays.bytes} + ${facts.bytes}`,
        storedBytes: sql`${replays.storedBytes} + ${storedBytes}`,
        masked: sql`${replays.masked} and ${facts.masked}`,
      })
      .where(isSession(facts));
    await tx
      .insert(replayPeople)
      .values({ projectId, sessionId, distinctId, receivedAt: session.receivedAt })
      .onConflictDoNothing();
    return 'archived';
  });
}

/** Whether nothing is to be said about a chunk any more: it is archived, or its session was deleted. */
export async function isSettled(db: Db, name: ChunkName): Promise<boolean> {
  const [chunk, [session]] = await Promise.all([
    db.select({ seq: replayChunks.seq }).from(replayChunks).where(isChunk(name)),
    db.select({ deletedAt: replays.deletedAt }).from(replays).where(isSession(name)),
  ]);
  return chunk.length > 0 || (session !== undefined && session.deletedAt !== null);
}

/** Forgets a session, and leaves a tombstone, also where nothing was. */
export async function bury(db: Db, name: SessionName, now: Date): Promise<void> {
  const { projectId, sessionId } = name;
  const empty = {
    firstAt: null,
    lastAt: null,
    highestSeq: -1,
    ...{ seqs: 0, chunks: 0, events: 0, bytes: 0, storedBytes: 0, duplicates: 0 },
    masked: true,
    deletedAt: now,
    erasedAt: null,
  };
  await db.transaction(async (tx) => {
    await tx
      .insert(replays)
      .values({ projectId, sessionId, receivedAt: now, deletedAt: now })
      .onConflictDoUpdate({ target: [replays.projectId, replays.sessionId], set: empty });
    await tx
      .delete(replayPeople)
      .where(and(eq(replayPeople.projectId, projectId), eq(replayPeople.sessionId, sessionId)));
    await tx
      .delete(replayChunks)
      .where(and(eq(replayChunks.projectId, projectId), eq(replayChunks.sessionId, sessionId)));
  });
}

export async function markErased(db: Db, name: SessionName, now: Date): Promise<void> {
  await db.update(replays).set({ erasedAt: now }).where(isSession(name));
}

/** Deleted sessions whose objects may still be there, longest deleted first. */
export function toErase(db: Db, before: Date, limit: number): Promise<SessionName[]> {
  return db
    .select({ projectId: replays.projectId, sessionId: replays.sessionId })
    .from(replays)
    .where(and(lt(replays.deletedAt, before), isNull(replays.erasedAt)))
    .orderBy(replays.deletedAt)
    .limit(limit);
}
