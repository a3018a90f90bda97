import { randomUUID } from 'node:crypto';
import { backoffDelay } from '@switchboard/resilience';
import { Redis } from 'ioredis';

export interface FanOutOptions {
  /** The channel. Instances with the same channel receive each other's messages. */
  channel: string;
  /** The URL of Redis. Unset: a single instance, which keeps its messages in the process. */
  redisUrl?: string | undefined;
  /** Called with an error when Redis becomes unavailable, and with undefined when it is available again. */
  onChange?: (error: Error | undefined) => void;
}

export interface FanOut {
  /** Sends to the other instances. Messages are lost while Redis is unavailable. */
  publish(message: string): void;
  /** Receives messages from other instances. Calls `onGap` after messages may have been lost. */
  listen(onMessage: (message: string) => void, onGap: () => void): void;
  close(): void;
}

/** Delivers messages between the instances of a service, through Redis pub/sub. */
export function openFanOut({ channel, redisUrl, onChange }: FanOutOptions): FanOut {
  if (redisUrl === undefined) {
    return { publish: () => undefined, listen: () => undefined, close: () => undefined };
  }
  const self = randomUUID();
  const common = {
    connectTimeout: 1000,
    retryStrategy: (attempt: number) => backoffDelay(attempt, { baseMs: 50, maxMs: 1_000 }),
  };
  const publisher = new Redis(redisUrl, {
    ...common,
    enableOfflineQueue: false,
    commandTimeout: 1000,
    maxRetriesPerRequest: 0,
  });
  const subscriber = new Redis(redisUrl, { ...common, autoResubscribe: false, maxRetriesPerRequest: null });
  let deliver: (message: string) => void = () => undefined;
  let reportGap: () => void = () => undefined;
  let isUnavailable = false;

  subscriber.on('ready', () => {
    const wasUnavailable = isUnavailable;
    subscriber.subscribe(channel).then(
      () => {
        if (!wasUnavailable) return;
        isUnavailable = false;
        onChange?.(undefined);
        reportGap();
      },
      // The connection was lost again; `ready` follows.
      () => undefined,
    );
  });
  subscriber.on('close', () => {
    isUnavailable = true;
  });
  subscriber.on('error', (error) => {
    onChange?.(error);
  });
  publisher.on('error', () => undefined);
  subscriber.on('message', (_, text) => {
    const at = text.indexOf(' ');
    if (text.slice(0, at) !== self) deliver(text.slice(at + 1));
  });

  return {
    publish(message) {
      publisher.publish(channel, `${self} ${message}`).catch((error: Error) => onChange?.(error));
    },
    listen(onMessage, onGap) {
      deliver = onMessage;
      reportGap = onGap;
    },
    close() {
      publisher.disconnect();
      subscriber.disconnect();
    },
  };
}
