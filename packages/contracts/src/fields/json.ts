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
