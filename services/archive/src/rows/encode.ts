import { constants, zstdCompressSync } from 'node:zlib';
import type { ParquetType, SchemaElement } from 'hyparquet';
import { ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer';
import type { Row } from './row.ts';

interface Column extends Pick<ColumnSource, 'encoding' | 'statistics'> {
  element: SchemaElement;
  of(event: Row): string | Uint8Array | number | bigint | boolean | null;
}

const text = (
  name: string,
  of: Column['of'],
  more: { isNullable?: boolean; isUnique?: boolean; isSorted?: boolean } = {},
): Column => ({
  element: {
    name,
    type: 'BYTE_ARRAY',
    // Both types are set, because older readers only know the converted type.
    converted_type: 'UTF8',
    logical_type: { type: 'STRING' },
    repetition_type: more.isNullable ? 'OPTIONAL' : 'REQUIRED',
  },
  // A dictionary does not pay off for nearly unique values.
  ...(more.isUnique ? { encoding: 'PLAIN' } : {}),
  // Minimum and maximum help readers skip row groups of sorted columns. Otherwise they only cost space.
  statistics: more.isSorted ?? false,
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

const boolean = (name: string, of: Column['of']): Column => ({
  element: { name, type: 'BOOLEAN', repetition_type: 'REQUIRED' },
  encoding: 'RLE',
  of,
});

const columns: Column[] = [
  text('project_id', (event) => event.projectId, { isSorted: true }),
  text('event_id', (event) => event.eventId, { isUnique: true }),
  text('event_name', (event) => event.eventName, { isSorted: true }),
  text('distinct_id', (event) => event.distinctId, { isSorted: true }),
  text('session_id', (event) => event.sessionId, { isNullable: true, isUnique: true }),
  integer('schema_version', 'INT64', (event) => BigInt(event.schemaVersion)),
  time('occurred_at', (event) => BigInt(event.occurredAt)),
  time('received_at', (event) => BigInt(event.receivedAt)),
  time('sent_at', (event) => (event.sentAt === null ? null : BigInt(event.sentAt)), true),
  text('timestamp', (event) => event.timestamp, { isUnique: true }),
  text('properties', (event) => event.properties, { isNullable: true, isUnique: true }),
  text('context', (event) => event.context, { isNullable: true }),
  boolean('bot', (event) => event.isBot),
  integer('log_partition', 'INT32', (event) => event.partition),
  integer('log_offset', 'INT64', (event) => event.offset),
  integer('log_line', 'INT32', (event) => event.line),
];

const schema: SchemaElement[] = [
  { name: 'event', num_children: columns.length },
  ...columns.map(({ element }) => element),
];

/** Small enough that a reader of one project reads few rows of others. */
export const ROW_GROUP_ROWS = 4_096;

/** Level 3, the default, saves no bytes in files of events. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Writes a Parquet file, one group of rows at a time. */
export interface FileEncoder {
  /** Adds at most ROW_GROUP_ROWS rows, in the order of the file. */
  add(events: readonly Row[]): void;
  finish(): Uint8Array;
}

export function createFileEncoder(): FileEncoder {
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({
    writer,
    schema,
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes, FAST) },
    createdBy: 'switchboard',
  });
  return {
    add(events) {
      const columnData = columns.map(({ element, of, ...options }) => ({
        name: element.name,
        // Built on access, so that only one column is in memory at a time.
        get data() {
          return events.map(of);
        },
        ...options,
      }));
      void parquet.write({ columnData, rowGroupSize: ROW_GROUP_ROWS });
    },
    finish() {
      void parquet.finish();
      return new Uint8Array(writer.getBuffer());
    },
  };
}

/** Returns a Parquet file with one row per event, in order. Deterministic. */
export function encodeEvents(events: readonly Row[]): Uint8Array {
  const encoder = createFileEncoder();
  for (let start = 0; start < events.length; start += ROW_GROUP_ROWS) {
    encoder.add(events.slice(start, start + ROW_GROUP_ROWS));
  }
  return encoder.finish();
}
