import { buffer } from 'node:stream/consumers';
import { zstdDecompressSync } from 'node:zlib';
import { openDatabase } from '@switchboard/database';
import { type ObjectStore, openObjectStore } from '@switchboard/object-store';
import { eventually, type S3Access } from '@switchboard/testkit';
import { parquetReadObjects } from 'hyparquet';

/** Counts each event id in the archive, after waiting for the accepted ones. */
export async function archivedEvents(
  { endpoint, accessKey, secretKey, bucket, region }: S3Access,
  databaseUrl: string,
  accepted: readonly string[],
  withinMs = 60_000,
): Promise<Map<string, number>> {
  const objects = openObjectStore({ endpoint, accessKey, secretKey, bucket, region });
  const read = async () => readArchive(objects, await knownFiles(databaseUrl));
  try {
    return await untilArchived(accepted, read, withinMs);
  } finally {
    objects.close();
  }
}

/** Reads the archive until it has the accepted events, at most for this time. Returns what it read last. */
export async function untilArchived(
  accepted: readonly string[],
  read: () => Promise<Map<string, number>>,
  withinMs: number,
): Promise<Map<string, number>> {
  let found = new Map<string, number>();
  await eventually(
    async () => {
      found = await read();
      const missing = accepted.filter((id) => !found.has(id)).length;
      if (missing > 0) throw new Error(`${missing} events are not archived yet`);
    },
    { withinMs },
  ).catch(() => undefined);
  return found;
}

/** Reads every file that was not replaced, including files that the archive's database does not list. */
export async function readArchive(
  objects: ObjectStore,
  known: ReadonlyMap<string, boolean>,
): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  const listed: string[] = [];
  for await (const { key } of objects.list('events/')) listed.push(key);
  const unknown = listed.filter((key) => !known.has(key));
  for (const key of [...unknown, ...[...known].filter(([, isRead]) => isRead).map(([one]) => one)]) {
    const object = await objects.get(key);
    if (object === undefined) throw new Error(`${key} is listed but does not exist`);
    const bytes = await buffer(object.body);
    const rows = await parquetReadObjects({
      file: {
        byteLength: bytes.byteLength,
        slice: (start, end) => new Uint8Array(bytes.subarray(start, end)).buffer,
      },
      columns: ['event_id'],
      compressors: { ZSTD: (compressed) => zstdDecompressSync(compressed) },
    });
    for (const { event_id: id } of rows) times.set(String(id), (times.get(String(id)) ?? 0) + 1);
  }
  return times;
}

/** Reads the archive's table of files: for each file, whether it is read. */
async function knownFiles(databaseUrl: string): Promise<Map<string, boolean>> {
  const database = openDatabase({ url: databaseUrl, applicationName: 'test' });
  try {
    const rows = await database.sql<{ key: string; is_read: boolean }[]>`
      select key, replaced_at is null and deleted_at is null as is_read from event_files`;
    return new Map(rows.map((row) => [row.key, row.is_read]));
  } finally {
    await database.close();
  }
}
