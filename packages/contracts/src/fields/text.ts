/** Counts Unicode code points, the unit of every length in the API that is not in bytes. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Returns why a text is not min to max code points long and storable, or undefined if it is. */
export function textFault(value: string, min: number, max: number): string | undefined {
  if (value.length < min) return min === 1 ? 'empty' : `shorter than ${min} characters`;
  // A text has at least half as many code points as UTF-16 units, so most need no counting.
  if (value.length > max && (value.length > 2 * max || codePoints(value) > max)) {
    return `longer than ${max} characters`;
  }
  return encodingFault(value);
}

/** Like `textFault` with a minimum of 1 code point. Also rejects a text of only white space. */
export function nonBlankTextFault(value: string, max: number): string | undefined {
  return textFault(value, 1, max) ?? (value.trim() === '' ? 'only white space' : undefined);
}

/** Control characters, line separators, and bidirectional control characters. */
export const DISRUPTIVE_CHARACTERS = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Like `nonBlankTextFault`. Also rejects a name that could break a line or reorder the surrounding text. */
export function nameFault(value: string, max: number): string | undefined {
  const fault = nonBlankTextFault(value, max);
  if (fault !== undefined || value.search(DISRUPTIVE_CHARACTERS) === -1) return fault;
  return 'contains a control character, a line break or a bidirectional control character';
}

/** Returns why a text cannot be stored byte for byte: PostgreSQL has no NUL and UTF-8 has no unpaired surrogates. */
export function encodingFault(value: string): string | undefined {
  if (value.includes('\0')) return 'contains a NUL character';
  return value.isWellFormed() ? undefined : 'contains an unpaired surrogate';
}
