import { BadRequest } from '@switchboard/service-kit';

/** A UTF-16 unit takes at most three bytes in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

/** JSON of a parsed value. Throws BadRequest when it nests so deeply that it cannot be written. */
export function serialise(value: object, path: () => string): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) throw new BadRequest(`${path()}: nested too deeply`);
    throw error;
  }
}

/** Whether a text takes more than so many bytes in UTF-8. */
export function weighsOver(text: string, bytes: number): boolean {
  return text.length * MAX_BYTES_PER_UNIT > bytes && Buffer.byteLength(text) > bytes;
}
