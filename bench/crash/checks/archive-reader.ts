import { buffer } from 'node:stream/consumers';
import { zstdDecompressSync } from 'node:zlib';
import { openDatabase } from '@switchboard/database';
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

/** Reads every row of every archive file that was not replaced, including files that its database does not list. */
export async function readArchive(objects: ObjectStore, databaseUrl: string): Promise<ArchiveContents> {
  const listed: string[] = [];
  for await (const { key } of objects.list('events/')) listed.push(key);
  const known = await knownFiles(databaseUrl);
  const unknown = listed.filter((key) => !known.has(key));
  const keys = [...unknown, ...[...known].filter(([, isRead]) => isRead).map(([key]) => key)];
  const files = await pMap(keys, (key) => readFile(objects, key), { concurrency: MAX_CONCURRENT_READS });
  return { events: files.flat(), files: keys.length };
}

/** Reads the archive's table of files: for each file, whether it is read. */
async function knownFiles(databaseUrl: string): Promise<Map<string, boolean>> {
  const database = openDatabase({ url: databaseUrl, applicationName: 'bench' });
  try {
    const rows = await database.sql<{ key: string; is_read: boolean }[]>`
      select key, replaced_at is null and deleted_at is null as is_read from event_files`;
    return new Map(rows.map((row) => [row.key, row.is_read]));
  } finally {
    await database.close();
  }
}

async function readFile(objects: ObjectStore, key: string): Promise<FoundEvent[]> {
  const found = await objects.get(key);
  // The check then reports the events as missing.
  if (found === undefined) return [];
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
