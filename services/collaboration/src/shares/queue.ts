import type { Logger } from '@switchboard/service-kit';
import { type JobWithMetadata, PgBoss } from 'pg-boss';
import type { Deliver } from './deliver.ts';
import { toError } from './queue-error.ts';
import type { Delivery, QueueTransaction } from './store.ts';

/** One queue for each channel, so that a mail server that hangs keeps its own workers waiting only. */
const QUEUES = { email: 'deliveries', push: 'pushes' } as const;
const QUEUE_NAMES = Object.values(QUEUES);
/** About a day, with delays that double up to a quarter of an hour. */
const MAX_RETRIES = 100;
const MAX_RETRY_DELAY_SECONDS = 900;
/** A worker that is silent for this long is taken for dead; the least that pg-boss allows. */
const HEARTBEAT_SECONDS = 10;

interface QueueOptions {
  databaseUrl: string;
  logger: Logger;
  deliver: Deliver;
  /** Delay before the first retry; doubled with each. */
  retrySeconds: number;
}

/** Deliveries as durable jobs in this service's database (pg-boss). */
export interface DeliveryQueue {
  /** Adds deliveries in a transaction; they start when it commits. */
  enqueue(tx: QueueTransaction, deliveries: Pick<Delivery, 'id' | 'channel'>[]): Promise<void>;
  /** How many deliveries are not done yet, retries included. */
  waiting(): Promise<number>;
  /** Creates the queues and starts working on them. May be called again after a failure. */
  start(): Promise<void>;
  /** Waits for running deliveries. */
  stop(): Promise<void>;
}

export function createDeliveryQueue(options: QueueOptions): DeliveryQueue {
  const { databaseUrl, logger, deliver, retrySeconds } = options;
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: 'collaboration deliveries',
    max: 4,
    schedule: false,
    useListenNotify: true,
    superviseIntervalSeconds: HEARTBEAT_SECONDS,
    monitorIntervalSeconds: HEARTBEAT_SECONDS,
  });
  boss.on('error', (error) => logger.warn({ error: toError(error) }, 'delivery queue failed'));
  let isWorking = false;

  async function work(queue: string): Promise<void> {
    await boss.work(
      queue,
      {
        localConcurrency: 4,
        pollingIntervalSeconds: 2,
        notifyPollingIntervalSeconds: 2,
        includeMetadata: true,
      },
      async ([job]: JobWithMetadata<{ id: string }>[]) => {
        if (job !== undefined) await deliver(job.data.id, job.retryCount >= job.retryLimit);
      },
    );
  }

  return {
    async enqueue(tx, deliveries) {
      for (const [channel, of] of Map.groupBy(deliveries, (delivery) => delivery.channel)) {
        const jobs = of.map(({ id }) => ({ data: { id } }));
        await boss.insert(QUEUES[channel], jobs, { db: tx });
      }
    },

    async waiting() {
      let count = 0;
      for (const queue of QUEUE_NAMES) {
        const [stats] = await boss.getQueueStats(queue, { force: true });
        if (stats === undefined) throw new Error(`delivery queue ${queue} has no statistics`);
        count += stats.queuedCount + stats.activeCount;
      }
      return count;
    },

    async start() {
      if (isWorking) return;
      await boss.start();
      const settings = {
        retryLimit: MAX_RETRIES,
        retryDelay: retrySeconds,
        retryBackoff: true,
        retryDelayMax: MAX_RETRY_DELAY_SECONDS,
        expireInSeconds: 120,
        heartbeatSeconds: HEARTBEAT_SECONDS,
        deleteAfterSeconds: 86_400,
        notify: true,
      };
      for (const queue of QUEUE_NAMES) {
        await boss.createQueue(queue, settings);
        await boss.updateQueue(queue, settings);
        await work(queue);
      }
      isWorking = true;
    },

    async stop() {
      await boss.stop({ graceful: true, timeout: 8_000 });
    },
  };
}
