import type { Bodies } from '@switchboard/http';
import type { Context } from 'hono';

interface RawBodyOptions {
  maxBytes: number;
  bodies: Bodies;
}

/** Runs `action` with a function that reads the body. The bytes count against the budget until `action` ends. */
export async function withRawBody<T>(
  c: Context,
  { maxBytes, bodies }: RawBodyOptions,
  action: (read: () => Promise<Buffer>) => Promise<T>,
): Promise<T> {
  const reservation = bodies.reserve(c);
  try {
    return await action(() => bodies.read(c, reservation, { maxBytes }));
  } finally {
    reservation.release();
  }
}
