import { type Database, removeSome, type Tx } from '@switchboard/database';
import { and, asc, desc, eq, gt, inArray, lt, lte, min, type SQL, sql } from 'drizzle-orm';
import { deadLetters } from '../schema/index.ts';

export type LetterRow = typeof deadLetters.$inferSelect;
export type NewLetter = Omit<typeof deadLetters.$inferInsert, 'id' | 'replays' | 'replayedAt'>;

/** The place of a letter on a dead-letter topic. */
export interface LetterPlace {
  partition: number;
  offset: number;
}

/** Selects letters. */
export interface LetterFilter {
  topic?: string | undefined;
  projectId?: string | undefined;
  state?: 'waiting' | 'replayed' | undefined;
}

/** Selects the letters of a topic that wait to be replayed. */
export interface WaitingFilter {
  topic: string;
  projectId?: string | undefined;
  /** A part of the reason. */
  reason?: string | undefined;
  /** The id of the last letter. */
  through: number;
}

export interface DeadLettersStore {
  /** Adds letters. A letter at the place of an earlier one, on a topic that was created again, replaces it. */
  add(letters: readonly NewLetter[]): Promise<void>;
  /** Returns letters below an id, newest first. */
  list(filter: LetterFilter, before: number | undefined, limit: number): Promise<LetterRow[]>;
  find(topic: string, place: LetterPlace): Promise<LetterRow | undefined>;
  /** Returns the id of the newest letter of a topic; 0 if there is none. */
  newest(topic: string): Promise<number>;
  /** Locks up to `limit` letters, oldest first, except those that another transaction has locked. */
  lockWaiting(filter: WaitingFilter, limit: number): Promise<LetterRow[]>;
  countWaiting(filter: WaitingFilter): Promise<number>;
  /** Locks letters at known places, oldest first. */
  lock(topic: string, places: readonly LetterPlace[]): Promise<LetterRow[]>;
  markReplayed(ids: readonly number[]): Promise<void>;
  remove(ids: readonly number[]): Promise<void>;
  /** Removes up to `limit` letters from before a time. Returns how many. */
  removeBefore(time: Date, limit: number): Promise<number>;
  oldest(): Promise<Date | undefined>;
  /** Removes up to `limit` letters of a project. Returns how many. */
  removeProject(projectId: string, limit: number): Promise<number>;
}

export function createDeadLettersStore(db: Database['drizzle'] | Tx): DeadLettersStore {
  const isAt = (topic: string, places: readonly LetterPlace[]) =>
    and(
      eq(deadLetters.topic, topic),
      sql`(${deadLetters.logPartition}, ${deadLetters.logOffset}) in (
        select * from unnest(
          ${sql.param(places.map(({ partition }) => partition))}::int[],
          ${sql.param(places.map(({ offset }) => String(offset)))}::text[]::bigint[]
        ))`,
    );

  const remove = (where: SQL, limit: number) =>
    removeSome(db, deadLetters, { where, limit, skipsLocked: true });

  return {
    async add(letters) {
      if (letters.length === 0) return;
      const { topic, logPartition, logOffset, deadLetteredAt } = deadLetters;
      await db
        .insert(deadLetters)
        .values([...letters])
        .onConflictDoUpdate({
          target: [topic, logPartition, logOffset],
          set: {
            deadLetteredAt: sql`excluded.dead_lettered_at`,
            reason: sql`excluded.reason`,
            projectId: sql`excluded.project_id`,
            requestId: sql`excluded.request_id`,
            bytes: sql`excluded.bytes`,
            replays: 0,
            replayedAt: null,
          },
          // Otherwise the same letter was read again.
          setWhere: sql`${deadLetteredAt} <> excluded.dead_lettered_at`,
        });
    },

    list: ({ topic, projectId, state }, before, limit) =>
      db
        .select()
        .from(deadLetters)
        .where(
          and(
            topic === undefined ? undefined : eq(deadLetters.topic, topic),
            projectId === undefined ? undefined : eq(deadLetters.projectId, projectId),
            state === undefined ? undefined : state === 'waiting' ? isWaiting : gt(deadLetters.replays, 0),
            before === undefined ? undefined : lt(deadLetters.id, before),
          ),
        )
        .orderBy(desc(deadLetters.id))
        .limit(limit),

    async find(topic, place) {
      const [row] = await db
        .select()
        .from(deadLetters)
        .where(isAt(topic, [place]));
      return row;
    },

    async newest(topic) {
      const [row] = await db
        .select({ id: deadLetters.id })
        .from(deadLetters)
        .where(eq(deadLetters.topic, topic))
        .orderBy(desc(deadLetters.id))
        .limit(1);
      return row?.id ?? 0;
    },

    lockWaiting: (filter, limit) =>
      db
        .select()
        .from(deadLetters)
        .where(waits(filter))
        .orderBy(asc(deadLetters.id))
        .limit(limit)
        .for('update', { skipLocked: true }),

    countWaiting: (filter) => db.$count(deadLetters, waits(filter)),

    lock: (topic, places) =>
      db.select().from(deadLetters).where(isAt(topic, places)).orderBy(asc(deadLetters.id)).for('update'),

    async markReplayed(ids) {
      await db
        .update(deadLetters)
        .set({ replays: sql`${deadLetters.replays} + 1`, replayedAt: sql`now()` })
        .where(inArray(deadLetters.id, [...ids]));
    },

    async remove(ids) {
      await db.delete(deadLetters).where(inArray(deadLetters.id, [...ids]));
    },

    removeBefore: (time, limit) => remove(sql`dead_lettered_at < ${time.toISOString()}::timestamptz`, limit),
    removeProject: (projectId, limit) => remove(sql`project_id = ${projectId}`, limit),

    async oldest() {
      const [row] = await db.select({ at: min(deadLetters.deadLetteredAt) }).from(deadLetters);
      return row?.at ?? undefined;
    },
  };
}

const isWaiting: SQL = eq(deadLetters.replays, 0);

function waits({ topic, projectId, reason, through }: WaitingFilter): SQL | undefined {
  return and(
    eq(deadLetters.topic, topic),
    isWaiting,
    lte(deadLetters.id, through),
    projectId === undefined ? undefined : eq(deadLetters.projectId, projectId),
    reason === undefined ? undefined : sql`strpos(${deadLetters.reason}, ${reason}) > 0`,
  );
}
