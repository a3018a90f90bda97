import { buffer } from 'node:stream/consumers';
import { zstdDecompressSync } from 'node:zlib';
import type { ObjectStore } from '@switchboard/object-store';
import { parquetReadObjects } from 'hyparquet';
import pMap from 'p-map';
import type { FoundEvent } from './events.ts';

const MAX_CONCURRENT_READS = 8;
const COLUMNS = [
  'project_id',
  'event_id',
  'event_name',
  'distinct_id',
  'session_id',
  'schema_version',
  'timestamp',
  'properties',
  'context',
];

export interface ArchiveContents {
  events: FoundEvent[];
  files: number;
}

/** Every row of every file of the event archive. */
export async function readArchive(objects: ObjectStore): Promise<ArchiveContents> {
  const keys: string[] = [];
  for await (const { key } of objects.list('events/')) keys.push(key);
  const files = await pMap(keys, (key) => readFile(objects, key), { concurrency: MAX_CONCURRENT_READS });
  return { events: files.flat(), files: keys.length };
}

async function readFile(objects: ObjectStore, key: string): Promise<FoundEvent[]> {
  const found = await objects.get(key);
  if (found === undefined) throw new Error(`${key} was listed but does not exist`);
  const bytes = await buffer(found.body);
  const rows = await parquetReadObjects({
    file: {
      byteLength: bytes.byteLength,
      slice: (start, end) => new Uint8Array(bytes.subarray(start, end)).buffer,
    },
    columns: COLUMNS,
    compressors: { ZSTD: (compressed) => zstdDecompressSync(compressed) },
  });
  return rows.map((row, index) => ({
    project: row['project_id'],
    event_id: row['event_id'],
    event_name: row['event_name'],
    distinct_id: row['distinct_id'],
    session_id: row['session_id'],
    schema_version: Number(row['schema_version']),
    timestamp: row['timestamp'],
    properties: JSON.parse(row['properties']),
    context: JSON.parse(row['context']),
    place: `${key}, row ${index}`,
  }));
}
