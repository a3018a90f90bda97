import { MAX_REASONS, REJECTIONS_TOPIC, type RejectionsRecord, rejectionsSpec } from '@switchboard/contracts';
import type { EventLog } from '@switchboard/event-log';
import type { RejectedRequest } from '@switchboard/http';
import { createPolling } from '@switchboard/resilience';
import type { Clock, Logger } from '@switchboard/runtime';
import { reasonOf } from './reason.ts';

const EVERY_MS = 5_000;
/** The projects that are counted between two records. Requests of further ones are not counted. */
const MAX_PROJECTS = 1_000;
const OTHER = 'other reasons';

type Reason = RejectionsRecord['reasons'][number];

interface RejectionsOptions {
  log: Pick<EventLog, 'createTopics' | 'publish'>;
  clock: Clock;
  logger: Pick<Logger, 'failed'>;
  /** The number of replicas of the topic. */
  replication: number;
}

/** Counts rejected requests by project and reason in memory, and publishes the counts every few seconds. */
export interface Rejections {
  add(rejected: RejectedRequest): void;
  start(): void;
  /** Publishes the last counts. */
  stop(): Promise<void>;
}

export function createRejections({ log, clock, logger, replication }: RejectionsOptions): Rejections {
  let counts = new Map<string, Map<string, Reason>>();
  let hasTopic = false;

  function add({ projectId, operationId: operation, rejection: { status, message } }: RejectedRequest): void {
    let reasons = counts.get(projectId);
    if (reasons === undefined) {
      if (counts.size >= MAX_PROJECTS) return;
      reasons = new Map();
      counts.set(projectId, reasons);
    }
    const reason = reasonOf(message);
    const key = `${operation} ${status} ${reason}`;
    const known = reasons.get(key) ?? (reasons.size < MAX_REASONS ? undefined : reasons.get(OTHER));
    if (known !== undefined) known.requests += 1;
    else if (reasons.size < MAX_REASONS) reasons.set(key, { operation, status, reason, requests: 1 });
    else reasons.set(OTHER, { operation, status, reason: OTHER, requests: 1 });
  }

  /** Counts that cannot be published are lost: the log is away, which other signs show. */
  async function publish(): Promise<void> {
    if (counts.size === 0) return;
    const found = counts;
    counts = new Map();
    if (!hasTopic) await log.createTopics([rejectionsSpec(replication)]);
    hasTopic = true;
    const at = clock.now().toISOString();
    const records = [...found].map(([projectId, reasons]) => {
      const value: RejectionsRecord = { projectId, at, reasons: [...reasons.values()] };
      return { partition: 0, key: projectId, value: Buffer.from(JSON.stringify(value)), headers: {} };
    });
    await log.publish(REJECTIONS_TOPIC, records);
  }

  const failed = (error: unknown) => logger.failed('publish rejections', error);
  const polling = createPolling(publish, { everyMs: EVERY_MS, onFailure: failed });
  return {
    add,
    start: polling.start,
    async stop() {
      await polling.stop();
      await publish().catch(failed);
    },
  };
}
