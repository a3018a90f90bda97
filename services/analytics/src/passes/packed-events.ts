import type { PersonEvents } from '../engine/engine.ts';
import { integer, join, type Sql, sql, whole } from '../engine/sql.ts';

/**
 * How an event is packed into one 64-bit integer: the milliseconds since `from`, then a bit for each condition that
 * the event fulfills. Sorted integers are in the order of time.
 */
export interface Packing {
  /** Milliseconds since 1970. No event is earlier. */
  from: number;
  /** The number of conditions, at most MAX_BITS. */
  bits: number;
}

const WORD = 2 ** 32;
/** A mask is read from one word. */
const MAX_BITS = 31;
/** The sign is not used. */
const TOTAL_BITS = 63;

/** Returns the end of the time that a packing can express, in milliseconds since 1970. */
export function endOf({ from, bits }: Packing): number {
  if (bits > MAX_BITS) throw new Error(`An event has more than ${MAX_BITS} conditions.`);
  return from + 2 ** (TOTAL_BITS - bits);
}

/** Returns the mask of conditions, the first of which is bit 0. */
export function maskOf(conditions: readonly Sql[]): Sql {
  return join(
    conditions.map((condition, bit) => sql`case when ${condition} then ${whole(2 ** bit)} else 0 end`),
    sql` + `,
  );
}

/** Returns the integer of an event from its columns `t` and `mask`. */
export function packedOf({ from, bits }: Packing): Sql {
  return sql`((t - ${integer(from)}) * ${integer(2 ** bits)} + mask)`;
}

/** Packs an event like `packedOf`, in place of another one. */
export function packAt(
  words: Uint32Array,
  event: number,
  { from, bits }: Packing,
  t: number,
  mask: number,
): void {
  words[event * 2] = ((t - from) << bits) | mask;
  words[event * 2 + 1] = Math.floor(((t - from) * 2 ** bits) / WORD);
}

/** Returns the milliseconds since `from` of an event. */
export function timeAt(words: PersonEvents['words'], event: number, bits: number): number {
  return ((words[event * 2 + 1] ?? 0) * WORD) / ((1 << bits) >>> 0) + ((words[event * 2] ?? 0) >>> bits);
}

/** Returns the number of events with a condition. */
export function countAt(words: PersonEvents['words'], bit: number): number {
  let count = 0;
  for (let event = 0; event < words.length / 2; event++) count += ((words[event * 2] ?? 0) >>> bit) & 1;
  return count;
}

/** Returns the conditions that an event fulfills, as bits. */
export function maskAt(words: PersonEvents['words'], event: number, bits: number): number {
  return (words[event * 2] ?? 0) & ((1 << bits) - 1);
}
