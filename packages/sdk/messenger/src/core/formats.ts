/**
 * The number of bytes that are read of a file: enough for each signature and the white space that may precede
 * that of a PDF.
 */
const HEAD_BYTES = 1024;
const SIGNATURES: [type: string, pattern: RegExp][] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
  ['application/pdf', /^(?:\xef\xbb\xbf)?[\t\n\f\r ]*%PDF-/],
];

/**
 * Returns the type of a file by its first bytes. Undefined if the API does not accept it or the file cannot be read.
 * The type that the browser provides comes from the file's name and the system's registry.
 */
export async function formatOf(file: Blob): Promise<string | undefined> {
  try {
    const head = latin1(await file.slice(0, HEAD_BYTES).arrayBuffer());
    return SIGNATURES.find(([, pattern]) => pattern.test(head))?.[0];
  } catch {
    return undefined;
  }
}

const latin1 = (bytes: ArrayBuffer) =>
  Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('');

/** Returns whether a picture of this type is animated. A canvas would keep only its first frame. */
export async function isAnimated(file: Blob, type: string): Promise<boolean> {
  if (type === 'image/gif') return true;
  if (type === 'image/webp') return isAnimatedWebp(new DataView(await file.slice(0, 21).arrayBuffer()));
  return type === 'image/png' && isAnimatedPng(new DataView(await file.arrayBuffer()));
}

const VP8X = 0x56503858;
const ANIMATION = 0x02;

/** Checks the flags of the header (RFC 9649, 2.7). */
const isAnimatedWebp = (bytes: DataView) =>
  bytes.byteLength > 20 && bytes.getUint32(12) === VP8X && (bytes.getUint8(20) & ANIMATION) !== 0;

const ACTL = 0x6163544c;
const IDAT = 0x49444154;

/** Checks for the chunk acTL, which comes before the image data (PNG, 11.3.5). */
function isAnimatedPng(bytes: DataView): boolean {
  for (let at = 8; at + 8 <= bytes.byteLength; at += bytes.getUint32(at) + 12) {
    const type = bytes.getUint32(at + 4);
    if (type === ACTL || type === IDAT) return type === ACTL;
  }
  return false;
}
