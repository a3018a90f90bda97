import { buffer } from 'node:stream/consumers';
import { zstdDecompressSync } from 'node:zlib';
import { type ObjectStore, openObjectStore } from '@switchboard/object-store';
import { eventually, type S3Access } from '@switchboard/testkit';
import { parquetReadObjects } from 'hyparquet';

/** Counts each event id in the archive, after waiting up to a minute for the accepted ones. */
export async function archivedEvents(
  { endpoint, accessKey, secretKey, bucket, region }: S3Access,
  accepted: readonly string[],
): Promise<Map<string, number>> {
  const objects = openObjectStore({ endpoint, accessKey, secretKey, bucket, region });
  try {
    let found = new Map<string, number>();
    await eventually(
      async () => {
        found = await readArchive(objects);
        const missing = accepted.filter((id) => !found.has(id)).length;
        if (missing > 0) throw new Error(`${missing} events are not archived yet`);
      },
      { withinMs: 60_000 },
    ).catch(() => undefined);
    return found;
  } finally {
    objects.close();
  }
}

async function readArchive(objects: ObjectStore): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for await (const { key } of objects.list('events/')) {
    const object = await objects.get(key);
    if (object === undefined) throw new Error(`${key} was listed but does not exist`);
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
