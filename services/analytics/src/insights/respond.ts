import { answerPrepared, isFresh } from '@switchboard/service-kit';
import type { Context, TypedResponse } from 'hono';
import type { Asked } from './answers.ts';

/** Nothing is computed for somebody who has the answer. */
export function respond<T>(
  c: Context,
  asked: Asked<T>,
): Promise<Response & TypedResponse<T & { asOf: string }, 200, 'json'>>;
export async function respond<T>(c: Context, asked: Asked<T>): Promise<Response> {
  if (isFresh(c, asked.etag)) {
    return new Response(null, { status: 304, headers: { ETag: asked.etag } });
  }
  return answerPrepared(c, await asked.answer());
}
