import { encodingFault } from './text.ts';

/** A JSON value. */
export type Json = string | number | boolean | null | Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [key: string]: Json;
}

/** Maximum nesting depth of a checked JSON value. */
export const JSON_MAX_DEPTH = 64;

/** Returns why a parsed JSON value cannot be stored, or undefined if it can. */
export function jsonFault(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return encodingFault(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === JSON_MAX_DEPTH) return `nested deeper than ${JSON_MAX_DEPTH} levels`;
  for (const [key, inner] of Object.entries(value)) {
    const fault = encodingFault(key) ?? jsonFault(inner, depth + 1);
    if (fault) return fault;
  }
  return undefined;
}

/** Matches every escape of a JSON text. Only unpaired surrogates are written as escapes that begin with `\ud`. */
const ESCAPES = /\\(?:ud[89a-f][0-9a-f]{2}|.)/g;
const HALF_PAIR = '\\ud';

/**
 * Serializes a parsed JSON value to text that every JSON reader accepts. An unpaired surrogate, which UTF-8 cannot
 * encode, becomes U+FFFD. Throws RangeError for a value that is nested too deeply.
 */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes(HALF_PAIR)) return json;
  const mended = json.replaceAll(ESCAPES, (escaped) => (escaped.startsWith(HALF_PAIR) ? '\ufffd' : escaped));
  // If two names have become equal, the last one applies, as in any JSON.
  return JSON.stringify(JSON.parse(mended));
}

/** Returns the path of the first integer of a parsed JSON value that a double does not represent exactly. */
export function inexactInteger(value: unknown): { path: PropertyKey[] } | undefined {
  if (typeof value === 'number') {
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? { path: [] } : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = inexactInteger(inner);
    if (found !== undefined) return { path: [Array.isArray(value) ? Number(key) : key, ...found.path] };
  }
  return undefined;
}
