import type { z } from '@hono/zod-openapi';

/** Defines a required JSON request body. */
export function jsonBody<S extends z.ZodType>(schema: S, example?: z.input<S>) {
  const media = { schema, ...(example === undefined ? {} : { example }) };
  return { required: true, content: { 'application/json': media } };
}

/** Defines a JSON response. */
export function jsonResponse<S extends z.ZodType>(description: string, schema: S, example?: z.output<S>) {
  const media = { schema, ...(example === undefined ? {} : { example }) };
  return { description, content: { 'application/json': media } };
}

/** The response to If-None-Match when nothing has changed. */
export const notModified = { description: 'Not modified since the ETag in If-None-Match.' };

/** The response to DELETE. */
export const deleted = { description: 'Deleted, or nothing to delete.' };
