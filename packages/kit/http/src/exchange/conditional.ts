import { hash } from 'node:crypto';
import type { Context } from 'hono';
import { headerOf } from './request-info.ts';

/** A serialized body with its strong ETag. */
export interface Prepared<Body extends string | Uint8Array<ArrayBuffer> = string> {
  body: Body;
  etag: string;
}

export function prepareJson(value: unknown): Prepared {
  const body = JSON.stringify(value);
  return { body, etag: etagOf(body) };
}

/** Returns the JSON text of an object with the properties of both texts, none of which is an empty object. */
export const joinObjects = (first: string, second: string): string =>
  `${first.slice(0, -1)},${second.slice(1)}`;

/** Returns the strong ETag of a body, or of the data that determines it. */
export function etagOf(content: string): string {
  return `"${hash('sha256', content, 'base64url').slice(0, 27)}"`;
}

/** Whether If-None-Match names one of these ETags (weak comparison: RFC 9110, 13.1.2). */
export function isFresh(c: Context, ...etags: readonly string[]): boolean {
  const header = headerOf(c, 'if-none-match');
  if (header === undefined) return false;
  if (etags.includes(header)) return true;
  return header
    .split(',')
    .map((tag) => tag.trim())
    .some((tag) => tag === '*' || etags.includes(tag.replace(/^W\//, '')));
}

/** Returns the body, or 304 if the caller already has it. */
export function answerPrepared(
  c: Context,
  { body, etag }: Prepared<string | Uint8Array<ArrayBuffer>>,
  headers: Record<string, string> = {},
): Response {
  const all = { ...headers, ETag: etag };
  if (isFresh(c, etag)) return new Response(null, { status: 304, headers: all });
  return new Response(body, {
    status: 200,
    headers: { ...all, 'Content-Type': 'application/json; charset=utf-8' },
  });
}
