import { BadRequest } from '@switchboard/http';

/** UTF-8 needs at most three bytes per UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

/** Serialises a parsed value as JSON. Throws BadRequest if it is nested too deeply. */
export function serialise(value: object, path: () => string): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) throw new BadRequest(`${path()}: nested too deeply`);
    throw error;
  }
}

/** Whether a text takes more than this many bytes in UTF-8. */
export function exceedsBytes(text: string, bytes: number): boolean {
  return text.length * MAX_BYTES_PER_UNIT > bytes && Buffer.byteLength(text) > bytes;
}
