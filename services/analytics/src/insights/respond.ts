import {
  answerPrepared,
  type Bodies,
  type CreateRateLimit,
  isFresh,
  type OperationEnv,
} from '@switchboard/service-kit';
import type { Context, TypedResponse } from 'hono';
import type { Asked } from './answers.ts';

/** Answers with what was asked. Throws RateLimited, and Unavailable while others take all memory for answers. */
export type Respond = <T>(
  c: Context<OperationEnv<'access-token'>>,
  asked: Asked<T>,
) => Promise<Response & TypedResponse<T & { asOf: string }, 200, 'json'>>;

interface RespondOptions {
  /** Their budget holds what is being sent, too. */
  bodies: Pick<Bodies, 'hold'>;
  createRateLimit: CreateRateLimit;
  /** Questions of a person about a project that are computed; one whose answer is known costs nothing. */
  questionsPerMinute: number;
}

/** A project may ask as often as so many people. */
const PEOPLE_OF_PROJECT = 5;

export function createRespond({ bodies, createRateLimit, questionsPerMinute }: RespondOptions): Respond {
  const durationSeconds = 60;
  const limit = createRateLimit(
    { name: 'questions of a person', points: questionsPerMinute, durationSeconds },
    { name: 'questions of a project', points: questionsPerMinute * PEOPLE_OF_PROJECT, durationSeconds },
  );

  async function respond<T>(
    c: Context<OperationEnv<'access-token'>>,
    asked: Asked<T>,
  ): Promise<Response & TypedResponse<T & { asOf: string }, 200, 'json'>>;
  async function respond<T>(c: Context<OperationEnv<'access-token'>>, asked: Asked<T>): Promise<Response> {
    // Nothing is computed for somebody who has the answer.
    if (isFresh(c, asked.etag)) return new Response(null, { status: 304, headers: { ETag: asked.etag } });
    const { id } = c.get('project');
    if (!asked.isKnown()) await limit.consume(`${id} ${c.get('person').sub}`, id);
    const hold = bodies.hold(c);
    try {
      const prepared = await asked.answer();
      hold.take(prepared.body.length);
      const { outgoing } = c.env;
      // A slow reader keeps the answer in memory until then.
      if (outgoing === undefined) hold.release();
      else outgoing.once('close', () => hold.release());
      return answerPrepared(c, prepared);
    } catch (error) {
      hold.release();
      throw error;
    }
  }

  return respond;
}
