import type { OperationEnv, Throttle } from '@switchboard/http';
import type { Context } from 'hono';

/**
 * Returns an `authorize` that answers calls of projects with events that an operator drops as if they were accepted.
 * A client would repeat rejected calls.
 */
export function answerDropped(throttle: Throttle, answer: () => Response) {
  return (c: Context<OperationEnv<'ingestion'>>): Response | undefined =>
    throttle.drops(c.get('project')) ? answer() : undefined;
}

export const noneAccepted = (): Response => Response.json({ accepted: 0 }, { status: 202 });
