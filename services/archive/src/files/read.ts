import { buffer } from 'node:stream/consumers';
import { zstdDecompressSync } from 'node:zlib';
import type { ObjectStore } from '@switchboard/object-store';
import {
  type AsyncBuffer,
  type FileMetaData,
  type ParquetQueryFilter,
  parquetMetadataAsync,
  parquetReadObjects,
  rowIndex,
} from 'hyparquet';
import { z } from 'zod';
import type { ArchivedEvent, Place } from '../events/archived-event.ts';

/** Larger objects are read in parts. */
const WHOLE_BYTES = 2_000_000;

const number = z.bigint().transform(Number);

const eventRow = z
  .object({
    project_id: z.string(),
    event_id: z.string(),
    event_name: z.string(),
    distinct_id: z.string(),
    session_id: z.string().nullish(),
    schema_version: number,
    occurred_at: number,
    received_at: number,
    sent_at: number.nullish(),
    timestamp: z.string(),
    properties: z.string().nullish(),
    context: z.string().nullish(),
    log_partition: z.number(),
    log_offset: z.bigint(),
    log_line: z.number(),
  })
  .transform(
    (row): ArchivedEvent => ({
      projectId: row.project_id,
      eventId: row.event_id,
      eventName: row.event_name,
      distinctId: row.distinct_id,
      sessionId: row.session_id ?? null,
      schemaVersion: row.schema_version,
      occurredAt: row.occurred_at,
      receivedAt: row.received_at,
      sentAt: row.sent_at ?? null,
      timestamp: row.timestamp,
      properties: row.properties ?? null,
      context: row.context ?? null,
      partition: row.log_partition,
      offset: row.log_offset,
      line: row.log_line,
    }),
  );

const person = z.object({ distinct_id: z.string() });
const projectRow = z.object({ project_id: z.string() });

/** A Parquet file of the archive, of which no more is read than is asked for. */
export interface OpenFile {
  /** Its rows in order, one group at a time. */
  groups(): AsyncGenerator<ArchivedEvent[]>;
  /** The projects of its rows, in order, one group at a time. */
  projects(): AsyncGenerator<string[]>;
  /** The row of the event at this place, counted from 0. */
  findRow(projectId: string, place: Place): Promise<number | undefined>;
  /** Whether it has rows of such people of a project. */
  hasRows(projectId: string, isOne: (distinctId: string) => boolean): Promise<boolean>;
}

/** Thrown where an object was deleted while it was read. */
export class FileGone extends Error {}

/** Undefined if the object does not exist. */
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

/** A file that is in memory. */
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

  const read = (more: {
    columns?: string[];
    filter?: ParquetQueryFilter;
    rowStart?: number;
    rowEnd?: number;
    includeRowIndex?: boolean;
  }) =>
    parquetReadObjects({
      file,
      metadata,
      compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) },
      parsers: { timestampFromMilliseconds: (milliseconds) => milliseconds },
      ...more,
    });

  async function* groupsOf<T>(schema: z.ZodType<T>, columns?: string[]): AsyncGenerator<T[]> {
    let start = 0;
    for (const { num_rows: rows } of metadata.row_groups) {
      const end = start + Number(rows);
      const found = await read({ rowStart: start, rowEnd: end, ...(columns && { columns }) });
      yield z.array(schema).parse(found);
      start = end;
    }
  }

  return {
    groups: () => groupsOf(eventRow),
    async *projects() {
      for await (const rows of groupsOf(projectRow, ['project_id'])) {
        yield rows.map((row) => row.project_id);
      }
    },
    async findRow(projectId, { partition, offset, line }) {
      const [row] = await read({
        columns: ['log_line'],
        filter: {
          project_id: { $eq: projectId },
          log_partition: { $eq: partition },
          log_offset: { $eq: offset },
          log_line: { $eq: line },
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
