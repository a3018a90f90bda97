/** Unicode code points of a text, the unit of every length in the interface that does not name bytes. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** What keeps a text from being one of min to max code points, in words; undefined when it is one. */
export function textFault(value: string, min: number, max: number): string | undefined {
  if (value.length < min) return min === 1 ? 'empty' : `shorter than ${min} characters`;
  // A text has at least half as many code points as UTF-16 units, so most are settled without counting.
  if (value.length > max && (value.length > 2 * max || codePoints(value) > max)) {
    return `longer than ${max} characters`;
  }
  return malformed(value);
}

/** Why a text cannot be kept byte for byte: PostgreSQL holds no NUL, UTF-8 no unpaired surrogate. */
export function malformed(value: string): string | undefined {
  if (value.includes('\0')) return 'contains a NUL character';
  return value.isWellFormed() ? undefined : 'contains an unpaired surrogate';
}
