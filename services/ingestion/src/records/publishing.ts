import type { EventLog } from '@switchboard/event-log';
import type { Clock } from '@switchboard/service-kit';

/** What every feature publishes with. */
export interface Publishing {
  log: Pick<EventLog, 'publish'>;
  clock: Clock;
  /** Partitions of each topic; the order of one person's records depends on it. */
  partitions: number;
}
