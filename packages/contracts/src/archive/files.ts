import { z } from '@hono/zod-openapi';

/**
 * The compacted topic on which archive publishes the existing Parquet files of events. It has one partition, so its
 * records are in order.
 */
export const ARCHIVE_FILES_TOPIC = 'archive-files';

const when = z.iso.datetime({ precision: 3 });

/**
 * The JSON value of a record on `archive-files`. The key of the record is the key of the object. A record without a
 * value deletes the file. The records that delete the files that it replaced come before. A file is never changed: a
 * change is a new file that replaces it.
 */
export const archiveFileRecord = z.object({
  key: z.string().min(1).meta({ description: "The object's key." }),
  region: z.string().min(1),
  project: z.string().min(1).nullable().meta({ description: 'null if the file has rows of many projects.' }),
  bucket: z.int().min(0).nullable().meta({
    description: 'The file has only rows of projects in this bucket, see `bucketOf`. null: of any project.',
  }),
  buckets: z
    .int()
    .min(1)
    .nullable()
    .meta({ description: 'The number of buckets. null if `bucket` is null.' }),
  day: z.iso.date().meta({ description: 'UTC day on which its rows were accepted.' }),
  rows: z.int().min(1),
  bytes: z.int().min(1),
  firstOccurredAt: when.meta({ description: 'Smallest `occurred_at`.' }),
  lastOccurredAt: when.meta({ description: 'Largest `occurred_at`.' }),
  eventNames: z.array(z.string()).nullable().meta({ description: 'null if there are too many to list.' }),
  replaces: z.array(z.string()).meta({
    description:
      'Keys of files that readers ignore once they have this record, for the projects that this file covers; see `filesOfProject`.',
  }),
  createdAt: when,
});
export type ArchiveFileRecord = z.infer<typeof archiveFileRecord>;

const OFFSETS_HEADER = 'events';
const OFFSETS = /^\d+(,\d+)*$/;

/** Returns the key of the record of `archivedOffsetsRecord`. */
export const archivedOffsetsKey = (region: string): string => `offsets/${region}`;

/**
 * Creates the record on `archive-files` that describes which events are in the files of the records before it: those
 * on `events` before these offsets, by partition. It has no value, so that readers that know only files skip it.
 */
export function archivedOffsetsRecord(region: string, offsets: readonly bigint[]) {
  return { key: archivedOffsetsKey(region), value: null, headers: { [OFFSETS_HEADER]: offsets.join(',') } };
}

/** Reads the offsets from the headers of such a record. Returns undefined if there are none. */
export function readArchivedOffsets(headers: Readonly<Record<string, string>>): bigint[] | undefined {
  const text = headers[OFFSETS_HEADER] ?? '';
  return OFFSETS.test(text) ? text.split(',').map(BigInt) : undefined;
}

type Coverage = Pick<ArchiveFileRecord, 'project' | 'bucket' | 'buckets'>;

const FNV_OFFSET_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const UTF8 = new TextEncoder();

/** Computes FNV-1a of the UTF-8 bytes, as an unsigned 32-bit integer. */
export function fnv1a(text: string): number {
  let hash = FNV_OFFSET_BASIS;
  for (const byte of UTF8.encode(text)) hash = Math.imul(hash ^ byte, FNV_PRIME);
  return hash >>> 0;
}

/** Returns the bucket of a project, from 0 to `buckets` - 1. */
export function bucketOf(projectId: string, buckets: number): number {
  return fnv1a(projectId) % buckets;
}

/** Returns whether a file may contain rows of a project. */
export function coversProject({ project, bucket, buckets }: Coverage, projectId: string): boolean {
  if (project !== null) return project === projectId;
  return bucket === null || buckets === null || bucketOf(projectId, buckets) === bucket;
}

/**
 * Returns the known files that contain a project's rows, each row once. A file that covers the project hides the
 * files that it replaces. One record therefore moves a project's rows to new files, even if other records move the
 * rows of other projects.
 */
export function filesOfProject<File extends Coverage & Pick<ArchiveFileRecord, 'key' | 'replaces'>>(
  files: Iterable<File>,
  projectId: string,
): File[] {
  const own = [...files].filter((file) => coversProject(file, projectId));
  const replaced = new Set(own.flatMap(({ replaces }) => replaces));
  return own.filter(({ key }) => !replaced.has(key));
}
