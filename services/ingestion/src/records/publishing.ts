import type { EventLog } from '@switchboard/event-log';
import type { Clock } from '@switchboard/runtime';

/** Dependencies of every feature that publishes. */
export interface Publishing {
  log: Pick<EventLog, 'partitions' | 'publish'>;
  clock: Clock;
}
