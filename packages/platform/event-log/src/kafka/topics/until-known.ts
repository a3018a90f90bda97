import { retry } from '@switchboard/resilience';
import { EventLogUnavailable } from '../../errors.ts';

const MAX_ATTEMPTS = 40;

/** A created topic is not listed yet. */
export class NotYetKnown extends EventLogUnavailable {}

/** Retries work on topics while a broker does not know them. A new topic reaches a busy broker with a delay. */
export function untilKnown<T>(work: () => Promise<T>): Promise<T> {
  const isRetryable = (error: unknown) =>
    error instanceof NotYetKnown || isUnknownTopic(error) || isUnanswered(error);
  return retry(work, { isRetryable, maxAttempts: MAX_ATTEMPTS, maxMs: 500 });
}

/** Returns whether kafkajs asked any broker and none knew the topic. */
function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.name === 'KafkaJSBrokerNotFound';
}

export function isUnknownTopic(error: unknown): boolean {
  return error instanceof Error && 'type' in error && error.type === 'UNKNOWN_TOPIC_OR_PARTITION';
}
