import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type ParquetType, parquetReadObjects, type SchemaElement } from 'hyparquet';
import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer';
import type { ArchivedEvent, Place } from './archived-event.ts';

interface Column extends Pick<ColumnSource, 'encoding' | 'statistics'> {
  element: SchemaElement;
  of(event: ArchivedEvent): string | number | bigint | null;
}

const text = (
  name: string,
  of: Column['of'],
  more: { isNullable?: boolean; isUnique?: boolean } = {},
): Column => ({
  element: {
    name,
    type: 'BYTE_ARRAY',
    // Both: older readers know the converted type alone.
    converted_type: 'UTF8',
    logical_type: { type: 'STRING' },
    repetition_type: more.isNullable ? 'OPTIONAL' : 'REQUIRED',
  },
  // A dictionary does not pay where values are nearly unique.
  ...(more.isUnique ? { encoding: 'PLAIN' } : {}),
  // Minimum and maximum of a text help no query and cost more than the rest of the encoding.
  statistics: false,
  of,
});

const time = (name: string, of: Column['of'], isNullable = false): Column => ({
  element: {
    name,
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    repetition_type: isNullable ? 'OPTIONAL' : 'REQUIRED',
  },
  encoding: 'DELTA_BINARY_PACKED',
  of,
});

const integer = (name: string, type: ParquetType, of: Column['of']): Column => ({
  element: { name, type, repetition_type: 'REQUIRED' },
  encoding: 'DELTA_BINARY_PACKED',
  of,
});

const columns: Column[] = [
  text('project_id', (event) => event.projectId),
  text('event_id', (event) => event.eventId, { isUnique: true }),
  text('event_name', (event) => event.eventName),
  text('distinct_id', (event) => event.distinctId),
  text('session_id', (event) => event.sessionId, { isNullable: true }),
  integer('schema_version', 'INT64', (event) => BigInt(event.schemaVersion)),
  time('occurred_at', (event) => BigInt(event.occurredAt)),
  time('received_at', (event) => BigInt(event.receivedAt)),
  time('sent_at', (event) => (event.sentAt === null ? null : BigInt(event.sentAt)), true),
  text('timestamp', (event) => event.timestamp, { isUnique: true }),
  text('properties', (event) => event.properties, { isNullable: true, isUnique: true }),
  text('context', (event) => event.context, { isNullable: true }),
  integer('log_partition', 'INT32', (event) => event.partition),
  integer('log_offset', 'INT64', (event) => event.offset),
  integer('log_line', 'INT32', (event) => event.line),
];

const schema: SchemaElement[] = [
  { name: 'event', num_children: columns.length },
  ...columns.map(({ element }) => element),
];

const ROW_GROUP_SIZE = 50_000;

/** A Parquet file with one row per event, in order; the same events give the same bytes. */
export function encodeEvents(events: readonly ArchivedEvent[]): Uint8Array {
  const file = parquetWriteBuffer({
    columnData: columns.map(({ element, of, ...options }) => ({
      name: element.name,
      data: events.map(of),
      ...options,
    })),
    schema,
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
    createdBy: 'switchboard',
    rowGroupSize: ROW_GROUP_SIZE,
  });
  return new Uint8Array(file);
}

/** The row of the event at this place, counted from 0; undefined when the file does not have it. */
export async function findRow(file: Uint8Array, place: Place): Promise<number | undefined> {
  const rows = await parquetReadObjects({
    file: {
      byteLength: file.byteLength,
      slice: (start, end) => new Uint8Array(file.subarray(start, end)).buffer,
    },
    columns: ['log_offset', 'log_line'],
    compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) },
  });
  const row = rows.findIndex(
    ({ log_offset: offset, log_line: line }) => offset === place.offset && line === place.line,
  );
  return row === -1 ? undefined : row;
}
