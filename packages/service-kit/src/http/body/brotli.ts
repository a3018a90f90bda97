/** The beginning of a brotli stream (RFC 7932, section 9). */
interface Start {
  /** How its window is written: 3 bits from the second on, which stand for 17 more; 0 for the other ways. */
  window: number;
  /** Decompressed bytes of its first block, which are the fewest that it decompresses to. */
  bytes: number;
}

const START_BYTES = 5;
const MIN_NIBBLES = 4;
/** What MNIBBLES says of a block without data. */
const NO_DATA = 3;

/** Undefined for bytes that are too few, or start otherwise. */
function startOf(wire: Buffer): Start | undefined {
  if (wire.length < START_BYTES) return undefined;
  // Past 32 bits, so without bit operations: bits are read from the lowest of each byte.
  let rest = wire.readUIntLE(0, START_BYTES);
  const bits = (count: number): number => {
    const value = rest % 2 ** count;
    rest = Math.floor(rest / 2 ** count);
    return value;
  };
  let window = 0;
  if (bits(1) === 1) {
    window = bits(3);
    if (window === 0) bits(3);
  }
  const isLast = bits(1) === 1;
  if (isLast && bits(1) === 1) return { window, bytes: 0 };
  const nibbles = bits(2);
  return { window, bytes: nibbles === NO_DATA ? 0 : bits(4 * (MIN_NIBBLES + nibbles)) + 1 };
}

/** How many bytes a stream says at its start that it decompresses to, at least. */
export function leastBytesOf(wire: Buffer): number {
  return startOf(wire)?.bytes ?? 0;
}

/**
 * A stream with the window that its first `maxBytes` need. A decoder fills the window before it returns the first byte:
 * a few bytes would make it decode 4 MiB to learn that they are more than 64 KiB.
 */
export function withWindowFor(maxBytes: number, wire: Buffer): Buffer {
  const [first = 0] = wire;
  // Twice the bytes, so that a longer body is known as such before it refers to what the window no longer holds.
  const needed = Math.max(1, Math.ceil(Math.log2(2 * maxBytes)) - 17);
  if ((startOf(wire)?.window ?? 0) <= needed) return wire;
  const narrowed = Buffer.from(wire);
  narrowed[0] = (first & ~0b1110) | (needed << 1);
  return narrowed;
}
