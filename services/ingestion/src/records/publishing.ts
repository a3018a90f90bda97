import type { EventLog } from '@switchboard/event-log';
import type { Clock } from '@switchboard/service-kit';

/** Dependencies of every feature that publishes. */
export interface Publishing {
  log: Pick<EventLog, 'placement' | 'publish'>;
  clock: Clock;
}
