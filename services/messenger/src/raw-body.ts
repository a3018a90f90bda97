import { type ByteBudget, readBody } from '@switchboard/service-kit';
import type { Context } from 'hono';

/** Calls `take` with a way to read the body's bytes, which are counted against the budget until it is done. */
export async function withRawBody<T>(
  c: Context,
  { maxBytes, budget }: { maxBytes: number; budget: ByteBudget },
  take: (read: () => Promise<Buffer>) => Promise<T>,
): Promise<T> {
  let reserved = 0;
  try {
    return await take(async () => {
      const body = await readBody(c, { maxWireBytes: maxBytes, maxBytes, budget });
      reserved = body.reserved;
      return body.bytes;
    });
  } finally {
    budget.release(reserved);
  }
}
