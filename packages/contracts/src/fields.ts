import { z } from '@hono/zod-openapi';

/** Unicode code points of a text, the unit of every length in the interface that does not name bytes. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

interface TextBounds {
  min?: number;
  max: number;
}

/** A text of min to max code points without NUL. It is kept byte for byte: nothing is trimmed. */
export function text({ min = 0, max }: TextBounds) {
  return z
    .string()
    .check((context) => {
      const value = context.value;
      const refuse = (message: string) => context.issues.push({ code: 'custom', input: value, message });
      if (value.includes('\0')) refuse('contains a NUL character');
      // A text has at least half as many code points as UTF-16 units, so most are settled without counting.
      const tooLong = value.length > max && (value.length > 2 * max || codePoints(value) > max);
      if (tooLong) refuse(`longer than ${max} characters`);
      if (value.length < min) refuse(min === 1 ? 'empty' : `shorter than ${min} characters`);
    })
    .openapi({ type: 'string', ...(min > 0 ? { minLength: min } : {}), maxLength: max });
}

/** A required text that says something: 1 to max code points, not only white space. */
export function writtenText(max: number) {
  return text({ min: 1, max }).refine((value) => value.trim() !== '', 'only white space');
}

/** An identifier in a path or body: 1 to 200 code points. */
export const id = text({ min: 1, max: 200 });

/** RFC 3339 date and time with an offset. */
export const timestamp = z.iso
  .datetime({ offset: true, error: 'not a date and time (RFC 3339)' })
  .openapi({ type: 'string', format: 'date-time', example: '2026-03-01T09:30:00.000Z' });

/** A real calendar day, YYYY-MM-DD. */
export const day = z.iso
  .date({ error: 'not a calendar day (YYYY-MM-DD)' })
  .openapi({ type: 'string', format: 'date', example: '2026-03-01' });

/** A whole number that a signed 64-bit integer and a JSON number both hold exactly. */
export const int64 = z.int().openapi({ type: 'integer', format: 'int64' });

/** Any JSON value. */
export const anyJson = z.unknown().openapi({ description: 'Any JSON value.' });
