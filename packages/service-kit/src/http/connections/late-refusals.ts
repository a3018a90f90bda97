import { createBuckets, pause } from '@switchboard/resilience';
import type { Exchange } from '../env.ts';
import { holderOf } from '../holder.ts';

/** Their cause stays when the request is repeated at once: its credential, its body's pace or size, a limit. */
const STATUSES: ReadonlySet<number> = new Set([401, 408, 413, 429]);
/** Answered at once, also those of two seconds together. */
const PER_SECOND = { holder: 10, all: 30 } as const;
const MAX_WAIT_SECONDS = 2;
/** Beyond it they are answered at once, since each holds a connection and what arrived of a body. */
const MAX_WAITING = 500;
const ALL = '';

/**
 * Lets who is refused wait for the answer, up to two seconds, where an address or a project is refused again and again,
 * or many are: refusing takes time that others need. Each wait is random, so that they do not come back together.
 */
export function delayRefusals(): (response: Response, exchange: Exchange) => Response | Promise<Response> {
  const ofHolder = createBuckets(PER_SECOND.holder);
  const ofAll = createBuckets(PER_SECOND.all);
  let waiting = 0;

  async function answerLater(response: Response, seconds: number): Promise<Response> {
    waiting++;
    await pause(seconds * 1000);
    waiting--;
    return response;
  }

  return (response, exchange) => {
    if (!STATUSES.has(response.status)) return response;
    const holder = holderOf(exchange);
    const wait = Math.max(ofHolder.wait(holder), ofAll.wait(ALL));
    if (wait < MAX_WAIT_SECONDS) {
      ofHolder.take(holder, 1);
      ofAll.take(ALL, 1);
    }
    if (wait === 0 || waiting >= MAX_WAITING) return response;
    return answerLater(response, Math.random() * Math.min(wait, MAX_WAIT_SECONDS));
  };
}
