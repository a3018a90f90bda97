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
  /** Called once when a topic is still missing, instead of an error: an optional service creates it. */
  onMissing?(): void;
  /** The number of attempts before a topic is missing. Services start together, and each creates its own topics. */
  patience?: number;
}

/** A consumer that begins as soon as its topics exist. */
export interface BackgroundConsumer {
  /** Returns at once. */
  start(): void;
  stop(): Promise<void>;
}

const RETRY_MS = 1_000;
const PATIENCE = 30;
/** The attempts between reports of a topic that stays missing: ten minutes. */
const REMINDER = 600;

export function createConsumer(options: ConsumerOptions): BackgroundConsumer {
  const { consume, topics, logger, onMissing, patience = PATIENCE } = options;
  const stopping = new AbortController();
  let starting: Promise<Consumption | undefined> | undefined;

  async function consumeOnceReady(): Promise<Consumption | undefined> {
    const { signal } = stopping;
    const onRetry = (error: unknown, attempt: number) => {
      if (error instanceof UnknownTopic) {
        if (attempt === patience) onMissing?.();
        const isReminder = attempt >= patience && (attempt - patience) % REMINDER === 0;
        if (!isReminder || onMissing !== undefined) return;
      }
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
