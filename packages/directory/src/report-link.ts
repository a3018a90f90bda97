import type { Consumption, EventLog, TopicSpec } from '@switchboard/event-log';
import { erasureReportsSpec } from './erasures/reports.ts';
import { tokenUsesSpec } from './tokens/uses.ts';

const GROUP = 'erasure-reports.link';

export interface ReportLinkOptions {
  /** The log that the catalogue service reads. */
  home: Pick<EventLog, 'publish'>;
  /** The log to which the region's services report. */
  region: Pick<EventLog, 'createTopics' | 'consume'>;
  /** Replicas of each partition, if the link creates the region's topics. */
  replication: number;
  /** Further topics of the region to carry home. */
  others?: TopicSpec[];
}

/** Carries reports of erasures, of late entries, of uses of tokens and what else there is home, at least once. */
export interface ReportLink {
  /** Throws the log's error while it is unavailable; it can be called again. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createReportLink({ home, region, replication, others = [] }: ReportLinkOptions): ReportLink {
  const specs = [erasureReportsSpec(replication), tokenUsesSpec(replication), ...others];
  let consumption: Consumption | undefined;
  return {
    async start() {
      if (consumption !== undefined) return;
      await region.createTopics(specs);
      consumption = await region.consume({
        group: GROUP,
        topics: specs.map(({ name }) => name),
        handle: async ({ topic, records }) => {
          await home.publish(
            topic,
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
