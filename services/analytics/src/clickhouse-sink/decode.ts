import { isUtf8 } from 'node:buffer';
import { type EventRow, eventRow, isObject, wellFormedJson } from '@switchboard/contracts';
import type { StoredRecord } from '@switchboard/event-log';
import { z } from 'zod';
import type { EventsRow } from '../clickhouse/store.ts';

/** Skips the properties, which Zod would copy one by one. */
const lineSchema = eventRow.extend({
  properties: z.custom<EventRow['properties']>(isObject, 'not an object').optional(),
});

/**
 * Returns the rows of a record on `events`, one per line. Omits invalid lines: the archive, which reads the same
 * topic, puts them on the dead-letter topic.
 */
export function decodeRecord({ value, headers, partition, offset }: StoredRecord): EventsRow[] {
  const projectId = headers['project'];
  const receivedAt = Date.parse(headers['received_at'] ?? '');
  const sentAt = Date.parse(headers['sent_at'] ?? '');
  if (value === null || !projectId || Number.isNaN(receivedAt)) return [];
  const common = {
    project_id: projectId,
    received_at: receivedAt,
    sent_at: Number.isNaN(sentAt) ? null : sentAt,
    bot: headers['bot'] === 'true',
    log_partition: partition,
    log_offset: String(offset),
  };
  return linesOf(value).flatMap((bytes, line) => {
    const row = decodeLine(bytes);
    return row === undefined ? [] : [{ ...common, log_line: line, ...row }];
  });
}

function linesOf(value: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < value.length; ) {
    const newline = value.indexOf('\n', start);
    const end = newline === -1 ? value.length : newline;
    lines.push(value.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

function decodeLine(bytes: Buffer) {
  if (!isUtf8(bytes)) return undefined;
  try {
    // The parsed value rather than Zod's copy, which drops a property named __proto__.
    const sent = JSON.parse(bytes.toString());
    const { data } = lineSchema.safeParse(sent);
    if (data === undefined) return undefined;
    return {
      event_id: data.event_id,
      event_name: data.event_name,
      distinct_id: data.distinct_id,
      session_id: data.session_id ?? null,
      schema_version: data.schema_version,
      timestamp: data.timestamp,
      occurred_at: Date.parse(data.occurred_at),
      properties: data.properties === undefined ? null : wellFormedJson(sent.properties),
      context: data.context === undefined ? null : wellFormedJson(sent.context),
    };
  } catch (error) {
    // Not JSON, or nested too deeply to be serialized.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
