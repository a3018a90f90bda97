import {
  type Operation,
  type UsedWire,
  WIRE_USAGE_TOPIC,
  type WireUsageRecord,
  wireOperations,
  wireUsageSpec,
} from '@switchboard/contracts';
import type { EventLog } from '@switchboard/event-log';
import type { Part, ServiceApp } from '@switchboard/http';
import { createPolling } from '@switchboard/resilience';
import type { Clock, Logger } from '@switchboard/runtime';
import { createCounts } from './counts.ts';

interface WireUsageOptions {
  app: Pick<ServiceApp, 'onAnswer'>;
  log: Pick<EventLog, 'createTopics' | 'publish'>;
  config: { TOPIC_REPLICATION: number };
  clock: Clock;
  logger: Pick<Logger, 'failed'>;
}

const EVERY_MS = 60_000;
/** The number of records that are published at once. */
const BATCH = 1_000;

const wires = new Map<Operation, UsedWire>(wireOperations.map((operation) => [operation, operation.wire]));

/** Counts the accepted requests of SDKs by wire, and publishes the counts once a minute and at the stop. */
export function openWireUsage({ app, log, config, clock, logger }: WireUsageOptions): Part {
  const counts = createCounts();
  let hasTopic = false;

  app.onAnswer(({ projectId, operation, sent }, status) => {
    if (projectId === undefined || operation === undefined || status >= 400) return;
    if (operation.credential !== 'ingestion' && operation.credential !== 'project-key') return;
    counts.add(projectId, wires.get(operation) ?? 'switchboard', sent);
  });

  /** Counts that cannot be published are lost: the log is away, which other signs show. */
  async function publish(): Promise<void> {
    const at = clock.now().toISOString();
    const records = [...counts.take()].map(([projectId, found]) => {
      const value: WireUsageRecord = { projectId, at, counts: found };
      return { partition: 0, key: projectId, value: Buffer.from(JSON.stringify(value)), headers: {} };
    });
    if (records.length === 0) return;
    if (!hasTopic) await log.createTopics([wireUsageSpec(config.TOPIC_REPLICATION)]);
    hasTopic = true;
    for (let from = 0; from < records.length; from += BATCH)
      await log.publish(WIRE_USAGE_TOPIC, records.slice(from, from + BATCH));
  }

  const failed = (error: unknown) => logger.failed('publish usage of wires', error);
  const polling = createPolling(publish, { everyMs: EVERY_MS, onFailure: failed });
  return {
    start: polling.start,
    async stop() {
      await polling.stop();
      await publish().catch(failed);
    },
  };
}
