import type { StoredRecord } from '@switchboard/event-log';
import { z } from 'zod';
import { UnreadableRecord } from './chunk.ts';

/** Far above what the largest accepted chunk needs. */
const MOST_PARTS = 100;

const whole = z
  .string()
  .regex(/^[1-9]\d{0,2}$/)
  .transform(Number);
const partHeaders = z
  .object({ chunk: z.string().regex(/^[0-9a-f]{32}$/), part: whole, parts: whole })
  .refine(({ part, parts }) => part <= parts && parts <= MOST_PARTS);

/** A chunk of which not every part has been read yet. */
export interface OpenChunk {
  /** By part; undefined where one is missing. */
  parts: (StoredRecord | undefined)[];
  bytes: number;
  firstOffset: bigint;
  /** When its last part was read, on the clock that add is given. */
  readAt: number;
  /** When its last part was published, in milliseconds since 1970. */
  publishedAt: number;
}

/** Joins the parts of one partition's chunks, which may interleave, and of which any may come again. */
export interface Assembly {
  /** The parts of the chunk that this record completes, in order. Throws UnreadableRecord. */
  add(record: StoredRecord, now: number): StoredRecord[] | undefined;
  /** Oldest first. */
  open(): OpenChunk[];
  drop(chunk: OpenChunk): void;
  /** Bytes of values held. */
  bytes(): number;
  /** Of all records held; undefined when none is. */
  firstOffset(): bigint | undefined;
}

export function createAssembly(): Assembly {
  const open = new Map<string, OpenChunk>();
  let bytes = 0;

  function drop(chunk: OpenChunk): void {
    for (const [name, one] of open) {
      if (one !== chunk) continue;
      open.delete(name);
      bytes -= chunk.bytes;
    }
  }

  return {
    add(record, now) {
      const headers = partHeaders.safeParse(record.headers);
      if (!headers.success) throw new UnreadableRecord('headers: not those of a part of a replay chunk');
      const { chunk: hash, part, parts } = headers.data;
      if (parts === 1) return [record];
      const name = `${record.key}\0${hash}\0${parts}`;
      const chunk = open.get(name) ?? {
        parts: Array.from({ length: parts }, () => undefined),
        bytes: 0,
        firstOffset: record.offset,
        readAt: now,
        publishedAt: record.timestamp,
      };
      open.set(name, chunk);
      chunk.readAt = now;
      chunk.publishedAt = Math.max(chunk.publishedAt, record.timestamp);
      // One that came again is the same: the hash names the bytes, and is checked once they are joined.
      if (chunk.parts[part - 1] === undefined) {
        chunk.parts[part - 1] = record;
        chunk.bytes += record.value?.length ?? 0;
        bytes += record.value?.length ?? 0;
      }
      const found = chunk.parts.filter((one) => one !== undefined);
      if (found.length < parts) return undefined;
      drop(chunk);
      return found;
    },
    open: () => [...open.values()],
    drop,
    bytes: () => bytes,
    firstOffset() {
      const [oldest] = open.values();
      return oldest?.firstOffset;
    },
  };
}
