import type { ImageSize } from './images.ts';

const START_OF_SCAN = 0xda;
/** The maximum number of bytes that belong to no segment. Decoders skip them, and pictures have few. */
const MAX_STRAY_BYTES = 65_536;

/**
 * Returns the size of a JPEG if its segments up to the first scan are within the file (ITU T.81, B.1 and B.2).
 * Like decoders, it skips bytes between segments, but not before the first.
 */
export function jpegSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 4 || bytes.readUIntBE(0, 3) !== 0xffd8ff) return undefined;
  let size: ImageSize | undefined;
  let strayBytes = 0;
  for (let at = 2; ; ) {
    const markerAt = nextMarker(bytes, at);
    strayBytes += markerAt - at - 1;
    const marker = bytes[markerAt] ?? 0;
    const start = markerAt + 1;
    if (strayBytes > MAX_STRAY_BYTES || start + 2 > bytes.length || !hasSegment(marker)) return undefined;
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

/** Returns where the next marker's code is, after 0xff. Skips fill, padding and markers without a segment. */
function nextMarker(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at] !== 0xff || isFill(bytes[at + 1]))) at += 1;
  return at + 1;
}

/** Whether a code is that of 0xff00, a fill byte, TEM or a restart. */
function isFill(code = 0): boolean {
  return code <= 0x01 || code === 0xff || (code >= 0xd0 && code <= 0xd7);
}

/** Returns true except for reserved codes and the start and end of an image, which cannot precede the scan. */
function hasSegment(marker: number): boolean {
  return marker >= 0xc0 && marker !== 0xd8 && marker !== 0xd9;
}

/** Whether a marker is one of SOF0 to SOF15. Excludes DHT, JPG and DAC in the same range. */
function isStartOfFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
