/**
 * The seconds after each failed attempt until the next: the schedule that Standard Webhooks 1.0.0 gives as an example.
 * After the last one, a message has failed for good.
 */
export const SCHEDULE_SECONDS: readonly number[] = [
  5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
];

/** Each delay is longer by up to this part of it, so that messages that failed together are not retried together. */
const JITTER = 0.2;
const MAX_RETRY_AFTER_MS = 86_400_000;
/** The time without a success after which a webhook is disabled. */
export const FAILING_MS = 5 * 86_400_000;

/** The result of an attempt. */
export interface Attempt {
  at: Date;
  /** Null without a response. */
  status: number | null;
  error: string | null;
  response: string | null;
  durationMs: number;
  /** The header Retry-After of the response. */
  retryAfter: string | null;
}

/** The effect of an attempt on its message and its webhook. */
export interface Outcome {
  state: 'waiting' | 'delivered' | 'failed';
  nextAt: Date;
  /** Whether the endpoint said that it is gone. */
  isGone: boolean;
  /** Until then, no message is sent to the endpoint. */
  pausedUntil: Date | null;
}

interface Rules {
  schedule: readonly number[];
  /** From 0 to 1. */
  random(): number;
}

/** Returns the effect of the attempt with this number, the first of which is 1. */
export function outcomeOf(attempt: Attempt, number: number, now: Date, { schedule, random }: Rules): Outcome {
  const { status } = attempt;
  const isGone = status === 410;
  if (status !== null && status >= 200 && status < 300)
    return { state: 'delivered', nextAt: now, isGone, pausedUntil: null };
  const asked = status === 429 || status === 503 ? retryAfterMs(attempt.retryAfter, now) : undefined;
  const pausedUntil = asked === undefined ? null : later(now, asked);
  const seconds = schedule[number - 1];
  if (seconds === undefined) return { state: 'failed', nextAt: now, isGone, pausedUntil };
  const delayMs = seconds * 1000 * (1 + JITTER * random());
  return { state: 'waiting', nextAt: later(now, Math.max(delayMs, asked ?? 0)), isGone, pausedUntil };
}

const later = (time: Date, ms: number) => new Date(time.getTime() + ms);

/** Returns the wait that Retry-After asks for: seconds or a date (RFC 9110). */
function retryAfterMs(header: string | null, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime();
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}
