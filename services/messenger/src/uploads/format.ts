import type { AttachmentType } from '@switchboard/contracts';
import { gifSize, type ImageSize, pngSize, webpSize } from './images.ts';
import { jpegSize } from './jpeg.ts';

/** Limited because a decoder needs hundreds of megabytes for a larger image. */
const MAX_PIXELS = 50_000_000;

const imageFormats: [AttachmentType, (bytes: Buffer) => ImageSize | undefined][] = [
  ['image/png', pngSize],
  ['image/jpeg', jpegSize],
  ['image/webp', webpSize],
  ['image/gif', gifSize],
];

/**
 * Returns the type of a file by the structure of its header. No decoder runs and nothing is inflated, so the
 * length bounds the work. Undefined if the type is not one of the five, the header is truncated, or there are
 * too many pixels.
 */
export function detectFormat(bytes: Buffer): AttachmentType | undefined {
  for (const [type, sizeOf] of imageFormats) {
    const size = sizeOf(bytes);
    if (size !== undefined) return isSizeAllowed(size) ? type : undefined;
  }
  return isPdf(bytes) ? 'application/pdf' : undefined;
}

function isSizeAllowed({ width, height }: ImageSize): boolean {
  return width > 0 && height > 0 && width * height <= MAX_PIXELS;
}

/** Viewers look for the header of a PDF in this many bytes. */
const PDF_HEAD_BYTES = 1024;

/**
 * Whether a file starts with `%PDF-`, a known version and the end of the line (ISO 32000-2, 7.5.2). A byte
 * order mark and white space may precede it, as report servers and scanners write.
 */
function isPdf(bytes: Buffer): boolean {
  const head = bytes.toString('latin1', 0, PDF_HEAD_BYTES);
  return /^(?:\xef\xbb\xbf)?[\t\n\f\r ]*%PDF-(1\.[0-7]|2\.0)[\s%]/.test(head);
}
