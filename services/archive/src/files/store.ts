import { randomUUID } from 'node:crypto';
import type { Db, Tx } from '@switchboard/database';
import type { OutboxSource, Republication } from '@switchboard/outbox';
import { type SQL, sql } from 'drizzle-orm';
import type { NewFile } from '../rows/contents.ts';
import { adoptions, erasedProjects, eventFiles, publishedFiles } from '../schema/index.ts';
import { newFileColumns, rowsOfFiles } from '../schema/insert-files.ts';

export interface KnownFile extends NewFile {
  createdAt: number;
  madeBy: string | null;
  replacedBy: string | null;
  /** False if the file was replaced, or is being written. */
  isRead: boolean;
  /** Whether the topic has the latest state of the file. */
  isPublished: boolean;
  isDeleted: boolean;
}

/** A replacement of files by others. */
export interface Step {
  id: string;
  replaced: readonly string[];
  /** The new files. Those that take precedence for a project come first. */
  files: readonly NewFile[];
}

/** A state of a file that is not on the topic yet. */
export interface UnpublishedFile extends KnownFile {
  revision: bigint;
  /** Keys. */
  replaces: string[];
  /** Whether no new reader uses the file. */
  isGone: boolean;
}

export interface FilesStore {
  find(keys: readonly string[]): Promise<KnownFile[]>;
  /** Returns the files that a step made. */
  madeBy(step: string): Promise<KnownFile[]>;
  /** Returns the readable files of this day and later ones, the earliest days first. */
  readable(fromDay: string, limit: number): Promise<KnownFile[]>;
  /** Returns the readable files of a day. */
  readableOf(day: string, limit?: number): Promise<KnownFile[]>;
  /** Returns the latest day before this one with readable files. */
  dayBefore(day: string): Promise<string | undefined>;
  /** Enters stored files, which replace others (keys). */
  enter(files: readonly NewFile[], replaced: readonly string[]): Promise<void>;
  /** Whether a rebuild of the manifest was requested. */
  isRebuildWanted(): Promise<boolean>;
  markRebuilt(): Promise<void>;
  /** Returns the files with an object, replaced or not, that may have rows of a project in these buckets. */
  existing(project: {
    projectId: string;
    bucketOf(buckets: number): number;
    after: string;
    limit: number;
  }): Promise<KnownFile[]>;
  /** Records the files that a step is about to write. If it is never carried out, their objects are deleted. */
  prepare(step: Step): Promise<void>;
  /**
   * Carries out a prepared step atomically. Returns false, without any change, if a file that it replaces is no
   * longer read, or one of its own was given up.
   */
  replace(step: Step): Promise<boolean>;
  /** Prevents a prepared file from ever being read. Returns false if its step has already been carried out. */
  giveUp(key: string): Promise<boolean>;
  /**
   * Returns keys of files that were replaced at least `seconds` ago and are on the topic. Until they are published,
   * they hide other files there.
   */
  replacedBefore(seconds: number, limit: number): Promise<string[]>;
  /** Returns the keys of these files, and of all existing files that they replaced, directly or indirectly. */
  withReplaced(keys: readonly string[]): Promise<string[]>;
  /**
   * Marks files as deleted. The tombstone of a file follows those of the files that it replaced, if they are among
   * these.
   */
  markDeleted(keys: readonly string[]): Promise<void>;
  /** Returns the projects with events to erase, those that have waited longest first. */
  projectsToErase(): Promise<string[]>;
  markErased(projectId: string): Promise<void>;
  /**
   * Replaces up to `limit` files of days before this one by nothing, the earliest first, and returns how many. They
   * leave the topic at once. Their objects remain for current readers, like those of other replaced files. A file
   * waits until the files that it replaced are deleted, because they would be read again without it.
   */
  expire(beforeDay: string, limit: number): Promise<number>;
  /** Returns the earliest day with readable files. */
  oldestDay(): Promise<string | undefined>;
  /** Deletes up to `limit` rows of files that were deleted `days` ago, and returns how many. */
  forget(days: number, limit: number): Promise<number>;
}

/** A step that takes longer is not carried out. */
const MAX_STEP_SECONDS = 3600;
/** The id of the step that replaces files by nothing. */
const NOTHING = '00000000-0000-0000-0000-000000000000';
const NEXT_REVISION = sql`nextval(pg_get_serial_sequence('event_files', 'revision'))`;

interface FileRow extends Record<string, unknown> {
  key: string;
  day: string;
  project_id: string | null;
  bucket: number | null;
  buckets: number | null;
  rows: number | bigint;
  bytes: number | bigint;
  row_bytes: number | bigint;
  first_occurred_at: number | bigint;
  last_occurred_at: number | bigint;
  event_names: string[] | null;
  created_ms: number | bigint;
  made_by: string | null;
  replaced_by: string | null;
  is_read: boolean;
  is_published: boolean;
  is_deleted: boolean;
}

const columns = sql`key, day::text as day, project_id, bucket, buckets, rows, bytes, row_bytes, first_occurred_at,
  last_occurred_at, event_names, (extract(epoch from created_at) * 1000)::bigint as created_ms, made_by,
  replaced_by, replaced_at is null and deleted_at is null as is_read,
  published_at is not null as is_published, deleted_at is not null as is_deleted`;

export function createFilesStore(db: Db): FilesStore {
  const keysOf = (keys: readonly string[]) => sql`any(${sql.param(keys)}::text[])`;
  const isRead = sql`replaced_at is null and deleted_at is null`;
  const select = async (where: SQL) =>
    (await db.execute<FileRow>(sql`select ${columns} from ${eventFiles} where ${where}`)).map(fileOf);
  const dayOf = async (day: SQL, where: SQL) => {
    const [row] = await db.execute<{ day: string | null }>(sql`
      select ${day}::text as day from ${eventFiles} where ${where}`);
    return row?.day ?? undefined;
  };

  return {
    find: (keys) => select(sql`key = ${keysOf(keys)}`),

    madeBy: (step) => select(sql`made_by = ${step}`),

    readable: (fromDay, limit) =>
      select(sql`day >= ${fromDay}::date and ${isRead} order by day, key limit ${limit}`),

    readableOf: (day, limit) =>
      select(sql`day = ${day}::date and ${isRead} order by key limit ${limit ?? null}`),

    dayBefore: (day) => dayOf(sql`max(day)`, sql`day < ${day}::date and ${isRead}`),

    async enter(files, replaced) {
      const id = randomUUID();
      await db.transaction(async (tx) => {
        await tx.execute(sql`
          insert into ${eventFiles} (${newFileColumns}, made_by) select ${newFileColumns}, ${id}::uuid
          from ${rowsOfFiles(files)} on conflict (key) do nothing`);
        await tx.execute(sql`
          update ${eventFiles} set replaced_by = ${id}, replaced_at = now()
          where key = ${keysOf(replaced)} and ${isRead}`);
      });
    },

    async isRebuildWanted() {
      const rows = await db.execute(sql`select 1 from ${adoptions} limit 1`);
      return rows.length > 0;
    },

    async markRebuilt() {
      await db.execute(sql`delete from ${adoptions}`);
    },

    async existing({ projectId, bucketOf, after, limit }) {
      const known = await db.execute<{ buckets: number }>(sql`
        select distinct buckets from ${eventFiles} where buckets is not null and deleted_at is null`);
      const buckets = known.map((row) => row.buckets);
      const column = (values: number[]) => sql`${sql.param(values)}::integer[]`;
      return select(sql`key > ${after} and deleted_at is null and (
          project_id = ${projectId}
          or project_id is null and (bucket is null or (bucket, buckets) in (
            select * from unnest(${column(buckets.map(bucketOf))}, ${column(buckets)})))
        ) order by key limit ${limit}`);
    },

    async prepare({ id, files }) {
      await db.execute(sql`
        insert into ${eventFiles} (${newFileColumns}, made_by, replaced_at, published_at)
        select ${newFileColumns}, ${id}::uuid, now() + interval '1 second' * ${MAX_STEP_SECONDS}, now()
        from ${rowsOfFiles(files)}`);
    },

    replace: ({ id, replaced, files }) =>
      db.transaction(async (tx) => {
        // In a fixed order, so that two steps do not deadlock.
        const locked = await tx.execute<{ key: string }>(sql`
          select key from ${eventFiles} where deleted_at is null
            and (key = ${keysOf(replaced)} and replaced_at is null
              or made_by = ${id} and replaced_by is null and replaced_at > now())
          order by key for update`);
        if (locked.length !== replaced.length + files.length) return false;
        await tx.execute(sql`
          update ${eventFiles} set replaced_by = ${id}, replaced_at = now() where key = ${keysOf(replaced)}`);
        // This order matters, because a file hides others as soon as its record is seen.
        for (const { key } of files) {
          await tx.execute(sql`
            update ${eventFiles} set replaced_at = null, published_at = null, revision = ${NEXT_REVISION}
            where key = ${key}`);
        }
        return true;
      }),

    async giveUp(key) {
      const rows = await db.execute(sql`
        update ${eventFiles} set replaced_by = ${NOTHING}, replaced_at = now()
        where key = ${key} and replaced_at is not null and replaced_by is null and deleted_at is null returning 1`);
      return rows.length > 0;
    },

    async replacedBefore(seconds, limit) {
      const rows = await db.execute<{ key: string }>(sql`
        select key from ${eventFiles} where deleted_at is null and published_at is not null
          and replaced_at < now() - interval '1 second' * ${seconds}
        order by replaced_at limit ${limit}`);
      return rows.map(({ key }) => key);
    },

    async withReplaced(keys) {
      const rows = await db.execute<{ key: string }>(sql`
        with recursive found (key, made_by) as (
          select key, made_by from ${eventFiles} where key = ${keysOf(keys)}
          union
          select replaced.key, replaced.made_by from found
            join ${eventFiles} as replaced on replaced.replaced_by = found.made_by and replaced.deleted_at is null
        ) select key from found`);
      return rows.map(({ key }) => key);
    },

    async markDeleted(keys) {
      await db.transaction(async (tx) => {
        // Locks the rows before any gets its revision, so that concurrent deletions of the same files keep the order.
        const locked = await tx.execute<{ key: string }>(sql`
          select key from ${eventFiles} where key = ${keysOf(keys)} and deleted_at is null order by key for update`);
        // A file has a later revision than the files that it replaced.
        await tx.execute(sql`
          update ${eventFiles} as file set deleted_at = now(), replaced_at = coalesce(replaced_at, now()),
            revision = gone.revision, published_at = null
          from (
            select key, ${NEXT_REVISION} as revision from (
              select key from ${eventFiles} where key = ${keysOf(locked.map(({ key }) => key))} order by revision
            ) as in_order
          ) as gone where file.key = gone.key`);
      });
    },

    async projectsToErase() {
      const rows = await db.execute<{ project_id: string }>(sql`
        select project_id from ${erasedProjects} order by requested_at`);
      return rows.map((row) => row.project_id);
    },

    async markErased(projectId) {
      await db.execute(sql`delete from ${erasedProjects} where project_id = ${projectId}`);
    },

    async expire(beforeDay, limit) {
      const rows = await db.execute(sql`
        update ${eventFiles} set replaced_by = ${NOTHING}, replaced_at = now(), published_at = null,
          revision = ${NEXT_REVISION}
        where key = any(array(
          select key from ${eventFiles} as file where day < ${beforeDay}::date and ${isRead} and not exists (
            select 1 from ${eventFiles} as replaced
            where replaced.replaced_by = file.made_by and replaced.deleted_at is null
          ) order by day, key limit ${limit} for update skip locked
        )) returning 1`);
      return rows.length;
    },

    oldestDay: () => dayOf(sql`min(day)`, isRead),

    async forget(days, limit) {
      const rows = await db.execute(sql`
        delete from ${eventFiles} where key = any(array(
          select key from ${eventFiles} where deleted_at < now() - interval '1 day' * ${days}
            and published_at is not null
          limit ${limit} for update skip locked
        )) returning 1`);
      return rows.length;
    },
  };
}

// Other files belong to a prepared step that is not, or never was, carried out.
const isWritten = sql`(replaced_at is null or replaced_by is not null or deleted_at is not null)`;

export function createPublishedFilesStore(tx: Db | Tx): OutboxSource<UnpublishedFile> {
  return {
    async oldest(limit) {
      const rows = await tx.execute<FileRow & { revision: string; replaces: string[]; is_gone: boolean }>(sql`
        select ${columns}, revision::text as revision,
          deleted_at is not null or replaced_by is not distinct from ${NOTHING} as is_gone, array(
          select replaced.key from ${eventFiles} as replaced where replaced.replaced_by = file.made_by order by 1
        ) as replaces
        from ${eventFiles} as file where published_at is null and ${isWritten} order by file.revision
        limit ${limit}`);
      return rows.map((row) => ({
        ...fileOf(row),
        revision: BigInt(row.revision),
        replaces: row.replaces,
        isGone: row.is_gone,
      }));
    },

    async markPublished(files) {
      await tx.execute(sql`
        update ${eventFiles} set published_at = now()
        from unnest(${sql.param(files.map(({ key }) => key))}::text[],
          ${sql.param(files.map(({ revision }) => String(revision)))}::text[]::bigint[]) as sent (key, revision)
        where event_files.key = sent.key and event_files.revision = sent.revision`);
    },
  };
}

export const filesRepublication: Republication = {
  offsets: publishedFiles,
  async publishAll(tx) {
    const rows = await tx.execute(sql`
      update ${eventFiles} set published_at = null where published_at is not null and ${isWritten} returning 1`);
    return rows.length;
  },
};

function fileOf(row: FileRow): KnownFile {
  return {
    key: row.key,
    day: row.day,
    projectId: row.project_id,
    bucket: row.bucket,
    buckets: row.buckets,
    rows: Number(row.rows),
    bytes: Number(row.bytes),
    rowBytes: Number(row.row_bytes),
    firstOccurredAt: Number(row.first_occurred_at),
    lastOccurredAt: Number(row.last_occurred_at),
    eventNames: row.event_names,
    createdAt: Number(row.created_ms),
    madeBy: row.made_by,
    replacedBy: row.replaced_by,
    isRead: row.is_read,
    isPublished: row.is_published,
    isDeleted: row.is_deleted,
  };
}
