/** Number of Unicode code points, the unit of every length in the API that does not name bytes. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Why a text is not min to max code points long and storable, or undefined if it is. */
export function textFault(value: string, min: number, max: number): string | undefined {
  if (value.length < min) return min === 1 ? 'empty' : `shorter than ${min} characters`;
  // A text has at least half as many code points as UTF-16 units, so most need no counting.
  if (value.length > max && (value.length > 2 * max || codePoints(value) > max)) {
    return `longer than ${max} characters`;
  }
  return encodingFault(value);
}

/** As `textFault` from 1 code point, and for a text of white space only. */
export function nonBlankTextFault(value: string, max: number): string | undefined {
  return textFault(value, 1, max) ?? (value.trim() === '' ? 'only white space' : undefined);
}

/** Why a text cannot be stored byte for byte: PostgreSQL has no NUL and UTF-8 no unpaired surrogates. */
export function encodingFault(value: string): string | undefined {
  if (value.includes('\0')) return 'contains a NUL character';
  return value.isWellFormed() ? undefined : 'contains an unpaired surrogate';
}
