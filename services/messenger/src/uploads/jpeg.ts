import type { ImageSize } from './images.ts';

const START_OF_SCAN = 0xda;

/** Size of a JPEG whose segments are within the file up to its first scan (ITU T.81, B.1 and B.2). */
export function jpegSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  let size: ImageSize | undefined;
  for (let at = 2; ; ) {
    if (bytes[at] !== 0xff) return undefined;
    while (bytes[at + 1] === 0xff) at += 1; // fill bytes
    const marker = bytes[at + 1] ?? 0;
    const start = at + 2;
    if (start + 2 > bytes.length || !hasSegment(marker)) return undefined;
    const length = bytes.readUInt16BE(start);
    if (length < 2 || start + length > bytes.length) return undefined;
    if (marker === START_OF_SCAN) return size;
    if (isStartOfFrame(marker)) {
      const components = bytes[start + 7] ?? 0;
      if (size !== undefined || components < 1 || length !== 8 + 3 * components) return undefined;
      size = { width: bytes.readUInt16BE(start + 5), height: bytes.readUInt16BE(start + 3) };
    }
    at = start + length;
  }
}

/** True except for padding, restarts, and the start and end of an image, which cannot precede the scan. */
function hasSegment(marker: number): boolean {
  return marker >= 0xc0 && !(marker >= 0xd0 && marker <= 0xd9);
}

/** SOF0 to SOF15, except DHT, JPG and DAC in the same range. */
function isStartOfFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
