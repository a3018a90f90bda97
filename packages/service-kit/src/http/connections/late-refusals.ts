import { createBuckets } from '@switchboard/resilience';
import type { Exchange } from '../env.ts';
import { holderOf } from '../holder.ts';

/** Their cause stays when the request is repeated at once: its credential, its body's pace or size, a limit. */
const STATUSES: ReadonlySet<number> = new Set([401, 408, 413, 429]);
/** Of an address or a project, answered at once, also those of two seconds together. */
const REFUSALS_PER_SECOND = 10;
const MAX_WAIT_SECONDS = 1;
/** Beyond it they are answered at once, since each holds a connection and what arrived of a body. */
const MAX_WAITING = 500;

/**
 * Lets a client that is refused again and again wait for its answers, up to a second each: refusing takes time that
 * others need. Each wait is random, so that such clients do not come back together.
 */
export function delayRefusals(): (response: Response, exchange: Exchange) => Response | Promise<Response> {
  const refused = createBuckets(REFUSALS_PER_SECOND);
  let waiting = 0;

  async function answerLater(response: Response, seconds: number): Promise<Response> {
    waiting++;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    waiting--;
    return response;
  }

  return (response, exchange) => {
    if (!STATUSES.has(response.status)) return response;
    const holder = holderOf(exchange);
    const wait = refused.wait(holder);
    if (wait < MAX_WAIT_SECONDS) refused.take(holder, 1);
    if (wait === 0 || waiting >= MAX_WAITING) return response;
    return answerLater(response, Math.random() * Math.min(wait, MAX_WAIT_SECONDS));
  };
}
