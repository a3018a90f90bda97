import { z } from '@hono/zod-openapi';

/** The compacted topic on which archive says which Parquet files of events exist. One partition: records are in order. */
export const ARCHIVE_FILES_TOPIC = 'archive-files';

const when = z.iso.datetime({ precision: 3 });

/**
 * The JSON value of a record on `archive-files`, whose key is the object's key. Without a value the file is gone, as
 * are those that it replaced: their records without a value come before. A file is never changed: a change is a new file
 * that replaces it.
 */
export const archiveFileRecord = z.object({
  key: z.string().min(1).meta({ description: "The object's key." }),
  region: z.string().min(1),
  project: z.string().min(1).nullable().meta({ description: 'null: rows of many projects.' }),
  bucket: z.int().min(0).nullable().meta({
    description: 'It has rows of projects in this bucket only, see `bucketOf`; null: of any project.',
  }),
  buckets: z.int().min(1).nullable().meta({ description: 'Into how many; null if `bucket` is.' }),
  day: z.iso.date().meta({ description: 'UTC day of acceptance of its rows.' }),
  rows: z.int().min(1),
  bytes: z.int().min(1),
  firstOccurredAt: when.meta({ description: 'Smallest `occurred_at`.' }),
  lastOccurredAt: when.meta({ description: 'Largest `occurred_at`.' }),
  eventNames: z.array(z.string()).nullable().meta({ description: 'null: too many to list.' }),
  replaces: z.array(z.string()).meta({
    description:
      'Keys of files that are not read from the moment this record is seen, for the projects that this file covers: see `filesOfProject`.',
  }),
  createdAt: when,
});
export type ArchiveFileRecord = z.infer<typeof archiveFileRecord>;

const OFFSETS_HEADER = 'events';
const OFFSETS = /^\d+(,\d+)*$/;

/** The key of the record of `archivedOffsetsRecord`. */
export const archivedOffsetsKey = (region: string): string => `offsets/${region}`;

/**
 * The record on `archive-files` that says which events are in the files of the records before it: those on `events`
 * before these offsets, by partition. It has no value, so that readers who know only files pass over it.
 */
export function archivedOffsetsRecord(region: string, offsets: readonly bigint[]) {
  return { key: archivedOffsetsKey(region), value: null, headers: { [OFFSETS_HEADER]: offsets.join(',') } };
}

/** The offsets in the headers of such a record; undefined if there are none. */
export function readArchivedOffsets(headers: Readonly<Record<string, string>>): bigint[] | undefined {
  const text = headers[OFFSETS_HEADER] ?? '';
  return OFFSETS.test(text) ? text.split(',').map(BigInt) : undefined;
}

type Coverage = Pick<ArchiveFileRecord, 'project' | 'bucket' | 'buckets'>;

const FNV_OFFSET_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const UTF8 = new TextEncoder();

/** FNV-1a of the UTF-8 bytes, as an unsigned 32-bit integer. */
export function fnv1a(text: string): number {
  let hash = FNV_OFFSET_BASIS;
  for (const byte of UTF8.encode(text)) hash = Math.imul(hash ^ byte, FNV_PRIME);
  return hash >>> 0;
}

/** A project's bucket of so many, from 0. */
export function bucketOf(projectId: string, buckets: number): number {
  return fnv1a(projectId) % buckets;
}

/** Whether a file may have rows of a project. */
export function coversProject({ project, bucket, buckets }: Coverage, projectId: string): boolean {
  if (project !== null) return project === projectId;
  return bucket === null || buckets === null || bucketOf(projectId, buckets) === bucket;
}

/**
 * Which of the known files hold a project's rows, each row once. A file that covers the project hides the ones it
 * replaces, so that a project's rows move to new files with one record though other projects' move with other records.
 */
export function filesOfProject<File extends Coverage & Pick<ArchiveFileRecord, 'key' | 'replaces'>>(
  files: Iterable<File>,
  projectId: string,
): File[] {
  const own = [...files].filter((file) => coversProject(file, projectId));
  const replaced = new Set(own.flatMap(({ replaces }) => replaces));
  return own.filter(({ key }) => !replaced.has(key));
}
