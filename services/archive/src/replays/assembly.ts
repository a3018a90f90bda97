import type { StoredRecord } from '@switchboard/event-log';
import { z } from 'zod';
import { InvalidRecord } from './decode.ts';

/** Far above what the largest accepted chunk needs. */
const MAX_PARTS = 100;

const whole = z
  .string()
  .regex(/^[1-9]\d{0,2}$/)
  .transform(Number);
const partHeaders = z
  .object({ chunk: z.string().regex(/^[0-9a-f]{32}$/), part: whole, parts: whole })
  .refine(({ part, parts }) => part <= parts && parts <= MAX_PARTS);

/** A part of a chunk. */
export interface Part {
  /** Has no value if it is spilled. */
  record: StoredRecord;
  /** The size of the value. */
  bytes: number;
  isSpilled: boolean;
}

/** A chunk with parts still missing. */
export interface OpenChunk {
  /** By part number; undefined where missing. */
  parts: (Part | undefined)[];
  firstOffset: bigint;
  /** When its last part was read, on the clock passed to `add`. */
  readAt: number;
  /** When its last part was published, in milliseconds since 1970. */
  publishedAt: number;
}

/** Joins the parts of one partition's chunks, which may interleave and be redelivered. */
export interface Assembly {
  /** Returns the parts of the chunk that this record completes, in order. Throws InvalidRecord. */
  add(record: StoredRecord, now: number): Part[] | undefined;
  /** Returns the open chunks, oldest first. */
  open(): OpenChunk[];
  drop(chunk: OpenChunk): void;
  /** Releases the value of a part of an open chunk, once it is spilled. */
  release(part: Part): void;
  /** Returns the bytes of the values held in memory. */
  bytes(): number;
  /** Returns the lowest offset held, or undefined. */
  firstOffset(): bigint | undefined;
}

export function createAssembly(): Assembly {
  const open = new Map<string, OpenChunk>();
  let bytes = 0;

  function drop(chunk: OpenChunk): void {
    for (const [name, one] of open) {
      if (one !== chunk) continue;
      open.delete(name);
      bytes -= bytesInMemory(chunk.parts);
    }
  }

  return {
    add(record, now) {
      const headers = partHeaders.safeParse(record.headers);
      if (!headers.success) throw new InvalidRecord('headers: chunk, part or parts is missing or not valid');
      const { chunk: hash, part, parts } = headers.data;
      if (parts === 1) return [partOf(record)];
      // A copy, because the value is a slice of the whole fetched buffer.
      const added = partOf({ ...record, value: record.value && Buffer.from(record.value) });
      const name = `${record.key}\0${hash}\0${parts}`;
      const chunk = open.get(name) ?? {
        parts: Array.from({ length: parts }, () => undefined),
        firstOffset: record.offset,
        readAt: now,
        publishedAt: record.timestamp,
      };
      open.set(name, chunk);
      chunk.readAt = now;
      chunk.publishedAt = Math.max(chunk.publishedAt, record.timestamp);
      // If offsets went back, a part is read again at a lower one.
      if (record.offset < chunk.firstOffset) chunk.firstOffset = record.offset;
      // A redelivered part is identical: the hash identifies the bytes, and is checked once they are joined.
      if (chunk.parts[part - 1] === undefined) {
        chunk.parts[part - 1] = added;
        bytes += added.bytes;
      }
      const found = chunk.parts.filter((one) => one !== undefined);
      if (found.length < parts) return undefined;
      drop(chunk);
      return found;
    },
    open: () => [...open.values()],
    drop,
    release(part) {
      if (part.isSpilled) return;
      part.isSpilled = true;
      part.record = { ...part.record, value: null };
      bytes -= part.bytes;
    },
    bytes: () => bytes,
    firstOffset() {
      let lowest: bigint | undefined;
      for (const { firstOffset } of open.values()) {
        if (lowest === undefined || firstOffset < lowest) lowest = firstOffset;
      }
      return lowest;
    },
  };
}

/** Returns the bytes of the parts that are not spilled. */
export function bytesInMemory(parts: readonly (Part | undefined)[]): number {
  return parts.reduce((sum, part) => sum + (part === undefined || part.isSpilled ? 0 : part.bytes), 0);
}

function partOf(record: StoredRecord): Part {
  return { record, bytes: record.value?.length ?? 0, isSpilled: false };
}
