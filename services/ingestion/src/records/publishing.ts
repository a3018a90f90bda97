import type { EventLog } from '@switchboard/event-log';
import type { Clock } from '@switchboard/service-kit';

/** Dependencies of every feature that publishes. */
export interface Publishing {
  log: Pick<EventLog, 'publish'>;
  clock: Clock;
  /** Partitions of each topic. Changing it breaks the order of a person's records. */
  partitions: number;
}
