/** The beginning of a brotli stream (RFC 7932, section 9). */
interface Start {
  /** The window bits as written: 3 bits that, from the second value on, stand for 17 more; 0 for other encodings. */
  window: number;
  /** The decompressed size of the first block, which is the minimum of the stream. */
  bytes: number;
}

const START_BYTES = 5;
const MIN_NIBBLES = 4;
/** The value of MNIBBLES for a block without data. */
const NO_DATA = 3;

/** Returns undefined if there are too few bytes, or if the stream starts differently. */
function startOf(wire: Buffer): Start | undefined {
  if (wire.length < START_BYTES) return undefined;
  // More than 32 bits, so no bit operations. Bits are read from the lowest of each byte.
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

/** Returns the minimum decompressed size that the start of a stream declares. */
export function leastBytesOf(wire: Buffer): number {
  return startOf(wire)?.bytes ?? 0;
}

/**
 * Returns the stream with a window no larger than its first `maxBytes` need. A decoder fills the window before it
 * returns the first byte: a few bytes would make it decode 4 MiB to find that they exceed 64 KiB.
 */
export function withWindowFor(maxBytes: number, wire: Buffer): Buffer {
  const [first = 0] = wire;
  // Twice the bytes, so that a longer body is detected before it refers to data that the window has dropped.
  const needed = Math.max(1, Math.ceil(Math.log2(2 * maxBytes)) - 17);
  if ((startOf(wire)?.window ?? 0) <= needed) return wire;
  const narrowed = Buffer.from(wire);
  narrowed[0] = (first & ~0b1110) | (needed << 1);
  return narrowed;
}
