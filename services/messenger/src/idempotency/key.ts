import { idempotencyHeaders } from '@switchboard/contracts';
import { BadRequest } from '@switchboard/service-kit';
import type { Context } from 'hono';

/** The Idempotency-Key of a request. */
export function idempotencyKey(c: Context): string | undefined {
  const parsed = idempotencyHeaders.safeParse({ 'idempotency-key': c.req.header('idempotency-key') });
  if (parsed.success) return parsed.data['idempotency-key'];
  throw new BadRequest(`Idempotency-Key: ${parsed.error.issues[0]?.message ?? 'not valid'}`);
}
