import type { Logger } from '@switchboard/service-kit';
import { type JobWithMetadata, PgBoss } from 'pg-boss';
import type { Deliver } from './deliver.ts';
import { toError } from './queue-error.ts';
import type { QueueTransaction } from './store.ts';

const QUEUE = 'deliveries';
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
  enqueue(tx: QueueTransaction, ids: string[]): Promise<void>;
  /** How many deliveries are not done yet, retries included. */
  waiting(): Promise<number>;
  /** Creates the queue and starts working on it. May be called again after a failure. */
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

  async function work(): Promise<void> {
    await boss.work(
      QUEUE,
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
    async enqueue(tx, ids) {
      const jobs = ids.map((id) => ({ data: { id } }));
      await boss.insert(QUEUE, jobs, { db: tx });
    },

    async waiting() {
      const [stats] = await boss.getQueueStats(QUEUE, { force: true });
      if (stats === undefined) throw new Error('delivery queue has no statistics');
      return stats.queuedCount + stats.activeCount;
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
      await boss.createQueue(QUEUE, settings);
      await boss.updateQueue(QUEUE, settings);
      await work();
      isWorking = true;
    },

    async stop() {
      await boss.stop({ graceful: true, timeout: 8_000 });
    },
  };
}
