import type { Logger } from '@switchboard/service-kit';
import { sql } from 'drizzle-orm';
import { fromDrizzle, type JobWithMetadata, PgBoss } from 'pg-boss';
import type { Deliver } from './deliver.ts';
import type { Transaction } from './store.ts';

const QUEUE = 'deliveries';
/** With waits that double up to a quarter of an hour, about a day. */
const RETRIES = 100;
const LONGEST_WAIT_SECONDS = 900;
/** A worker that was not heard of for so long has ended; pg-boss allows no less. */
const HEARTBEAT_SECONDS = 10;

interface QueueOptions {
  databaseUrl: string;
  logger: Logger;
  deliver: Deliver;
  /** Before the first retry; doubled with each. */
  retrySeconds: number;
}

/** Deliveries as durable jobs in this service's database (pg-boss). */
export interface DeliveryQueue {
  /** Adds deliveries within a transaction; they begin when it commits. */
  enqueue(tx: Transaction, ids: string[]): Promise<void>;
  /** Deliveries that are not done yet, retries among them, as of the last minute. Throws while it is not known. */
  waiting(): Promise<number>;
  /** Makes the queue and starts working on it. May be called again when it failed. */
  start(): Promise<void>;
  /** Lets running deliveries finish. */
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
  boss.on('error', (error) => logger.warn({ error }, 'the queue of deliveries has a problem'));
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
      await boss.insert(QUEUE, jobs, { db: fromDrizzle(tx, sql) });
    },

    async waiting() {
      const [stats] = await boss.getQueueStats(QUEUE, { force: true });
      if (stats === undefined) throw new Error('the queue was not counted');
      return stats.queuedCount + stats.activeCount;
    },

    async start() {
      if (isWorking) return;
      await boss.start();
      const settings = {
        retryLimit: RETRIES,
        retryDelay: retrySeconds,
        retryBackoff: true,
        retryDelayMax: LONGEST_WAIT_SECONDS,
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
