import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import type { KitEnv } from './env.ts';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's X-Request-Id if it is safe to log, otherwise a new one. */
export function requestId(given: string | undefined): string {
  return given !== undefined && REQUEST_ID.test(given) ? given : randomUUID();
}

/**
 * The caller's IP address: the connection's, or the X-Forwarded-For entry that the outermost trusted proxy added.
 * Entries further left are set by the caller and are ignored.
 */
export function clientAddress(c: Context<KitEnv>, trustedHops: number): string {
  const connection = c.env?.incoming?.socket.remoteAddress ?? 'unknown';
  if (trustedHops === 0) return connection;
  const forwarded = (c.req.header('x-forwarded-for') ?? '').split(',').map((entry) => entry.trim());
  return forwarded.at(-trustedHops) || connection;
}
