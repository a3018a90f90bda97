import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';

export interface FanOutOptions {
  /** Instances that name the same channel hear each other. */
  channel: string;
  /** Without it there is one instance, which hears itself anyway. */
  redisUrl?: string | undefined;
  /** Called when Redis is away (the error) and when it is back (undefined). */
  onChange?: (error: Error | undefined) => void;
}

export interface FanOut {
  /** Tells the other instances; lost where Redis is away. */
  publish(message: string): void;
  /** Hears what other instances publish. `onGap`: something may have been missed. */
  listen(onMessage: (message: string) => void, onGap: () => void): void;
  close(): void;
}

/** Messages among the instances of a service, through Redis pub/sub where there are several. */
export function openFanOut({ channel, redisUrl, onChange }: FanOutOptions): FanOut {
  if (redisUrl === undefined) {
    return { publish: () => undefined, listen: () => undefined, close: () => undefined };
  }
  const self = randomUUID();
  const common = { connectTimeout: 1000, retryStrategy: (tries: number) => Math.min(50 * 2 ** tries, 1000) };
  const publisher = new Redis(redisUrl, {
    ...common,
    enableOfflineQueue: false,
    commandTimeout: 1000,
    maxRetriesPerRequest: 0,
  });
  const subscriber = new Redis(redisUrl, { ...common, autoResubscribe: false, maxRetriesPerRequest: null });
  let heard: (message: string) => void = () => undefined;
  let missed: () => void = () => undefined;
  let isAway = false;

  subscriber.on('ready', () => {
    const was = isAway;
    subscriber.subscribe(channel).then(
      () => {
        if (!was) return;
        isAway = false;
        onChange?.(undefined);
        missed();
      },
      // The connection was lost again; `ready` follows.
      () => undefined,
    );
  });
  subscriber.on('close', () => {
    isAway = true;
  });
  subscriber.on('error', (error) => {
    onChange?.(error);
  });
  publisher.on('error', () => undefined);
  subscriber.on('message', (_, text) => {
    const at = text.indexOf(' ');
    if (text.slice(0, at) !== self) heard(text.slice(at + 1));
  });

  return {
    publish(message) {
      publisher.publish(channel, `${self} ${message}`).catch((error: Error) => onChange?.(error));
    },
    listen(onMessage, onGap) {
      heard = onMessage;
      missed = onGap;
    },
    close() {
      publisher.disconnect();
      subscriber.disconnect();
    },
  };
}
