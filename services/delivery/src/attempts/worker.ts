import type { Tx } from '@switchboard/database';
import { createPolling, pause } from '@switchboard/resilience';
import type { Clock, Logger } from '@switchboard/runtime';
import { type Attempt, FAILING_MS, outcomeOf, SCHEDULE_SECONDS } from './outcome.ts';
import type { AttemptsStore, Claimed, Disabled } from './store.ts';

/** The limits of messages that a process sends at once. One slow endpoint or project delays no other. */
const MAX_IN_FLIGHT = 128;
const MAX_OF_PROJECT = 16;
const MAX_OF_WEBHOOK = 4;
/** A process that queues messages wakes its worker; this finds those of other processes, and retries. */
const IDLE_MS = 1_000;
/** Longer than an attempt takes. */
const LEASE_MS = 45_000;
/** How long attempts may take once the process stops. */
const STOP_MS = 2_000;

interface WorkerOptions {
  store: AttemptsStore;
  attempt(claimed: Claimed, signal: AbortSignal): Promise<Attempt>;
  /** Writes the audit entry of a webhook that was disabled. */
  onDisabled(tx: Tx, webhook: Claimed['webhook'], reason: Disabled): Promise<void>;
  onFinished(state: 'delivered' | 'failed' | 'retried'): void;
  clock: Clock;
  logger: Logger;
  /** Default: `SCHEDULE_SECONDS`. */
  schedule?: readonly number[] | undefined;
  leaseMs?: number | undefined;
}

export interface SendWorker {
  /** Looks for due messages now. */
  wake(): void;
  start(): void;
  /** Waits briefly for attempts, and gives the others to another process. */
  stop(): Promise<void>;
}

/** Sends due messages of all webhooks. Several processes share the work. */
export function createSendWorker({
  store,
  attempt,
  onDisabled,
  onFinished,
  clock,
  logger,
  schedule = SCHEDULE_SECONDS,
  leaseMs = LEASE_MS,
}: WorkerOptions): SendWorker {
  const inFlight = new Map<Claimed, Promise<void>>();
  const aborting = new AbortController();
  let woken = Promise.withResolvers<void>();
  const wake = () => woken.resolve();

  async function sendOne(claimed: Claimed): Promise<void> {
    const result = await attempt(claimed, aborting.signal);
    const now = clock.now();
    const outcome = outcomeOf(result, claimed.attempts, now, { schedule, random: Math.random });
    const failingBefore = new Date(now.getTime() - FAILING_MS);
    await store.finish(claimed, result, outcome, failingBefore, (tx, reason) =>
      onDisabled(tx, claimed.webhook, reason),
    );
    onFinished(outcome.state === 'waiting' ? 'retried' : outcome.state);
  }

  function begin(claimed: Claimed): void {
    const sending = sendOne(claimed)
      .catch((error: unknown) => {
        // Its lease ends, and it is sent again.
        if (!aborting.signal.aborted) logger.failed('send webhook', error, { id: claimed.id });
      })
      .finally(() => {
        if (!aborting.signal.aborted) inFlight.delete(claimed);
        wake();
      });
    inFlight.set(claimed, sending);
  }

  function busy() {
    const webhooks = [...inFlight.keys()].map(({ webhook }) => webhook);
    const byWebhook = Map.groupBy(webhooks, ({ projectId, id }) => JSON.stringify([projectId, id]));
    const byProject = Map.groupBy(webhooks, ({ projectId }) => projectId);
    return {
      busyWebhooks: [...byWebhook.values()].filter(({ length }) => length >= MAX_OF_WEBHOOK).flatMap(firstOf),
      busyProjects: [...byProject].flatMap(([id, { length }]) => (length >= MAX_OF_PROJECT ? id : [])),
    };
  }

  async function look(signal: AbortSignal): Promise<void> {
    await Promise.race([pause(IDLE_MS, signal), woken.promise]);
    woken = Promise.withResolvers<void>();
    while (!signal.aborted && inFlight.size < MAX_IN_FLIGHT) {
      const now = clock.now();
      const until = new Date(now.getTime() + leaseMs);
      const claimed = await store.claim({ now, until, limit: MAX_IN_FLIGHT - inFlight.size, ...busy() });
      if (claimed.length === 0) return;
      for (const one of claimed) begin(one);
    }
  }

  const polling = createPolling(look, {
    everyMs: 0,
    onFailure: (error) => logger.failed('claim webhook messages', error),
  });

  return {
    wake,
    start: polling.start,
    async stop() {
      await polling.stop();
      await Promise.race([Promise.all(inFlight.values()), pause(STOP_MS)]);
      const left = [...inFlight.keys()];
      aborting.abort();
      await Promise.all(inFlight.values());
      await store
        .release(left, clock.now())
        .catch((error: unknown) => logger.failed('release messages', error));
    },
  };
}

const firstOf = <T>(list: readonly T[]) => list.slice(0, 1);
