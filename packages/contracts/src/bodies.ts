import type { z } from '@hono/zod-openapi';

/** A required JSON request body. */
export function jsonBody<S extends z.ZodType>(schema: S, example?: z.input<S>) {
  const media = { schema, ...(example === undefined ? {} : { example }) };
  return { required: true, content: { 'application/json': media } };
}

/** A JSON answer. */
export function jsonAnswer<S extends z.ZodType>(description: string, schema: S, example?: z.output<S>) {
  const media = { schema, ...(example === undefined ? {} : { example }) };
  return { description, content: { 'application/json': media } };
}

/** The answer to If-None-Match when nothing has changed. */
export const notModified = { description: 'Nothing has changed since the ETag in If-None-Match.' };
