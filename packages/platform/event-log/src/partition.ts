const SEED = 0x9747b28c;
const M = 0x5bd1e995;

// Short keys share one buffer, because this runs for every event of a batch.
const scratch = Buffer.allocUnsafe(2048);

/**
 * Returns Kafka's murmur2 hash of the bytes, as an unsigned 32-bit number.
 * Source: `org.apache.kafka.common.utils.Utils.murmur2`.
 */
export function murmur2(data: Uint8Array, length = data.length): number {
  let hash = SEED ^ length;
  let i = 0;
  for (; i + 4 <= length; i += 4) {
    let k = at(data, i) | (at(data, i + 1) << 8) | (at(data, i + 2) << 16) | (at(data, i + 3) << 24);
    k = Math.imul(k, M);
    k ^= k >>> 24;
    hash = Math.imul(hash, M) ^ Math.imul(k, M);
  }
  const rest = length - i;
  if (rest === 3) hash ^= at(data, i + 2) << 16;
  if (rest >= 2) hash ^= at(data, i + 1) << 8;
  if (rest >= 1) hash = Math.imul(hash ^ at(data, i), M);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, M);
  hash ^= hash >>> 15;
  return hash >>> 0;
}

/**
 * Returns the partition of a key as Kafka's default partitioner does: positive murmur2 of the UTF-8 bytes, modulo.
 */
export function partitionFor(key: string, partitions: number): number {
  // A UTF-16 code unit has at most three bytes in UTF-8.
  if (key.length * 3 > scratch.length) return (murmur2(Buffer.from(key)) & 0x7fffffff) % partitions;
  const length = key.length <= MAX_SHORT && writeAscii(scratch, key) ? key.length : scratch.write(key);
  return (murmur2(scratch, length) & 0x7fffffff) % partitions;
}

/** Node.js writes longer texts. The call alone takes as long as writing this many characters here. */
const MAX_SHORT = 100;
const ASCII_END = 0x80;

/** Writes an ASCII text. Returns false if the text contains other characters. */
function writeAscii(buffer: Uint8Array, text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= ASCII_END) return false;
    buffer[i] = unit;
  }
  return true;
}

function at(data: Uint8Array, index: number): number {
  return data[index] ?? 0;
}
