import { randomUUID } from 'node:crypto';
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
/** Random, so that processes do not all listen again at the same time when PostgreSQL comes back. */
const RESTORE_BACKOFF = { baseMs: 50, maxMs: 1_000 };

/**
 * Creates a listener with one dedicated connection for all channels. postgres.js's own `listen` does not report a
 * lost connection; here every subscription is notified when it is lost and when it is restored.
 */
export function createListener(connect: (hooks: Hooks) => postgres.Sql, heartbeatMs = HEARTBEAT_MS) {
  const subscriptions = new Set<Subscription>();
  let sql: postgres.Sql | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  /** The channel of messages to this process. If they arrive, notifications are not lost on the way. */
  const beatChannel = `heartbeat_${randomUUID()}`;
  let beats = 0;
  let heardBeat = 0;
  let losses = 0;
  let restoring = false;
  let closed = false;

  function onnotify(channel: string, payload: string): void {
    if (channel === beatChannel) heardBeat = Number(payload);
    for (const subscription of subscriptions)
      if (subscription.channel === channel) subscription.onMessage(payload);
  }

  /**
   * Sends a heartbeat. No answer means that the server vanished silently. A heartbeat that does not come back means
   * that a pooler gave the connection to another client.
   */
  function beat(): void {
    if (heardBeat !== beats && !restoring) reportGap();
    beats += 1;
    sql?.unsafe('select pg_notify($1, $2)', [beatChannel, String(beats)]).catch(() => undefined);
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
        const channels = [...subscriptions].map((subscription) => subscription.channel);
        for (const channel of new Set([beatChannel, ...channels])) await execute('listen', channel);
        // If the connection was lost again, some LISTEN statements went to the previous one.
        if (losses === before) return reportGap();
      } catch {
        await sleep(backoffDelay(failures, RESTORE_BACKOFF));
      }
    }
  }

  async function execute(verb: 'listen' | 'unlisten', channel: string): Promise<void> {
    sql ??= connect({ onnotify, onclose });
    heartbeat ??= setInterval(beat, heartbeatMs).unref();
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
        await execute('listen', beatChannel);
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
