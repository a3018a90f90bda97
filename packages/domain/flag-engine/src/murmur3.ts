// Evaluation hashes one distinct id after the key of every flag. Keys are therefore hashed when the ruleset is
// compiled, and the id is split into scrambled blocks once per evaluation. For each flag, the two only need to
// be combined.

/** The hash state after the beginning of a text. */
export interface HashedPrefix {
  readonly hash: number;
  /** The remaining bytes, fewer than a block of four, little-endian. */
  readonly tail: number;
  readonly tailBytes: number;
  readonly length: number;
}

/** The end of a text, prepared for any prefix: split into blocks for each length of the prefix's tail. */
export interface HashableSuffix {
  readonly cuts: readonly Cut[];
  readonly length: number;
}

interface Cut {
  /** The bytes added to the prefix's tail, and whether they complete a block. */
  readonly first: number;
  readonly firstIsBlock: boolean;
  /** The following whole blocks and the remaining bytes, scrambled. */
  readonly blocks: readonly number[];
  readonly rest: number;
}

/** Computes MurmurHash3 x86 32-bit of a text's UTF-8 bytes, as an unsigned integer. Public domain, Austin Appleby. */
export function murmur3(text: string, seed: number): number {
  return hashTogether(hashPrefix('', seed), hashableSuffix(text));
}

export function hashPrefix(text: string, seed: number): HashedPrefix {
  const bytes = utf8(text);
  let hash = seed;
  let tail = 0;
  for (const [index, byte] of bytes.entries()) {
    tail |= byte << (8 * (index % 4));
    if (index % 4 !== 3) continue;
    hash = mix(hash ^ scramble(tail));
    tail = 0;
  }
  return { hash, tail, tailBytes: bytes.length % 4, length: bytes.length };
}

export function hashableSuffix(text: string): HashableSuffix {
  const bytes = utf8(text);
  const cuts = [0, 1, 2, 3].map((tailBytes): Cut => {
    const { blocks, rest } = cutIntoBlocks(bytes, tailBytes);
    const first = blocks.shift();
    if (first === undefined) return { first: rest, firstIsBlock: false, blocks, rest: 0 };
    return { first, firstIsBlock: true, blocks: blocks.map(scramble), rest: scramble(rest) };
  });
  return { cuts, length: bytes.length };
}

/** Hashes the concatenation of prefix and suffix. */
export function hashTogether(prefix: HashedPrefix, suffix: HashableSuffix): number {
  let hash = prefix.hash;
  const cut = suffix.cuts[prefix.tailBytes];
  if (cut !== undefined) {
    hash ^= scramble(prefix.tail | cut.first);
    if (cut.firstIsBlock) hash = mix(hash);
    for (const block of cut.blocks) hash = mix(hash ^ block);
    hash ^= cut.rest;
  }
  hash ^= prefix.length + suffix.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function cutIntoBlocks(bytes: readonly number[], offset: number): { blocks: number[]; rest: number } {
  const blocks: number[] = [];
  let rest = 0;
  let bits = offset * 8;
  for (const byte of bytes) {
    rest |= byte << bits;
    bits += 8;
    if (bits < 32) continue;
    blocks.push(rest);
    rest = 0;
    bits = 0;
  }
  return { blocks, rest };
}

function scramble(block: number): number {
  const mixed = Math.imul(block, 0xcc9e2d51);
  return Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
}

function mix(hash: number): number {
  return (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
}

/** Returns the UTF-8 bytes of a text. As with TextEncoder, a lone surrogate becomes U+FFFD. */
export function utf8(text: string): number[] {
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) {
      bytes.push(unit);
      continue;
    }
    const point = text.codePointAt(index) ?? unit;
    if (point > 0xffff) index++;
    pushMultibyte(bytes, point >= 0xd800 && point <= 0xdfff ? 0xfffd : point);
  }
  return bytes;
}

function pushMultibyte(bytes: number[], point: number) {
  const continuation = (shift: number) => 0x80 | ((point >> shift) & 0x3f);
  if (point < 0x800) bytes.push(0xc0 | (point >> 6), continuation(0));
  else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), continuation(6), continuation(0));
  else bytes.push(0xf0 | (point >> 18), continuation(12), continuation(6), continuation(0));
}
