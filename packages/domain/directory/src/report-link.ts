import type { Consumption, EventLog, TopicSpec } from '@switchboard/event-log';
import { erasureReportsSpec } from './erasures/reports.ts';
import { tokenUsesSpec } from './tokens/uses.ts';

const GROUP = 'erasure-reports.link';

export interface ReportLinkOptions {
  /** The log that the catalogue service reads. */
  home: Pick<EventLog, 'publish'>;
  /** The log to which the region's services report. */
  region: Pick<EventLog, 'createTopics' | 'consume'>;
  /** The replication factor of the region's topics, if the link creates them. */
  replication: number;
  /** Additional topics of the region to carry to the home region. */
  others?: TopicSpec[];
}

/**
 * Carries reports of erasures, late entries and token uses, and additional topics, to the home region at least once.
 */
export interface ReportLink {
  /** Throws the log's error while the log is unavailable, and can be called again. */
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
