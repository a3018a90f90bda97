import { isUtf8 } from 'node:buffer';
import { encodingFault, jsonFault, timestamp } from '@switchboard/contracts';
import { z } from 'zod';
import { BadRequest } from './errors.ts';

/** The requested page of a list: the first, or the one after `cursor`. */
export interface PageRequest {
  cursor?: string | undefined;
  /** The maximum number of rows. */
  limit: number;
}

export interface Page<R> {
  rows: R[];
  /** The start of the next page; null after the last. */
  nextCursor: string | null;
}

/** Makes a page of up to `limit + 1` rows. The extra row shows that another page follows. */
export function toPage<R>(rows: R[], limit: number, cursorOf: (row: R) => string): Page<R> {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}

/** Returns the error for a cursor that no page returned. */
export const unknownCursor = () => new BadRequest('cursor: not a nextCursor from this list');

/** A row's place in a list that is ordered by a time, then by id. */
export interface Place {
  at: Date;
  id: string;
}

/** Encodes a text as a cursor. */
export const encodeText = (text: string): string => Buffer.from(text).toString('base64url');

/** Returns the text of a cursor. Throws BadRequest if a database would not accept it. */
export function decodeText(cursor: string): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.toString();
  if (!isUtf8(bytes) || encodingFault(text) !== undefined) throw unknownCursor();
  return text;
}

/** Encodes a JSON value as a cursor. */
export const encodeCursor = (value: unknown): string => encodeText(JSON.stringify(value));

/** Returns the JSON value of a cursor. Throws BadRequest if the schema or a database would not accept it. */
export function decodeCursor<S extends z.ZodType>(cursor: string, schema: S): z.output<S> {
  const parsed = schema.safeParse(parsedJson(decodeText(cursor)));
  if (!parsed.success || jsonFault(parsed.data) !== undefined) throw unknownCursor();
  return parsed.data;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unknownCursor();
  }
}

const placeSchema = z.tuple([timestamp, z.string().regex(/^[a-z]+_[0-9a-f]{32}$/)]);

export const encodePlace = ({ at, id }: Place): string => encodeCursor([at.toISOString(), id]);

/** Decodes a place with an id that begins with the prefix. Throws BadRequest for a cursor that no page returned. */
export function decodePlace(cursor: string, prefix: string): Place {
  const [at, id] = decodeCursor(cursor, placeSchema);
  if (!id.startsWith(`${prefix}_`)) throw unknownCursor();
  return { at: new Date(at), id };
}
