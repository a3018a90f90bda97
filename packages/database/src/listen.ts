import { setTimeout as sleep } from 'node:timers/promises';
import { backoffDelay } from '@switchboard/resilience';
import type postgres from 'postgres';

export interface Listening {
  stop(): Promise<void>;
}

interface Subscription {
  channel: string;
  onMessage: (payload: string) => void;
  onGap: () => void;
}

interface Hooks {
  onnotify: (channel: string, payload: string) => void;
  onclose: () => void;
}

const HEARTBEAT_MS = 10_000;
/** Every process listens again when PostgreSQL comes back: not all at the same time. */
const RESTORE_BACKOFF = { baseMs: 50, maxMs: 1_000 };

/**
 * LISTEN on one dedicated connection for all channels. postgres.js's own `listen` does not report a lost connection;
 * here every subscription is notified when it is lost and when it is restored.
 */
export function createListener(connect: (hooks: Hooks) => postgres.Sql) {
  const subscriptions = new Set<Subscription>();
  let sql: postgres.Sql | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let losses = 0;
  let restoring = false;
  let closed = false;

  function onnotify(channel: string, payload: string): void {
    for (const subscription of subscriptions)
      if (subscription.channel === channel) subscription.onMessage(payload);
  }

  function onclose(): void {
    losses += 1;
    if (restoring || closed || subscriptions.size === 0) return;
    reportGap();
    restoring = true;
    restore().finally(() => {
      restoring = false;
    });
  }

  function reportGap(): void {
    for (const subscription of subscriptions) subscription.onGap();
  }

  async function restore(): Promise<void> {
    for (let failures = 0; !closed && subscriptions.size > 0; failures++) {
      const before = losses;
      try {
        for (const channel of new Set([...subscriptions].map((subscription) => subscription.channel))) {
          await execute('listen', channel);
        }
        // Lost again in between: some channels were asked for on the connection before.
        if (losses === before) return reportGap();
      } catch {
        await sleep(backoffDelay(failures, RESTORE_BACKOFF));
      }
    }
  }

  async function execute(verb: 'listen' | 'unlisten', channel: string): Promise<void> {
    sql ??= connect({ onnotify, onclose });
    // A server that vanished without a word is noticed by what it does not answer.
    heartbeat ??= setInterval(() => sql?.unsafe('select 1').catch(() => undefined), HEARTBEAT_MS).unref();
    await sql`${sql.unsafe(verb)} ${sql(channel)}`;
  }

  return {
    async listen(
      channel: string,
      onMessage: Subscription['onMessage'],
      onGap: () => void,
    ): Promise<Listening> {
      const subscription = { channel, onMessage, onGap };
      subscriptions.add(subscription);
      try {
        await execute('listen', channel);
      } catch (error) {
        subscriptions.delete(subscription);
        throw error;
      }
      return {
        async stop() {
          if (!subscriptions.delete(subscription) || closed) return;
          if ([...subscriptions].some((other) => other.channel === channel)) return;
          await execute('unlisten', channel).catch(() => undefined);
        },
      };
    },
    async close(): Promise<void> {
      closed = true;
      clearInterval(heartbeat);
      subscriptions.clear();
      await sql?.end({ timeout: 1 });
    },
  };
}
