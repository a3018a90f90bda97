import { type ByteBudget, readBody } from '@switchboard/service-kit';
import type { Context } from 'hono';

interface RawBodyOptions {
  maxBytes: number;
  budget: ByteBudget;
}

/** Runs `action` with a function that reads the body; its bytes count against the budget until `action` ends. */
export async function withRawBody<T>(
  c: Context,
  { maxBytes, budget }: RawBodyOptions,
  action: (read: () => Promise<Buffer>) => Promise<T>,
): Promise<T> {
  let reserved = 0;
  try {
    return await action(async () => {
      const body = await readBody(c, { maxWireBytes: maxBytes, maxBytes, budget });
      reserved = body.reserved;
      return body.bytes;
    });
  } finally {
    budget.release(reserved);
  }
}
