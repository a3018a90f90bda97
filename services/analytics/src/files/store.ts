import { type ArchiveFileRecord, fnv1a } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import { and, eq, gte, inArray, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { archivedOffsets, archiveFiles } from '../schema/index.ts';

export type KnownFile = Pick<
  ArchiveFileRecord,
  'key' | 'project' | 'bucket' | 'buckets' | 'bytes' | 'replaces'
>;

export interface Wanted {
  projectId: string;
  /** Undefined for events of any name. */
  names: readonly string[] | undefined;
  /** Milliseconds since 1970. `to` is exclusive. Undefined for all of the past or future. */
  from?: number | undefined;
  to?: number | undefined;
}

/** The combined changes of records of the topic. */
export interface FileChanges {
  files: readonly ArchiveFileRecord[];
  /** Keys. */
  gone: readonly string[];
  /** Undefined if unchanged. */
  offsets: bigint[] | undefined;
}

export interface FilesStore {
  /**
   * Applies all changes at once. Otherwise, when a file is gone, the files it replaced would be read until they are
   * gone too.
   */
  apply(region: string, changes: FileChanges): Promise<void>;
  /** Returns the end offsets by partition: these files contain the events before them. Empty while unknown. */
  offsets(region: string): Promise<bigint[]>;
  /** Returns the files that may contain rows of these events, including replaced ones; at most `limit`. */
  find(wanted: Wanted, limit: number): Promise<KnownFile[]>;
  /** Returns those of these files that are unknown, or have been replaced for at least one project. */
  gone(keys: readonly string[]): Promise<string[]>;
}

/** Earlier than any event. PostgreSQL's times begin a little before. */
const EARLIEST_MS = Date.UTC(-4000, 0);

/**
 * Converts milliseconds since 1970 to a time. PostgreSQL cannot parse the year 0 or years of more than four digits.
 */
function timeAt(ms: number): SQL {
  return sql`to_timestamp(${Math.max(ms, EARLIEST_MS)}::double precision / 1000)::timestamptz(3)`;
}

export function createFilesStore(db: Db): FilesStore {
  return {
    apply: (region, { files, gone, offsets }) =>
      db.transaction(async (tx) => {
        for (const { key, project, bucket, buckets, bytes, replaces, ...file } of files) {
          const row = {
            project,
            bucket,
            buckets,
            bytes,
            replaces,
            firstOccurredAt: timeAt(Date.parse(file.firstOccurredAt)),
            lastOccurredAt: timeAt(Date.parse(file.lastOccurredAt)),
            eventNames: file.eventNames,
          };
          await tx
            .insert(archiveFiles)
            .values({ key, ...row })
            .onConflictDoUpdate({ target: archiveFiles.key, set: row });
        }
        if (gone.length > 0) await tx.delete(archiveFiles).where(inArray(archiveFiles.key, [...gone]));
        if (offsets === undefined) return;
        const { region: target } = archivedOffsets;
        await tx
          .insert(archivedOffsets)
          .values({ region, offsets })
          .onConflictDoUpdate({ target, set: { offsets } });
      }),

    async offsets(region) {
      const [row] = await db.select().from(archivedOffsets).where(eq(archivedOffsets.region, region));
      return row?.offsets ?? [];
    },

    find({ projectId, names, from, to }, limit) {
      const hash = fnv1a(projectId);
      const ofProject = or(
        eq(archiveFiles.project, projectId),
        and(
          isNull(archiveFiles.project),
          or(
            isNull(archiveFiles.bucket),
            sql`${archiveFiles.bucket} = ${hash}::bigint % ${archiveFiles.buckets}`,
          ),
        ),
      );
      return db
        .select({
          key: archiveFiles.key,
          project: archiveFiles.project,
          bucket: archiveFiles.bucket,
          buckets: archiveFiles.buckets,
          bytes: archiveFiles.bytes,
          replaces: archiveFiles.replaces,
        })
        .from(archiveFiles)
        .where(
          and(
            ofProject,
            from === undefined ? undefined : gte(archiveFiles.lastOccurredAt, timeAt(from)),
            to === undefined ? undefined : lt(archiveFiles.firstOccurredAt, timeAt(to)),
            names === undefined
              ? undefined
              : or(
                  isNull(archiveFiles.eventNames),
                  sql`${archiveFiles.eventNames} && ${sql.param([...names])}::text[]`,
                ),
          ),
        )
        .orderBy(archiveFiles.key)
        .limit(limit);
    },

    async gone(keys) {
      const rows = await db.execute(sql`
        select key from unnest(${sql.param([...keys])}::text[]) as cached(key)
        where not exists (select 1 from ${archiveFiles} as known where known.key = cached.key)
          or exists (select 1 from ${archiveFiles} as later where later.replaces @> array[cached.key])`);
      return z
        .array(z.object({ key: z.string() }))
        .parse([...rows])
        .map(({ key }) => key);
    },
  };
}
