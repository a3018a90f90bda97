import { createPolling } from '@switchboard/resilience';
import type { Logger } from '@switchboard/runtime';
import { type JobResult, type JobWithMetadata, PgBoss } from 'pg-boss';
import type { Deliver } from './deliver.ts';
import { toError } from './queue-error.ts';
import type { QueueTransaction } from './store.ts';

/**
 * One queue per channel, so that a mail server that hangs does not delay pushes. Delays between retries double
 * up to 15 minutes. Retries to the operator's mail server last about a day, and to a member's push endpoint or chat an
 * hour. An instance makes `perCompany` deliveries of a company at a time, so that slow endpoints of one company
 * do not delay others.
 */
const QUEUES = {
  email: { name: 'deliveries', retries: 100, workers: 8, perCompany: 4 },
  push: { name: 'pushes', retries: 10, workers: 16, perCompany: 2 },
  chat: { name: 'chat_messages', retries: 10, workers: 8, perCompany: 2 },
} as const;
const CHANNELS = Object.values(QUEUES);
/**
 * At least two: pg-boss waits for the next poll after a batch that is not full, and treats a batch of one as not
 * full.
 */
const BATCH_SIZE = 2;
/** One look wakes the workers of queues with due deliveries. Polls of 32 workers would take more CPU time. */
const LOOK_EVERY_MS = 2_000;
const POLL_SECONDS = 60;
const MAX_RETRY_DELAY_SECONDS = 900;
/** The time without a heartbeat after which a worker is considered dead. The minimum of pg-boss. */
const HEARTBEAT_SECONDS = 10;
/** A mail server that restarts is back within seconds. The delay doubles for one that is down for longer. */
const RETRY_SECONDS = 5;

type DeliveryJob = JobWithMetadata<{ id: string }>;

interface QueueOptions {
  databaseUrl: string;
  /** The URL of the same database with the role that owns the queue's tables. Default: the role of `databaseUrl`. */
  migrationsUrl: string | undefined;
  logger: Logger;
  deliver: Deliver;
  /** The delay before the first retry. It doubles with each retry, up to 15 minutes. Default: 5. */
  retrySeconds: number | undefined;
}

export interface QueuedDelivery {
  id: string;
  channel: keyof typeof QUEUES;
}

/** Deliveries as durable jobs in this service's database (pg-boss). */
export interface DeliveryQueue {
  /** Adds deliveries of a company in a transaction. They start when it commits, or `afterSeconds` later. */
  enqueue(
    tx: QueueTransaction,
    companyId: string,
    deliveries: readonly QueuedDelivery[],
    afterSeconds?: number,
  ): Promise<void>;
  /** Returns the number of pending deliveries, including retries. */
  waiting(): Promise<number>;
  /** Creates the queue and starts processing it. Can be called again after a failure. */
  start(): Promise<void>;
  /** Waits for running deliveries. */
  stop(): Promise<void>;
}

/** Creates or migrates the tables of the queue if a role of its own owns them: that of `migrationsUrl`. */
export async function installDeliveryQueue(migrationsUrl: string | undefined, logger: Logger): Promise<void> {
  if (migrationsUrl === undefined) return;
  const owner = new PgBoss({
    connectionString: migrationsUrl,
    application_name: 'collaboration migrations',
    max: 1,
    schedule: false,
    supervise: false,
  });
  owner.on('error', (error) => logger.warn({ error: toError(error) }, 'delivery queue failed'));
  try {
    await owner.start();
  } finally {
    await owner.stop({ graceful: false });
  }
}

export function createDeliveryQueue(options: QueueOptions): DeliveryQueue {
  const { databaseUrl, migrationsUrl, logger, deliver, retrySeconds = RETRY_SECONDS } = options;
  const boss = new PgBoss({
    connectionString: databaseUrl,
    migrate: migrationsUrl === undefined,
    application_name: 'collaboration deliveries',
    max: 4,
    schedule: false,
    useListenNotify: true,
    superviseIntervalSeconds: HEARTBEAT_SECONDS,
    monitorIntervalSeconds: HEARTBEAT_SECONDS,
  });
  boss.on('error', (error) => logger.failed('delivery queue', toError(error)));
  let isWorking = false;
  const waking = createPolling(wakeWorkers, {
    everyMs: LOOK_EVERY_MS,
    onFailure: (error) => logger.failed('looking for due deliveries', error),
  });

  /** Wakes the workers of queues with due deliveries: retries, delayed ones, and those over a company's limit. */
  async function wakeWorkers(): Promise<void> {
    const { rows } = await boss.getDb().executeSql(
      `select name from unnest($1::text[]) as name where exists (
        select from pgboss.job where job.name = name.name and state < 'active' and start_after <= now())`,
      [CHANNELS.map(({ name }) => name)],
    );
    const due = new Set(rows.map(({ name }) => name));
    for (const { id, name } of boss.getWipData()) if (due.has(name)) boss.notifyWorker(id);
  }

  async function attempt({ id, data, retryCount, retryLimit }: DeliveryJob): Promise<JobResult> {
    try {
      await deliver(data.id, retryCount >= retryLimit);
      return { id, status: 'completed' };
    } catch (error) {
      return {
        id,
        status: 'failed',
        output: { message: error instanceof Error ? error.message : 'no reason given' },
      };
    }
  }

  async function work({ name, workers, perCompany }: (typeof CHANNELS)[number]): Promise<void> {
    await boss.work(
      name,
      {
        localConcurrency: workers,
        localGroupConcurrency: perCompany,
        batchSize: BATCH_SIZE,
        burstWhenBatchFull: true,
        pollingIntervalSeconds: POLL_SECONDS,
        notifyPollingIntervalSeconds: POLL_SECONDS,
        includeMetadata: true,
        perJobResults: true,
      },
      (jobs: DeliveryJob[]) => Promise.all(jobs.map(attempt)),
    );
  }

  return {
    async enqueue(tx, companyId, deliveries, afterSeconds = 0) {
      for (const [channel, { name }] of Object.entries(QUEUES)) {
        const jobs = deliveries
          .filter((delivery) => delivery.channel === channel)
          .map(({ id }) => ({ data: { id }, group: { id: companyId }, startAfter: afterSeconds }));
        if (jobs.length > 0) await boss.insert(name, jobs, { db: tx });
      }
    },

    async waiting() {
      const stats = await Promise.all(CHANNELS.map(({ name }) => boss.getQueueStats(name, { force: true })));
      return stats.flat().reduce((sum, { queuedCount, activeCount }) => sum + queuedCount + activeCount, 0);
    },

    async start() {
      if (isWorking) return;
      await boss.start();
      for (const { name, retries } of CHANNELS) {
        const settings = {
          retryLimit: retries,
          retryDelay: retrySeconds,
          retryBackoff: true,
          retryDelayMax: MAX_RETRY_DELAY_SECONDS,
          expireInSeconds: 120,
          heartbeatSeconds: HEARTBEAT_SECONDS,
          deleteAfterSeconds: 86_400,
          notify: true,
        };
        await boss.createQueue(name, settings);
        await boss.updateQueue(name, settings);
      }
      await Promise.all(CHANNELS.map(work));
      waking.start();
      isWorking = true;
    },

    async stop() {
      await waking.stop();
      await boss.stop({ graceful: true, timeout: 8_000 });
    },
  };
}
