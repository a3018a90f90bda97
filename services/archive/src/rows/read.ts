import { buffer } from 'node:stream/consumers';
import { zstdDecompressSync } from 'node:zlib';
import type { ObjectStore } from '@switchboard/object-store';
import {
  type AsyncBuffer,
  type DecodedArray,
  type FileMetaData,
  type ParquetQueryFilter,
  type ParquetType,
  parquetMetadataAsync,
  parquetRead,
  parquetReadObjects,
  rowIndex,
} from 'hyparquet';
import { z } from 'zod';
import type { Place, Row } from './row.ts';

/** Larger objects are read in parts. */
const WHOLE_BYTES = 2_000_000;

/** The columns of a group of rows, as stored. */
interface Columns {
  project_id: Uint8Array[];
  event_id: Uint8Array[];
  event_name: Uint8Array[];
  distinct_id: Uint8Array[];
  session_id?: Nullable<Uint8Array>[];
  schema_version: bigint[];
  occurred_at: bigint[];
  received_at: bigint[];
  sent_at?: Nullable<bigint>[];
  timestamp: Uint8Array[];
  properties?: Nullable<Uint8Array>[];
  context?: Nullable<Uint8Array>[];
  bot: boolean[];
  log_partition: number[];
  log_offset: bigint[];
  log_line: number[];
}
type Nullable<T> = T | null | undefined;

const TYPES: Record<keyof Columns, ParquetType> = {
  project_id: 'BYTE_ARRAY',
  event_id: 'BYTE_ARRAY',
  event_name: 'BYTE_ARRAY',
  distinct_id: 'BYTE_ARRAY',
  session_id: 'BYTE_ARRAY',
  schema_version: 'INT64',
  occurred_at: 'INT64',
  received_at: 'INT64',
  sent_at: 'INT64',
  timestamp: 'BYTE_ARRAY',
  properties: 'BYTE_ARRAY',
  context: 'BYTE_ARRAY',
  bot: 'BOOLEAN',
  log_partition: 'INT32',
  log_offset: 'INT64',
  log_line: 'INT32',
};
const OPTIONAL: ReadonlySet<string> = new Set<keyof Columns>([
  'session_id',
  'sent_at',
  'properties',
  'context',
]);

const person = z.object({ distinct_id: z.string() });

/** A Parquet file of the archive that is read on demand. */
export interface OpenFile {
  /** Yields the rows in order, one group at a time. */
  groups(): AsyncGenerator<Row[]>;
  /** Yields the project of each row in order, one group at a time. */
  projects(): AsyncGenerator<string[]>;
  /**
   * Returns the index of the row of the event that was accepted at a time, in milliseconds since 1970, at this place,
   * counted from 0. The time distinguishes a recreated topic.
   */
  findRow(projectId: string, place: Place & { receivedAt: number }): Promise<number | undefined>;
  /** Whether the file has rows of matching people of a project. */
  hasRows(projectId: string, isOne: (distinctId: string) => boolean): Promise<boolean>;
}

/** An object was deleted while it was being read. */
export class FileGone extends Error {}

/** Returns undefined if the object does not exist. */
export async function openFile(
  objects: Pick<ObjectStore, 'get'>,
  { key, bytes }: { key: string; bytes: number },
): Promise<OpenFile | undefined> {
  async function slice(start: number, end = bytes): Promise<ArrayBuffer> {
    const part = await objects.get(key, { start, end });
    if (part === undefined) throw new FileGone(`${key} was deleted while it was read`);
    return new Uint8Array(await buffer(part.body)).buffer;
  }
  if (bytes > WHOLE_BYTES) return readFile({ byteLength: bytes, slice });
  const object = await objects.get(key);
  return object && (await readFile(wholeFile(await buffer(object.body))));
}

/** Opens a file that is in memory. */
export function openBytes(bytes: Uint8Array): Promise<OpenFile> {
  return readFile(wholeFile(bytes));
}

function wholeFile(bytes: Uint8Array): AsyncBuffer {
  return {
    byteLength: bytes.byteLength,
    slice: (start, end) => new Uint8Array(bytes.subarray(start, end)).buffer,
  };
}

async function readFile(file: AsyncBuffer): Promise<OpenFile> {
  const metadata: FileMetaData = await parquetMetadataAsync(file);
  checkTypes(metadata);
  const compressors = { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) };

  const read = (more: { columns: string[]; filter: ParquetQueryFilter; includeRowIndex?: boolean }) =>
    parquetReadObjects({ file, metadata, compressors, ...more });

  async function* columnsOf<K extends keyof Columns>(columns?: K[]): AsyncGenerator<Pick<Columns, K>> {
    let start = 0;
    for (const { num_rows: rows } of metadata.row_groups) {
      const end = start + Number(rows);
      const found: Record<string, DecodedArray> = {};
      await parquetRead({
        ...{ file, metadata, compressors, rowStart: start, rowEnd: end, ...(columns && { columns }) },
        parsers: { timestampFromMilliseconds: (time) => time, stringFromBytes: (bytes) => bytes },
        onChunk({ columnName, columnData }) {
          const before = found[columnName];
          found[columnName] = before === undefined ? columnData : [...before, ...columnData];
        },
      });
      yield found as never;
      start = end;
    }
  }

  return {
    async *groups() {
      for await (const columns of columnsOf()) yield rowsOf(columns);
    },
    async *projects() {
      for await (const { project_id: ids } of columnsOf(['project_id'])) {
        yield sortedTextsOf(ids);
      }
    },
    async findRow(projectId, { partition, offset, line, receivedAt }) {
      const [row] = await read({
        columns: ['log_line'],
        filter: {
          project_id: { $eq: projectId },
          log_partition: { $eq: partition },
          log_offset: { $eq: offset },
          log_line: { $eq: line },
          received_at: { $eq: new Date(receivedAt) },
        },
        includeRowIndex: true,
      });
      return row?.[rowIndex];
    },
    async hasRows(projectId, isOne) {
      const rows = await read({ columns: ['distinct_id'], filter: { project_id: { $eq: projectId } } });
      return z
        .array(person)
        .parse(rows)
        .some((row) => isOne(row.distinct_id));
    },
  };
}

function checkTypes({ schema }: FileMetaData): void {
  const types = new Map(schema.map(({ name, type }) => [name, type]));
  for (const [name, type] of Object.entries(TYPES)) {
    const found = types.get(name);
    if (found !== type && !(found === undefined && OPTIONAL.has(name))) {
      throw new Error(`column ${name} is ${found ?? 'missing'}, not ${type}`);
    }
  }
}

/** Unsorted texts stay bytes, because most are only written again. */
function rowsOf(columns: Columns): Row[] {
  const eventNames = sortedTextsOf(columns.event_name);
  const distinctIds = sortedTextsOf(columns.distinct_id);
  const contexts = textsOf(columns.context ?? []);
  return sortedTextsOf(columns.project_id).map((projectId, row) => ({
    projectId,
    eventId: at(columns.event_id, row),
    eventName: at(eventNames, row),
    distinctId: at(distinctIds, row),
    sessionId: columns.session_id?.[row] ?? null,
    schemaVersion: Number(at(columns.schema_version, row)),
    occurredAt: Number(at(columns.occurred_at, row)),
    receivedAt: Number(at(columns.received_at, row)),
    sentAt: columns.sent_at?.[row] == null ? null : Number(columns.sent_at[row]),
    timestamp: at(columns.timestamp, row),
    properties: columns.properties?.[row] ?? null,
    context: contexts[row] ?? null,
    isBot: at(columns.bot, row),
    partition: at(columns.log_partition, row),
    offset: at(columns.log_offset, row),
    line: at(columns.log_line, row),
  }));
}

function at<T>(column: readonly Nullable<T>[], row: number): T {
  const value = column[row];
  if (value === null || value === undefined) throw new Error('a column lacks a value');
  return value;
}

/** Decodes texts, and decodes the same object only once, as in a dictionary. */
function textsOf(values: readonly Nullable<Uint8Array>[]): (string | null)[] {
  const known = new Map<Uint8Array, string>();
  return values.map((value) => {
    if (value === null || value === undefined) return null;
    const text = known.get(value) ?? textOf(value);
    known.set(value, text);
    return text;
  });
}

/** Decodes sorted texts: equal values are adjacent, so comparing with the previous one is sufficient. */
function sortedTextsOf(values: readonly Uint8Array[]): string[] {
  let last: { value: Uint8Array; text: string } | undefined;
  return values.map((value) => {
    if (last?.value !== value) last = { value, text: textOf(value) };
    return last.text;
  });
}

function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString();
}
