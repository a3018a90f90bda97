import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import type { KitEnv } from './env.ts';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own X-Request-Id when it is fit to be logged, else a new one. */
export function requestId(given: string | undefined): string {
  return given !== undefined && REQUEST_ID.test(given) ? given : randomUUID();
}

/**
 * The caller's address: the connection's, or the X-Forwarded-For entry so many hops from the right as proxies
 * of ours have added. Entries further left are the caller's own claim and are not read.
 */
export function clientAddress(c: Context<KitEnv>, trustedHops: number): string {
  const connection = c.env?.incoming?.socket.remoteAddress ?? 'unknown';
  if (trustedHops === 0) return connection;
  const forwarded = (c.req.header('x-forwarded-for') ?? '').split(',').map((entry) => entry.trim());
  return forwarded.at(-trustedHops) || connection;
}
