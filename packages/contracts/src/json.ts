import { malformed } from './text.ts';

/** A JSON value. */
export type Json = string | number | boolean | null | Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [key: string]: Json;
}

/** How deep a JSON value may nest where its inside is looked at. */
export const JSON_MAX_DEPTH = 64;

/** What keeps a parsed JSON value from being stored as it is, in words; undefined when nothing does. */
export function findJsonFault(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return malformed(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === JSON_MAX_DEPTH) return `nested deeper than ${JSON_MAX_DEPTH} levels`;
  for (const [key, inner] of Object.entries(value)) {
    const fault = malformed(key) ?? findJsonFault(inner, depth + 1);
    if (fault) return fault;
  }
  return undefined;
}
