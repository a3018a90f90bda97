const MAX_ID = 200;
const UNPAIRED = /\p{Surrogate}/gu;

/** Returns the first characters of a text, by code points, so that no character is split. */
export function clip(text: string, max: number): string {
  // A code point has up to two UTF-16 units.
  return [...text.slice(0, 2 * max)].slice(0, max).join('').replace(UNPAIRED, '\ufffd');
}

/** Returns why the server would reject an id or a name, as the end of a sentence. Undefined if it would not. */
export function idFault(id: unknown): string | undefined {
  if (typeof id !== 'string') return 'is not a string.';
  if (id.trim() === '') return 'is empty.';
  if (id.length > MAX_ID && [...id].length > MAX_ID) return `is longer than ${MAX_ID} characters.`;
  if (id.includes('\0')) return 'contains a NUL character.';
  return id.search(UNPAIRED) < 0 ? undefined : 'contains an unpaired surrogate.';
}
