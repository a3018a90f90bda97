import {
  answerPrepared,
  type Bodies,
  type CreateRateLimit,
  isFresh,
  type OperationEnv,
} from '@switchboard/http';
import type { Context, TypedResponse } from 'hono';
import type { Result } from './results.ts';

/** Responds with the result. Throws RateLimited, and Unavailable while other requests use all memory for results. */
export type Respond = <T>(
  c: Context<OperationEnv<'access-token'>>,
  result: Result<T>,
) => Promise<Response & TypedResponse<T & { asOf: string }, 200, 'json'>>;

interface RespondOptions {
  /** The memory budget, which also covers bodies being sent. */
  bodies: Pick<Bodies, 'reserve'>;
  createRateLimit: CreateRateLimit;
  /** The limit of computed queries per person and project. A query with a known result is free. */
  queriesPerMinute: number;
}

/** Several dashboards of twenty reports. RATE_LIMITS_MULTIPLIER multiplies it. */
export const QUERIES_PER_MINUTE = 120;
/** The limit of a project, as a multiple of that of a person. */
const PEOPLE_OF_PROJECT = 5;

export function createRespond({ bodies, createRateLimit, queriesPerMinute }: RespondOptions): Respond {
  const durationSeconds = 60;
  const limit = createRateLimit(
    { name: 'queries of a person', points: queriesPerMinute, durationSeconds },
    { name: 'queries of a project', points: queriesPerMinute * PEOPLE_OF_PROJECT, durationSeconds },
  );

  async function respond<T>(
    c: Context<OperationEnv<'access-token'>>,
    result: Result<T>,
  ): Promise<Response & TypedResponse<T & { asOf: string }, 200, 'json'>>;
  async function respond<T>(c: Context<OperationEnv<'access-token'>>, result: Result<T>): Promise<Response> {
    // Computes nothing for a client that already has the result.
    if (isFresh(c, result.etag)) return new Response(null, { status: 304, headers: { ETag: result.etag } });
    const { id } = c.get('project');
    if (!result.isKnown()) await limit.consume(`${id} ${c.get('person').sub}`, id);
    const reservation = bodies.reserve(c);
    try {
      const prepared = await result.prepare();
      reservation.take(prepared.body.length);
      const { outgoing } = c.env;
      // A slow reader keeps the result in memory until the connection closes.
      if (outgoing === undefined) reservation.release();
      else outgoing.once('close', () => reservation.release());
      return answerPrepared(c, prepared);
    } catch (error) {
      reservation.release();
      throw error;
    }
  }

  return respond;
}
