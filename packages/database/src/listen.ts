import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';

export interface Listening {
  stop(): Promise<void>;
}

interface Subscription {
  channel: string;
  onMessage: (payload: string) => void;
  onGap: () => void;
}

/**
 * LISTEN on one connection of its own, whatever the number of channels. postgres.js's own `listen` does not tell of
 * a lost connection; here every subscription is told when it is lost and when it is back.
 */
export function createListener(
  connect: (hooks: {
    onnotify: (channel: string, payload: string) => void;
    onclose: () => void;
  }) => postgres.Sql,
) {
  const subscriptions = new Set<Subscription>();
  let sql: postgres.Sql | undefined;
  let restoring: Promise<void> | undefined;
  let closed = false;

  function onnotify(channel: string, payload: string): void {
    for (const subscription of subscriptions)
      if (subscription.channel === channel) subscription.onMessage(payload);
  }

  function onclose(): void {
    if (closed || subscriptions.size === 0 || restoring) return;
    tellGap();
    restoring = restore().finally(() => {
      restoring = undefined;
    });
  }

  function tellGap(): void {
    for (const subscription of subscriptions) subscription.onGap();
  }

  async function restore(): Promise<void> {
    for (let pause = 50; !closed && subscriptions.size > 0; pause = Math.min(pause * 2, 1000)) {
      try {
        for (const channel of new Set([...subscriptions].map((subscription) => subscription.channel))) {
          await execute('listen', channel);
        }
        return tellGap();
      } catch {
        await sleep(pause);
      }
    }
  }

  async function execute(verb: 'listen' | 'unlisten', channel: string): Promise<void> {
    sql ??= connect({ onnotify, onclose });
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
      subscriptions.clear();
      await sql?.end({ timeout: 1 });
    },
  };
}
