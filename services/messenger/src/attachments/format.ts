import type { AttachmentType } from '@switchboard/contracts';
import { jpegSize } from './jpeg.ts';
import { gifSize, type PictureSize, pngSize, webpSize } from './pictures.ts';

/** Past this a decoder takes hundreds of megabytes: 50 million pixels. */
const MOST_PIXELS = 50_000_000;

const pictures: [AttachmentType, (bytes: Buffer) => PictureSize | undefined][] = [
  ['image/png', pngSize],
  ['image/jpeg', jpegSize],
  ['image/webp', webpSize],
  ['image/gif', gifSize],
];

/**
 * The type that a file's bytes are, by the structure of its head: no decoder runs, nothing is inflated, and the work
 * is bounded by the length. Undefined when it is none of the five, is cut off in its head, or has too many pixels.
 */
export function detectFormat(bytes: Buffer): AttachmentType | undefined {
  for (const [type, sizeOf] of pictures) {
    const size = sizeOf(bytes);
    if (size !== undefined) return isBearable(size) ? type : undefined;
  }
  return isPdf(bytes) ? 'application/pdf' : undefined;
}

function isBearable({ width, height }: PictureSize): boolean {
  return width > 0 && height > 0 && width * height <= MOST_PIXELS;
}

/** `%PDF-`, a version there is, and the end of the line (ISO 32000-2, 7.5.2), at the very start. */
function isPdf(bytes: Buffer): boolean {
  return /^%PDF-(1\.[0-7]|2\.0)[\s%]/.test(bytes.toString('latin1', 0, 9));
}
