import { decodeText, encodeText, unknownCursor } from '@switchboard/http';
import { number, type Sql, sql, text } from '../engine/sql.ts';

/** A position in a list ordered by count, the highest first, then by name. */
interface Place {
  count: number;
  name: string;
}

/** Whether a row of `count` and `name` comes after a position. */
export function afterPlace({ count, name }: Place): Sql {
  return sql`(count < ${number(count)} or (count = ${number(count)} and name > ${text(name)}))`;
}

/** Returns the cursor of the page after a position. */
export const placeOf = ({ count, name }: Place) => encodeText(`${count} ${name}`);

/** Throws BadRequest for a cursor that no page returned. */
export function parsePlace(cursor: string): Place {
  const [, count, name] = /^(\d{1,15}) (.*)$/s.exec(decodeText(cursor)) ?? [];
  if (count === undefined || name === undefined) throw unknownCursor();
  return { count: Number(count), name };
}
