import { zstdDecompressSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { z } from 'zod';
import type { ArchivedEvent } from '../events/archived-event.ts';
import { encodeEvents } from '../events/encode.ts';

/** What is left of a file: its new bytes; `unchanged` where nobody of these people is in it; `empty` where nobody else is. */
export type Remainder = Uint8Array | 'unchanged' | 'empty';

/** A Parquet file of the archive without the rows of these people. */
export async function withoutPeople(file: Uint8Array, distinctIds: ReadonlySet<string>): Promise<Remainder> {
  const people = z.array(z.object({ distinct_id: z.string() })).parse(await read(file, ['distinct_id']));
  if (!people.some((row) => distinctIds.has(row.distinct_id))) return 'unchanged';
  const kept = (await readEvents(file)).filter((event) => !distinctIds.has(event.distinctId));
  return kept.length === 0 ? 'empty' : encodeEvents(kept);
}

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

/** The rows of a file, in order. */
async function readEvents(file: Uint8Array): Promise<ArchivedEvent[]> {
  return z.array(eventRow).parse(await read(file));
}

function read(file: Uint8Array, columns?: string[]) {
  return parquetReadObjects({
    file: {
      byteLength: file.byteLength,
      slice: (start, end) => new Uint8Array(file.subarray(start, end)).buffer,
    },
    ...(columns === undefined ? {} : { columns }),
    compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) },
    parsers: { timestampFromMilliseconds: (milliseconds) => milliseconds },
  });
}
