import { ingestionTopics } from '@switchboard/contracts';
import { projectHolder } from '@switchboard/service-kit';
import type { Publishing } from '../records/publishing.ts';
import type { EventLines } from './event-lines.ts';
import { eventRecords } from './event-records.ts';

export interface Events {
  /** Resolves with the number of events once the event log has stored the batch. */
  accept(projectId: string, batch: EventLines): Promise<number>;
}

export function createEvents({ log, clock, partitions }: Publishing): Events {
  return {
    accept(projectId, batch) {
      const records = eventRecords(batch, { projectId, partitions, receivedAt: clock.now() });
      const { length } = batch.lines;
      // Not async: it would keep the batch in memory until its records are stored.
      return log.publish(ingestionTopics.events, records, projectHolder(projectId)).then(() => length);
    },
  };
}
