import type { Db, Tx } from '@switchboard/database';
import type { EventLog } from '@switchboard/event-log';
import { poll } from '@switchboard/resilience';
import { createOutboxStore } from './store.ts';
import { AUDIT_TOPIC, auditRecord, auditTopic } from './topic.ts';

interface RelayOptions {
  db: Db;
  log: Pick<EventLog, 'createTopics' | 'publish'>;
  /** The replication factor of the topic, if the relay creates it. */
  replication: number;
  /** Called with the error of each failed attempt. */
  onFailure(error: unknown): void;
}

/** Publishes the entries of a service's outbox at least once, from one process at a time. */
export interface Relay {
  /** Starts publishing in the background. */
  start(): void;
  /** Waits for entries that are being published. */
  stop(): Promise<void>;
}

const BATCH_SIZE = 500;
const POLL_MS = 300;

export function createRelay({ db, log, replication, onFailure }: RelayOptions): Relay {
  const stopping = new AbortController();
  let isTopicChecked = false;
  let running: Promise<void> | undefined;

  async function publishAll(): Promise<void> {
    try {
      if (!isTopicChecked) await log.createTopics([auditTopic(replication)]);
      isTopicChecked = true;
      while (!stopping.signal.aborted && (await db.transaction(publishNext)) === BATCH_SIZE);
    } catch (error) {
      // The topic may have been deleted.
      isTopicChecked = false;
      throw error;
    }
  }

  /** Returns the number of published entries. */
  async function publishNext(tx: Tx): Promise<number> {
    const outbox = createOutboxStore(tx);
    if (!(await outbox.lockRelay())) return 0;
    const rows = await outbox.oldest(BATCH_SIZE);
    if (rows.length === 0) return 0;
    await log.publish(
      AUDIT_TOPIC,
      rows.map(({ entry }) => auditRecord(entry)),
    );
    await outbox.remove(rows.map(({ id }) => id));
    return rows.length;
  }

  return {
    start() {
      running ??= poll(publishAll, { everyMs: POLL_MS, signal: stopping.signal, onFailure });
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
