import { retry } from '@switchboard/resilience';
import { UnknownTopic } from '../errors.ts';
import type { Consumption } from '../types.ts';

/** The log of failures of background work. */
export interface FailureLog {
  failed(task: string, error: unknown, fields?: object): void;
}

interface ConsumerOptions {
  /** Throws while the event log is unavailable or a topic does not exist. */
  consume(): Promise<Consumption>;
  topics: readonly string[];
  logger: FailureLog;
}

/** A consumer that begins as soon as its topics exist. */
export interface BackgroundConsumer {
  /** Returns at once. */
  start(): void;
  stop(): Promise<void>;
}

const RETRY_MS = 1_000;
/** The number of attempts before a warning. Services start together, and each creates its own topics. */
const ATTEMPTS_BEFORE_A_TOPIC_IS_MISSED = 30;

export function createConsumer({ consume, topics, logger }: ConsumerOptions): BackgroundConsumer {
  const stopping = new AbortController();
  let starting: Promise<Consumption | undefined> | undefined;

  async function consumeOnceReady(): Promise<Consumption | undefined> {
    const { signal } = stopping;
    const onRetry = (error: unknown, attempt: number) => {
      if (error instanceof UnknownTopic && attempt < ATTEMPTS_BEFORE_A_TOPIC_IS_MISSED) return;
      logger.failed('start consuming', error, { topics });
    };
    try {
      return await retry(consume, { signal, onRetry, baseMs: RETRY_MS, maxMs: RETRY_MS });
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  return {
    start() {
      starting ??= consumeOnceReady();
    },
    async stop() {
      stopping.abort();
      const consumption = await starting;
      await consumption?.stop();
    },
  };
}
