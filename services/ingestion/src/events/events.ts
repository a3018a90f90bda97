import { ingestionTopics } from '@switchboard/contracts';
import type { Publishing } from '../records/publishing.ts';
import type { EventLines } from './event-lines.ts';
import { eventRecords } from './event-records.ts';

export interface Events {
  /** Resolves with the number of events once the event log has stored the batch. */
  accept(projectId: string, batch: EventLines): Promise<number>;
}

export function createEvents({ log, clock, partitions }: Publishing): Events {
  return {
    async accept(projectId, batch) {
      const records = eventRecords(batch, { projectId, partitions, receivedAt: clock.now() });
      await log.publish(ingestionTopics.events, records);
      return batch.lines.length;
    },
  };
}
