import { retry } from '@switchboard/resilience';

const MAX_ATTEMPTS = 40;

/** Repeats work on topics that a broker does not know: a new one reaches a busy broker with a delay. */
export function untilKnown<T>(work: () => Promise<T>): Promise<T> {
  return retry(work, { isRetryable: isUnknownTopic, maxAttempts: MAX_ATTEMPTS, maxMs: 500 });
}

export function isUnknownTopic(error: unknown): boolean {
  return error instanceof Error && 'type' in error && error.type === 'UNKNOWN_TOPIC_OR_PARTITION';
}
