import { z } from 'zod';
import { BadRequest } from './errors.ts';

/** Which page of a list: the first, or the one after `cursor`. */
export interface PageRequest {
  cursor?: string | undefined;
  /** How many rows it may have. */
  limit: number;
}

export interface Page<R> {
  rows: R[];
  /** Where the next page begins; null after the last. */
  nextCursor: string | null;
}

/** Makes a page of up to `limit + 1` rows: the one more says whether another follows. */
export function toPage<R>(rows: R[], limit: number, cursorOf: (row: R) => string): Page<R> {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}

/** For a cursor that no page returned. */
export const unknownCursor = () => new BadRequest('cursor: not a nextCursor from this list');

/** A row's place in a list that is ordered by a time, then by id. */
export interface Place {
  at: Date;
  id: string;
}

const placeSchema = z.tuple([z.iso.datetime({ precision: 3 }), z.string().regex(/^[a-z]+_[0-9a-f]{32}$/)]);

export function encodePlace({ at, id }: Place): string {
  return Buffer.from(JSON.stringify([at.toISOString(), id])).toString('base64url');
}

/** Of ids that begin with the prefix. Throws BadRequest for what no page returned. */
export function decodePlace(cursor: string, prefix: string): Place {
  try {
    const [at, id] = placeSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    if (id.startsWith(`${prefix}_`)) return { at: new Date(at), id };
  } catch {
    // Refused below.
  }
  throw unknownCursor();
}
