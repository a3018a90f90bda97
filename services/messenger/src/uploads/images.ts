import { crc32 } from 'node:zlib';

/** The size in pixels from an image's header. */
export interface ImageSize {
  width: number;
  height: number;
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Bit depths by colour type (PNG specification, table 11.1). */
const PNG_DEPTHS = new Map([
  [0, [1, 2, 4, 8, 16]],
  [2, [8, 16]],
  [3, [1, 2, 4, 8]],
  [4, [8, 16]],
  [6, [8, 16]],
]);

/** Returns the size of a PNG if its IHDR is valid and its chunks up to the first image data are within the file. */
export function pngSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 45 || !bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return undefined;
  const header = bytes.subarray(12, 29);
  if (bytes.readUInt32BE(8) !== 13 || header.toString('latin1', 0, 4) !== 'IHDR') return undefined;
  if (crc32(header) !== bytes.readUInt32BE(29)) return undefined;
  const [depth = 0, colour = -1, compression, filter, interlace = 2] = bytes.subarray(24, 29);
  if (!PNG_DEPTHS.get(colour)?.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1) {
    return undefined;
  }
  for (let at = 33; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (!/^[A-Za-z]{4}$/.test(type) || at + 12 + length > bytes.length) return undefined;
    if (type === 'IDAT') return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
    at += 12 + length;
  }
  return undefined;
}

/** Returns the size of a GIF if its blocks up to the first image are within the file (GIF89a, 17 to 26). */
export function gifSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 14 || !/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return undefined;
  let at = 13 + colourTableBytes(bytes[10]);
  for (;;) {
    const introducer = bytes[at];
    if (introducer === 0x2c) break;
    if (introducer !== 0x21) return undefined;
    const next = endOfSubBlocks(bytes, at + 2);
    if (next === undefined) return undefined;
    at = next;
  }
  if (at + 12 > bytes.length) return undefined;
  const codeSize = bytes[at + 10 + colourTableBytes(bytes[at + 9])] ?? 0;
  if (codeSize < 2 || codeSize > 8) return undefined;
  const frame = { width: bytes.readUInt16LE(at + 5), height: bytes.readUInt16LE(at + 7) };
  if (frame.width === 0 || frame.height === 0) return undefined;
  return {
    width: Math.max(bytes.readUInt16LE(6), bytes.readUInt16LE(at + 1) + frame.width),
    height: Math.max(bytes.readUInt16LE(8), bytes.readUInt16LE(at + 3) + frame.height),
  };
}

function colourTableBytes(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}

/** Returns the end of a list of sub-blocks. Each is a length and that many bytes. An empty one ends the list. */
function endOfSubBlocks(bytes: Buffer, start: number): number | undefined {
  for (let at = start; ; ) {
    const length = bytes[at];
    if (length === undefined) return undefined;
    at += 1 + length;
    if (length === 0) return at;
  }
}

/** Returns the size of a WebP if its container and first chunk are valid (RFC 9649, 2; VP8: RFC 6386, 9.1). */
export function webpSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30 || bytes.toString('latin1', 0, 4) !== 'RIFF') return undefined;
  if (bytes.toString('latin1', 8, 12) !== 'WEBP' || bytes.readUInt32LE(4) + 8 > bytes.length)
    return undefined;
  const length = bytes.readUInt32LE(16);
  if (20 + length > bytes.length) return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ': {
      const isKeyFrame = ((bytes[20] ?? 1) & 1) === 0;
      if (length < 10 || !isKeyFrame || bytes.readUIntBE(23, 3) !== 0x9d012a) return undefined;
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    }
    case 'VP8L': {
      if (length < 5 || bytes[20] !== 0x2f) return undefined;
      const sizes = bytes.readUInt32LE(21);
      return { width: (sizes & 0x3fff) + 1, height: ((sizes >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X': {
      if (length < 10 || bytes.length < 30 + 8) return undefined;
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    }
    default:
      return undefined;
  }
}
