import type { Consumption, EventLog } from '@switchboard/event-log';
import { ERASURE_REPORTS_TOPIC, erasureReportsSpec } from './reports.ts';

const GROUP = 'erasure-reports.link';

export interface ErasureReportLinkOptions {
  /** The log that the catalogue service reads. */
  home: Pick<EventLog, 'publish'>;
  /** The log to which the region's services report. */
  region: Pick<EventLog, 'createTopics' | 'consume'>;
  /** Replicas of each partition, if the link creates the region's topic. */
  replication: number;
}

/** Carries reports of erasures from a region to home, at least once. */
export interface ErasureReportLink {
  /** Throws the log's error while it is unavailable; it can be called again. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createErasureReportLink({
  home,
  region,
  replication,
}: ErasureReportLinkOptions): ErasureReportLink {
  let consumption: Consumption | undefined;
  return {
    async start() {
      if (consumption !== undefined) return;
      await region.createTopics([erasureReportsSpec(replication)]);
      consumption = await region.consume({
        group: GROUP,
        topics: [ERASURE_REPORTS_TOPIC],
        handle: async ({ records }) => {
          await home.publish(
            ERASURE_REPORTS_TOPIC,
            records.map(({ partition, key, value, headers }) => ({ partition, key, value, headers })),
          );
        },
      });
    },
    async stop() {
      await consumption?.stop();
    },
  };
}
