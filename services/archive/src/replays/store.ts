import { type Database, removeSome, type Transactor } from '@switchboard/database';
import { and, asc, desc, eq, gte, inArray, isNull, lt, min, type SQL, sql } from 'drizzle-orm';
import { replayChunks, replayPeople, replays } from '../schema/index.ts';
import type { ChunkMetadata, ChunkName, SessionName } from './chunk.ts';
import { mergeFacts, noFacts } from './facts.ts';

type Db = Database['drizzle'];

/** `redelivered`: this copy was counted before. `deleted`: the session was deleted, and nothing is stored. */
export type RecordOutcome = 'archived' | 'duplicate' | 'redelivered' | 'deleted';

export type ReplayRow = typeof replays.$inferSelect;

/** The start of a page: after this session. */
export interface PageStart {
  receivedAt: Date;
  sessionId: string;
}

/** A range of seqs, both ends included. */
export interface Span {
  from: number;
  to: number;
}

/** Selects sessions by their contents. */
export interface Filters {
  /** A name of an event sent during the session. */
  event?: string | undefined;
  /** A part of the address of a page. */
  page?: string | undefined;
  minSeconds?: number | undefined;
  maxSeconds?: number | undefined;
  /** Whether the console contains an error. */
  errors?: boolean | undefined;
}

interface PageOptions {
  /** The distinct ids of one person. Undefined for every session of the project. */
  distinctIds?: readonly string[] | undefined;
  filters?: Filters;
  after?: PageStart | undefined;
  limit: number;
}

/** A page of sessions. */
export interface FoundReplays {
  rows: ReplayRow[];
  /** The last session that was read, if the filters left out others and there may be more. */
  readUntil: PageStart | undefined;
}

/** A chunk in playing order. */
export interface ChunkPlace extends ChunkName {
  firstAt: Date;
}

/** All SQL of the replay archive. */
export interface ReplaysStore {
  /** Adds a chunk with a stored object to the manifest of its session. */
  recordChunk(metadata: ChunkMetadata, storedBytes: number): Promise<RecordOutcome>;
  /** Whether a chunk is archived or its session deleted. */
  isSettled(name: ChunkName): Promise<boolean>;
  /** Deletes a session's rows and leaves a tombstone, even if there was no session. */
  deleteSession(name: SessionName, now: Date, within?: Transactor): Promise<void>;
  markErased(name: SessionName, now: Date): Promise<void>;
  /** Returns sessions deleted before this time that may still have objects, longest deleted first. */
  findToErase(before: Date, limit: number): Promise<SessionName[]>;
  /** Returns sessions with a first chunk accepted before this time, the earliest first. */
  findReceivedBefore(time: Date, limit: number): Promise<SessionName[]>;
  oldestReceived(): Promise<Date | undefined>;
  /** Removes up to `limit` tombstones of sessions with objects erased before this time. */
  removeTombstones(time: Date, limit: number): Promise<number>;
  oldestTombstone(): Promise<Date | undefined>;
  /** Removes up to `limit` rows of a project from each table, including tombstones. Returns how many it removed. */
  removeProject(projectId: string, limit: number): Promise<number>;
  /** Returns sessions of a project, or of one person in it, newest first. Filters read up to 5,000 sessions. */
  listReplays(projectId: string, options: PageOptions): Promise<FoundReplays>;
  findReplay(name: SessionName): Promise<ReplayRow | undefined>;
  /** Returns the people in each session, up to 100 each, by session id. */
  findPeople(projectId: string, sessionIds: string[]): Promise<Map<string, string[]>>;
  /** Returns the seqs of a session's chunks as spans, lowest first, up to 1,000. */
  findSpans(name: SessionName): Promise<Span[]>;
  /** Yields a session's chunks in playing order, by seq, then time, after a chunk. Reads them page by page. */
  chunksInOrder(name: SessionName, after?: Omit<ChunkPlace, keyof SessionName>): AsyncGenerator<ChunkPlace>;
}

const MAX_PEOPLE = 100;
const MAX_SPANS = 1_000;
const CHUNK_PAGE_SIZE = 1_000;
const MAX_READ = 5_000;

const isSession = ({ projectId, sessionId }: SessionName) =>
  and(eq(replays.projectId, projectId), eq(replays.sessionId, sessionId));

const isOfSession = (
  table: typeof replayChunks | typeof replayPeople,
  { projectId, sessionId }: SessionName,
) => and(eq(table.projectId, projectId), eq(table.sessionId, sessionId));

const isChunk = (name: ChunkName) =>
  and(isOfSession(replayChunks, name), eq(replayChunks.seq, name.seq), eq(replayChunks.hash, name.hash));

export function createReplaysStore(db: Db): ReplaysStore {
  return {
    recordChunk(metadata, storedBytes) {
      const { projectId, sessionId, distinctId, seq, hash, offset, firstAt, lastAt, receivedAt } = metadata;
      return db.transaction(async (tx) => {
        await tx.insert(replays).values({ projectId, sessionId, receivedAt }).onConflictDoNothing();
        const [session] = await tx
          .select({
            ...{ deletedAt: replays.deletedAt, receivedAt: replays.receivedAt },
            ...{ pages: replays.pages, eventNames: replays.eventNames, errors: replays.errors },
          })
          .from(replays)
          .where(isSession(metadata))
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
            .where(and(isChunk(metadata), lt(replayChunks.logOffset, offset)))
            .returning({ seq: replayChunks.seq });
          if (again.length === 0) return 'redelivered';
          await tx
            .update(replays)
            .set({ duplicates: sql`${replays.duplicates} + 1` })
            .where(isSession(metadata));
          return 'duplicate';
        }

        // Two are enough to tell, and recordings of other SDKs have one seq for all chunks.
        const ofSeq = await tx
          .select({ seq: replayChunks.seq })
          .from(replayChunks)
          .where(and(isOfSession(replayChunks, metadata), eq(replayChunks.seq, seq)))
          .limit(2);
        const newSeqs = ofSeq.length === 1 ? 1 : 0;
        const time = (value: Date) => sql`${value.toISOString()}::timestamptz`;
        await tx
          .update(replays)
          .set({
            firstAt: sql`least(${replays.firstAt}, ${time(firstAt)})`,
            lastAt: sql`greatest(${replays.lastAt}, ${time(lastAt)})`,
            highestSeq: sql`greatest(${replays.highestSeq}, ${seq})`,
            seqs: sql`${replays.seqs} + ${newSeqs}`,
            chunks: sql`${replays.chunks} + 1`,
            events: sql`${replays.events} + ${metadata.events}`,
            bytes: sql`${replays.bytes} + ${metadata.bytes}`,
            storedBytes: sql`${replays.storedBytes} + ${storedBytes}`,
            masked: sql`${replays.masked} and ${metadata.masked}`,
            ...mergeFacts(session, metadata.facts),
          })
          .where(isSession(metadata));
        await tx
          .insert(replayPeople)
          .values({ projectId, sessionId, distinctId, receivedAt: session.receivedAt })
          .onConflictDoNothing();
        return 'archived';
      });
    },

    async isSettled(name) {
      const [chunk, [session]] = await Promise.all([
        db.select({ seq: replayChunks.seq }).from(replayChunks).where(isChunk(name)),
        db.select({ deletedAt: replays.deletedAt }).from(replays).where(isSession(name)),
      ]);
      return chunk.length > 0 || (session !== undefined && session.deletedAt !== null);
    },

    async deleteSession(name, now, within = db) {
      const { projectId, sessionId } = name;
      const empty = {
        firstAt: null,
        lastAt: null,
        highestSeq: -1,
        ...{ seqs: 0, chunks: 0, events: 0, bytes: 0, storedBytes: 0, duplicates: 0 },
        masked: true,
        ...noFacts(),
        deletedAt: now,
        erasedAt: null,
      };
      await within.transaction(async (tx) => {
        await tx
          .insert(replays)
          .values({ projectId, sessionId, receivedAt: now, deletedAt: now })
          .onConflictDoUpdate({ target: [replays.projectId, replays.sessionId], set: empty });
        await tx.delete(replayPeople).where(isOfSession(replayPeople, name));
        await tx.delete(replayChunks).where(isOfSession(replayChunks, name));
      });
    },

    async markErased(name, now) {
      await db.update(replays).set({ erasedAt: now }).where(isSession(name));
    },

    async findToErase(before, limit) {
      return await db
        .select({ projectId: replays.projectId, sessionId: replays.sessionId })
        .from(replays)
        .where(and(lt(replays.deletedAt, before), isNull(replays.erasedAt)))
        .orderBy(replays.deletedAt)
        .limit(limit);
    },

    async findReceivedBefore(time, limit) {
      return await db
        .select({ projectId: replays.projectId, sessionId: replays.sessionId })
        .from(replays)
        .where(and(lt(replays.receivedAt, time), isNull(replays.deletedAt)))
        .orderBy(replays.receivedAt)
        .limit(limit);
    },

    async oldestReceived() {
      const [row] = await db
        .select({ at: min(replays.receivedAt) })
        .from(replays)
        .where(isNull(replays.deletedAt));
      return row?.at ?? undefined;
    },

    removeTombstones: (time, limit) =>
      removeSome(db, replays, {
        where: sql`erased_at < ${time.toISOString()}::timestamptz and deleted_at is not null`,
        limit,
        orderBy: replays.erasedAt,
        skipsLocked: true,
      }),

    async oldestTombstone() {
      const [row] = await db.select({ at: min(replays.erasedAt) }).from(replays);
      return row?.at ?? undefined;
    },

    async removeProject(projectId, limit) {
      let removed = 0;
      for (const table of [replayChunks, replayPeople, replays])
        removed += await removeSome(db, table, { where: eq(table.projectId, projectId), limit });
      return removed;
    },

    async listReplays(projectId, { distinctIds, filters, after, limit }) {
      const selected = conditionsOf(filters);
      const most = selected.length === 0 ? limit : MAX_READ;
      const ofProject = db
        .select({ receivedAt: replays.receivedAt, sessionId: replays.sessionId })
        .from(replays)
        .where(and(eq(replays.projectId, projectId), isNull(replays.deletedAt), isAfter(replays, after)))
        .orderBy(desc(replays.receivedAt), desc(replays.sessionId))
        .limit(most)
        .as('sessions');
      // A session in which a person signed in has two of their ids.
      const ofPerson = db
        .selectDistinct({ receivedAt: replayPeople.receivedAt, sessionId: replayPeople.sessionId })
        .from(replayPeople)
        .where(
          and(
            eq(replayPeople.projectId, projectId),
            inArray(replayPeople.distinctId, [...(distinctIds ?? [])]),
            isAfter(replayPeople, after),
          ),
        )
        .orderBy(desc(replayPeople.receivedAt), desc(replayPeople.sessionId))
        .limit(most)
        .as('sessions');
      const sessions = distinctIds === undefined ? ofProject : ofPerson;
      const rows = await db
        .select({ replay: replays })
        .from(sessions)
        .innerJoin(replays, and(eq(replays.projectId, projectId), eq(replays.sessionId, sessions.sessionId)))
        .where(and(...selected))
        .orderBy(desc(sessions.receivedAt), desc(sessions.sessionId))
        .limit(limit);
      const found = rows.map(({ replay }) => replay);
      if (selected.length === 0 || found.length === limit) return { rows: found, readUntil: undefined };
      const [last] = await db
        .select({
          receivedAt: sessions.receivedAt,
          sessionId: sessions.sessionId,
          read: sql<number>`count(*) over ()`,
        })
        .from(sessions)
        .orderBy(sessions.receivedAt, sessions.sessionId)
        .limit(1);
      const isAll = last === undefined || Number(last.read) < most;
      return {
        rows: found,
        readUntil: isAll ? undefined : { receivedAt: last.receivedAt, sessionId: last.sessionId },
      };
    },

    async findReplay(name) {
      const [row] = await db
        .select()
        .from(replays)
        .where(and(isSession(name), isNull(replays.deletedAt)));
      return row;
    },

    async findPeople(projectId, sessionIds) {
      const rows = await db.execute<{ session_id: string; distinct_ids: string[] }>(sql`
        select named.session_id, array(
          select ${replayPeople.distinctId} from ${replayPeople}
          where ${replayPeople.projectId} = ${projectId} and ${replayPeople.sessionId} = named.session_id
          order by 1 limit ${MAX_PEOPLE}
        ) as distinct_ids
        from unnest(${sql.param(sessionIds)}::text[]) as named(session_id)`);
      return new Map(rows.map((row) => [row.session_id, row.distinct_ids]));
    },

    async findSpans({ projectId, sessionId }) {
      const rows = await db.execute<{ from: number; to: number }>(sql`
        select min(seq) as "from", max(seq) as "to" from (
          select seq, seq - dense_rank() over (order by seq) as island from ${replayChunks}
          where ${replayChunks.projectId} = ${projectId} and ${replayChunks.sessionId} = ${sessionId}
        ) as numbered
        group by island order by 1 limit ${MAX_SPANS}`);
      return rows.map(({ from, to }) => ({ from: Number(from), to: Number(to) }));
    },

    async *chunksInOrder(name, after) {
      const { projectId, sessionId } = name;
      const { seq, firstAt, hash } = replayChunks;
      let last = after;
      for (;;) {
        // The first condition can use the index.
        const afterLast =
          last &&
          and(
            gte(seq, last.seq),
            sql`(${seq}, ${firstAt}, ${hash}) > (${last.seq}::bigint, ${last.firstAt.toISOString()}::timestamptz, ${last.hash}::text)`,
          );
        const page = await db
          .select({ seq, firstAt, hash })
          .from(replayChunks)
          .where(and(isOfSession(replayChunks, name), afterLast))
          .orderBy(asc(seq), asc(firstAt), asc(hash))
          .limit(CHUNK_PAGE_SIZE);
        for (const row of page) yield { projectId, sessionId, ...row };
        last = page.at(-1);
        if (last === undefined || page.length < CHUNK_PAGE_SIZE) return;
      }
    },
  };
}

function conditionsOf({ event, page, minSeconds, maxSeconds, errors }: Filters = {}): SQL[] {
  const seconds = sql`extract(epoch from ${replays.lastAt} - ${replays.firstAt})`;
  return [
    ...(event === undefined ? [] : [sql`${event} = any(${replays.eventNames})`]),
    ...(page === undefined
      ? []
      : [sql`exists (select from unnest(${replays.pages}) as visited where strpos(visited, ${page}) > 0)`]),
    ...(minSeconds === undefined ? [] : [sql`${seconds} >= ${minSeconds}`]),
    ...(maxSeconds === undefined ? [] : [sql`${seconds} <= ${maxSeconds}`]),
    ...(errors === undefined ? [] : [errors ? sql`${replays.errors} > 0` : sql`${replays.errors} = 0`]),
  ];
}

function isAfter(table: typeof replays | typeof replayPeople, after: PageStart | undefined): SQL | undefined {
  if (after === undefined) return undefined;
  const { receivedAt, sessionId } = after;
  return sql`(${table.receivedAt}, ${table.sessionId}) < (${receivedAt.toISOString()}::timestamptz, ${sessionId})`;
}
