import { randomUUID } from 'node:crypto';
import type { Database } from '@switchboard/database';
import type { Progress } from '../deliver.ts';
import { messageOf } from '../errors.ts';
import type { ConsumeOptions, LogEntry } from '../types.ts';
import type { Feed } from './feed.ts';
import { claim, leave, type Membership, type Renew, release } from './members.ts';
import { startWorker, type Worker } from './worker.ts';

/** Runs a member of a group: renews its leases, claims its partitions and releases those of others. */
export function startConsumer(options: {
  ready(): Promise<void>;
  database(): Database;
  renew: Renew;
  feed: Feed;
  consume: ConsumeOptions;
  publishDeadLetter: Progress['publishDeadLetter'];
  onLog?: ((entry: LogEntry) => void) | undefined;
}): { stop(): Promise<void> } {
  const { consume, feed, onLog } = options;
  const membership: Membership = {
    group: consume.group,
    member: randomUUID(),
    topics: consume.topics,
    leaseMs: consume.leaseMs ?? 10_000,
  };
  const workers = new Map<string, Worker>();
  /** Lost workers with a running handler. Their partitions are claimed again after it finishes. */
  const ending = new Set<string>();
  const handovers = new Set<Promise<void>>();
  let stopping = false;
  let failing = false;
  let isWoken = true;
  let onWake: (() => void) | undefined;
  const unsubscribe = feed.onGroup(consume.group, wake);
  const running = run();

  function wake(): void {
    isWoken = true;
    onWake?.();
  }

  async function run(): Promise<void> {
    while (!stopping) {
      isWoken = false;
      try {
        await options.ready();
        await rebalance(options.database());
        if (failing) onLog?.({ level: 'info', message: `Reading as ${consume.group} works again` });
        failing = false;
      } catch (error) {
        if (!failing) {
          const message = `Reading as ${consume.group} fails, retrying: ${messageOf(error)}`;
          onLog?.({ level: 'warn', message, error });
        }
        failing = true;
      }
      await sleep(failing ? Math.min(1_000, membership.leaseMs / 4) : untilRenewal());
    }
  }

  /** Returns the milliseconds to the next renewal: with other members of this process, three times a lease. */
  function untilRenewal(): number {
    const intervalMs = membership.leaseMs / 3;
    return intervalMs - (performance.now() % intervalMs);
  }

  async function sleep(ms: number): Promise<void> {
    if (isWoken || stopping) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      onWake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    onWake = undefined;
  }

  async function rebalance(database: Database): Promise<void> {
    const { wanted, held } = await options.renew(membership);
    const wantedKeys = new Set(wanted.map(keyOf));
    const heldEpochs = new Map(held.map((one) => [keyOf(one), one.epoch]));
    for (const [key, worker] of workers) {
      if (heldEpochs.get(key) !== worker.claim.epoch) lose(key, worker);
      else if (!wantedKeys.has(key)) handOver(database, key, worker);
    }
    for (const { topic, partition, end } of wanted) {
      const key = keyOf({ topic, partition });
      const worker = workers.get(key);
      // Also polls, because notifications can be missed.
      if (worker && end > worker.position()) worker.wake();
      if (worker || stopping || ending.has(key)) continue;
      const claimed = await claim(database, membership, topic, partition);
      if (claimed)
        start(database, key, { ...membership, topic, partition, epoch: claimed.epoch }, claimed.committed);
    }
  }

  function start(database: Database, key: string, claimed: Worker['claim'], committed: bigint): void {
    const { publishDeadLetter } = options;
    const worker = startWorker({
      database,
      feed,
      claim: claimed,
      committed,
      consume,
      publishDeadLetter,
      onLog,
    });
    workers.set(key, worker);
    void worker.done.then(() => {
      // The worker's commit has already failed.
      if (workers.get(key) === worker && !stopping) lose(key, worker);
    });
  }

  /** Revokes the partition immediately, so that its next worker does not find the work of this one. */
  function lose(key: string, worker: Worker): void {
    workers.delete(key);
    ending.add(key);
    worker.ownership.lose();
    revoked(worker);
    const ended = worker.done.finally(() => {
      ending.delete(key);
      wake();
    });
    track(ended);
  }

  function handOver(database: Database, key: string, worker: Worker): void {
    if (worker.ownership.signal.aborted) return;
    worker.ownership.stop();
    const released = worker.done.then(async () => {
      worker.ownership.lose();
      if (workers.get(key) === worker) workers.delete(key);
      revoked(worker);
      await release(database, worker.claim);
    });
    // If the release fails, the lease expires.
    track(released.catch(() => {}));
  }

  function track(work: Promise<void>): void {
    const tracked = work.finally(() => handovers.delete(tracked));
    handovers.add(tracked);
  }

  function revoked({ ownership }: Worker): void {
    consume.onRevoked?.(ownership.topic, ownership.partition);
  }

  return {
    async stop() {
      stopping = true;
      unsubscribe();
      wake();
      for (const worker of workers.values()) worker.ownership.stop();
      await running;
      for (const [key, worker] of workers) handOverStopped(key, worker);
      await Promise.all(handovers);
      if (!failing) await leave(options.database(), membership).catch(() => {});
    },
  };

  function handOverStopped(key: string, worker: Worker): void {
    // The last rebalance may have started this worker after the others were stopped.
    worker.ownership.stop();
    const released = worker.done.then(async () => {
      worker.ownership.lose();
      workers.delete(key);
      revoked(worker);
      if (!failing) await release(options.database(), worker.claim);
    });
    track(released.catch(() => {}));
  }
}

const keyOf = ({ topic, partition }: { topic: string; partition: number }): string => `${topic}/${partition}`;
