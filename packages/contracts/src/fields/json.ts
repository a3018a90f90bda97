import { encodingFault } from './text.ts';

/** A JSON value. */
export type Json = string | number | boolean | null | Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [key: string]: Json;
}

/** Maximum nesting depth of a checked JSON value. */
export const JSON_MAX_DEPTH = 64;

/** Why a parsed JSON value cannot be stored, or undefined if it can. */
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

/** Every escape of a JSON text. Only half a surrogate pair is written as an escape that begins with `\ud`. */
const ESCAPES = /\\(?:ud[89a-f][0-9a-f]{2}|.)/g;
const HALF_PAIR = '\\ud';

/**
 * A parsed JSON value as text that every JSON reader reads: half a surrogate pair, for which UTF-8 has no bytes, becomes
 * U+FFFD. Throws RangeError for a value that is nested too deeply.
 */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes(HALF_PAIR)) return json;
  const mended = json.replaceAll(ESCAPES, (escaped) => (escaped.startsWith(HALF_PAIR) ? '\ufffd' : escaped));
  // Names that have become equal are one: the last counts, as in any JSON.
  return JSON.stringify(JSON.parse(mended));
}

/** The first integer of a parsed JSON value that a double does not keep exactly, by its path. */
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
