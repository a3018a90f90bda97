import { createBuckets, pause } from '@switchboard/resilience';
import type { Exchange } from '../exchange/env.ts';
import { holderOf } from './holder.ts';

/** Statuses with a cause that an immediate retry does not change: credential, pace or size of the body, a limit. */
const STATUSES: ReadonlySet<number> = new Set([401, 408, 413, 429]);
/** The number of rejections per second that are answered at once, with a burst of two seconds. */
const PER_SECOND = { holder: 10, all: 30 } as const;
const MAX_WAIT_SECONDS = 2;
/** Above this number, rejections are answered at once: each waiting one holds a connection and part of a body. */
const MAX_WAITING = 500;
const ALL = '';

/**
 * Delays responses by up to two seconds when an address or a project is rejected repeatedly, or when many requests
 * are rejected: rejecting takes time that others need. Waits are random, so that clients do not return together.
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
