import { z } from '@hono/zod-openapi';
import { inexactInteger, type Json, jsonFault } from './json.ts';
import { rfc3339Fault, withoutLeapSecond } from './rfc3339.ts';
import { nameFault, nonBlankTextFault, textFault } from './text.ts';

interface TextBounds {
  min?: number;
  max: number;
}

/**
 * Creates a schema of a text of min to max code points, well-formed and without NUL. The text is stored byte for
 * byte, without trimming.
 */
export function text({ min = 0, max }: TextBounds) {
  return textWith((value) => textFault(value, min, max), { min, max });
}

/** Creates a schema of a text of 1 to max code points that is not only white space. */
export function nonBlankText(max: number) {
  return textWith((value) => nonBlankTextFault(value, max), { min: 1, max });
}

/**
 * Creates a schema of a name: a non-blank text of one line, without characters that change how the surrounding text
 * is displayed.
 */
export function name(max: number) {
  return textWith((value) => nameFault(value, max), { min: 1, max });
}

type FaultOf = (value: string) => string | undefined;

function textWith(faultOf: FaultOf, { min, max }: Required<TextBounds>) {
  return z
    .string()
    .check(checkWith(faultOf))
    .meta({ ...(min > 0 ? { minLength: min } : {}), maxLength: max });
}

function checkWith(faultOf: FaultOf) {
  return ({ value, issues }: z.core.ParsePayload<string>) => {
    const message = faultOf(value);
    if (message) issues.push({ code: 'custom', input: value, message });
  };
}

/** An identifier in a path or body: 1 to 200 code points, not only white space. */
export const id = nonBlankText(200);

/**
 * RFC 3339 date-time with seconds and an offset, of a real calendar day since year 1. A leap second is replaced by
 * the second before it.
 */
export const timestamp = z
  .string()
  .overwrite(withoutLeapSecond)
  .check(checkWith(rfc3339Fault))
  .openapi({ format: 'date-time', example: '2026-03-01T09:30:00.000Z' });

/** A real calendar day, YYYY-MM-DD. */
export const day = z.iso
  .date({ error: 'not a calendar day; use YYYY-MM-DD' })
  .refine((value) => value >= '0001', 'before year 1')
  .openapi({ format: 'date', example: '2026-03-01' });

/** A well-formed BCP 47 language tag. */
export const languageTag = text({ min: 1, max: 100 })
  .refine(isLanguageTag, 'not a BCP 47 language tag')
  .openapi({ example: 'pt-BR' });

/** Returns whether a text is a well-formed BCP 47 language tag, as `Intl` parses it. */
export function isLanguageTag(value: string): boolean {
  try {
    return Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false;
  }
}

/** A signed 32-bit integer. */
export const int32 = z.int().min(-2_147_483_648).max(2_147_483_647).openapi({ format: 'int32' });

/** An integer that both a signed 64-bit integer and a JSON number represent exactly. */
export const int64 = z.int().openapi({ format: 'int64' });

/** An integer from 0 to 2^32 - 1. */
export const uint32 = z.int().min(0).max(4_294_967_295).openapi({ format: 'uint32' });

/** Rejects a value that is nested more than 64 levels deep or has strings that cannot be stored. */
export function checkJson({ value, issues }: z.core.ParsePayload<unknown>): void {
  const message = jsonFault(value);
  if (message) issues.push({ code: 'custom', input: value, message });
}

/** Any JSON value including null, at most 64 levels deep, with strings that can be stored. */
export const anyJson = z
  .unknown()
  .refine((value): value is Json => value !== undefined, 'required')
  .check(checkJson)
  .openapi({ description: 'Any JSON value.' });

/** `anyJson` without integers beyond 2^53 - 1, which JSON parsers round, so that the stored value would differ. */
export const exactJson = anyJson.check(({ value, issues }) => {
  const found = inexactInteger(value);
  if (found === undefined) return;
  issues.push({
    code: 'custom',
    input: value,
    path: found.path,
    message: `an integer beyond ${Number.MAX_SAFE_INTEGER}, which JSON does not keep exactly; send it as a string`,
  });
});

/** Returns whether a parsed JSON value is an object and not an array or null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Creates a schema that keeps an accepted object as sent, because Zod's copy of an object omits a property named
 * `__proto__`.
 */
export function asSent<S extends z.ZodObject | z.ZodRecord>(schema: S): z.ZodType<z.output<S>> {
  const { $schema: _, ...documented } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return z
    .any()
    .check(({ value, issues }) => {
      for (const issue of schema.safeParse(value).error?.issues ?? [])
        issues.push({ ...issue, input: value });
    })
    .meta(documented);
}

/** Letters, digits and symbols of RFC 5322's dot-atom and RFC 6531, and a host with a top-level domain. */
const EMAIL =
  /^(?!\.)(?!.*\.[.@])[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[\p{L}\p{N}][\p{L}\p{M}\p{N}-]*\.)+(?:[\p{L}\p{M}]{2,}|xn--[a-z0-9-]+)$/iu;

/** An email address of up to 320 characters. May be internationalised. */
export const emailAddress = z.email({ pattern: EMAIL, error: 'not an email address' }).max(320);

/** An http or https URL of up to 2,048 characters. */
export const webUrl = z.url({ protocol: /^https?$/, error: 'not an http or https URL' }).max(2048);

/** An https URL of up to 2,048 characters. */
export const httpsUrl = z.url({ protocol: /^https$/, error: 'not an https URL' }).max(2048);

/** Creates a schema of a base64url encoding of exactly this number of bytes, with or without padding. */
export function base64url(bytes: number) {
  const digits = Math.ceil((bytes * 4) / 3);
  const padding = (4 - (digits % 4)) % 4;
  return z
    .string()
    .regex(new RegExp(`^[A-Za-z0-9_-]{${digits}}={0,${padding}}$`), `not ${bytes} bytes in base64url`);
}
