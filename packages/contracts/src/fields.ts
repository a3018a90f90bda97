import { z } from '@hono/zod-openapi';
import { findJsonFault, type Json } from './json.ts';
import { isRfc3339 } from './rfc3339.ts';
import { textFault } from './text.ts';

interface TextBounds {
  min?: number;
  max: number;
}

/** A text of min to max code points, well formed and without NUL. It is kept byte for byte: nothing is trimmed. */
export function text({ min = 0, max }: TextBounds) {
  return z
    .string()
    .check((context) => {
      const message = textFault(context.value, min, max);
      if (message) context.issues.push({ code: 'custom', input: context.value, message });
    })
    .openapi({ ...(min > 0 ? { minLength: min } : {}), maxLength: max });
}

/** A required text that says something: 1 to max code points, not only white space. */
export function writtenText(max: number) {
  return text({ min: 1, max }).refine((value) => value.trim() !== '', 'only white space');
}

/** An identifier in a path or body: 1 to 200 code points, not only white space. */
export const id = writtenText(200);

/** RFC 3339 date and time with seconds and an offset, of a real calendar day. */
export const timestamp = z
  .string()
  .refine(isRfc3339, 'not a date and time (RFC 3339)')
  .openapi({ format: 'date-time', example: '2026-03-01T09:30:00.000Z' });

/** A real calendar day, YYYY-MM-DD. */
export const day = z.iso
  .date({ error: 'not a calendar day (YYYY-MM-DD)' })
  .refine((value) => value >= '0001', 'the calendar begins with year 1')
  .openapi({ format: 'date', example: '2026-03-01' });

/** A well-formed BCP 47 language tag. */
export const languageTag = text({ min: 1, max: 100 })
  .refine(isLanguageTag, 'not a language tag (BCP 47)')
  .openapi({ example: 'pt-BR' });

/** Whether a text is a well-formed BCP 47 language tag, as `Intl` reads it. */
export function isLanguageTag(value: string): boolean {
  try {
    return Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false;
  }
}

/** A whole number of 32 bits with a sign. */
export const int32 = z.int().min(-2_147_483_648).max(2_147_483_647).openapi({ format: 'int32' });

/** A whole number that a signed 64-bit integer and a JSON number both hold exactly. */
export const int64 = z.int().openapi({ format: 'int64' });

/** A whole number from 0 to 2^32 - 1. */
export const uint32 = z.int().min(0).max(4_294_967_295).openapi({ format: 'uint32' });

/** Refuses a value that nests deeper than 64 levels or whose texts cannot be stored as they are. */
export function refuseJsonFault({ value, issues }: z.core.ParsePayload<unknown>): void {
  const message = findJsonFault(value);
  if (message) issues.push({ code: 'custom', input: value, message });
}

/** Any JSON value, null included, at most 64 levels deep and with texts that can be stored as they are. */
export const anyJson = z
  .unknown()
  .refine((value): value is Json => value !== undefined, 'required')
  .check(refuseJsonFault)
  .openapi({ description: 'Any JSON value.' });

/** Whether a parsed JSON value is an object: no array, not null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An http or https address of up to 2,048 characters. */
export const webAddress = z.url({ protocol: /^https?$/, error: 'not an http or https address' }).max(2048);

/** An https address of up to 2,048 characters. */
export const httpsAddress = z.url({ protocol: /^https$/, error: 'not an https address' }).max(2048);

/** Exactly so many bytes as base64url, with or without padding. */
export function base64url(bytes: number) {
  const digits = Math.ceil((bytes * 4) / 3);
  const padding = (4 - (digits % 4)) % 4;
  return z
    .string()
    .regex(new RegExp(`^[A-Za-z0-9_-]{${digits}}={0,${padding}}$`), `not ${bytes} bytes as base64url`);
}
