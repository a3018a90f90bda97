import { retry } from '@switchboard/resilience';
import { EventLogUnavailable } from '../../errors.ts';

const MAX_ATTEMPTS = 40;

/** A topic that was created is not listed yet. */
export class NotYetKnown extends EventLogUnavailable {}

/** Repeats work on topics that a broker does not know: a new one reaches a busy broker with a delay. */
export function untilKnown<T>(work: () => Promise<T>): Promise<T> {
  const isRetryable = (error: unknown) =>
    error instanceof NotYetKnown || isUnknownTopic(error) || isUnanswered(error);
  return retry(work, { isRetryable, maxAttempts: MAX_ATTEMPTS, maxMs: 500 });
}

/** What kafkajs says where it asks any broker and none knows the topic. */
function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.name === 'KafkaJSBrokerNotFound';
}

export function isUnknownTopic(error: unknown): boolean {
  return error instanceof Error && 'type' in error && error.type === 'UNKNOWN_TOPIC_OR_PARTITION';
}
