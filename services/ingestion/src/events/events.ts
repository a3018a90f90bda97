import { ingestionTopics } from '@switchboard/contracts';
import { freeBytes } from '@switchboard/engine';
import { fairnessKeyOfProject } from '@switchboard/http';
import type { Publishing } from '../records/publishing.ts';
import type { EventLines } from './event-lines.ts';
import { eventRecords } from './event-records.ts';

export interface Events {
  /** Resolves with the number of events once the event log has stored the batch. */
  accept(projectId: string, batch: EventLines): Promise<number>;
}

export function createEvents({ log, clock }: Publishing): Events {
  // These functions are separate and not async. Otherwise each would keep the batch in memory until its records
  // are stored.
  function publish(projectId: string, batch: EventLines): Promise<unknown> {
    const receivedAt = clock.now();
    const partitions = log.partitions(ingestionTopics.events);
    return partitions instanceof Promise
      ? partitions.then((found) => publishTo(found, projectId, batch, receivedAt))
      : publishTo(partitions, projectId, batch, receivedAt);
  }
  function publishTo(partitions: number, projectId: string, batch: EventLines, receivedAt: Date) {
    const { records, memory } = eventRecords(batch, { projectId, partitions, receivedAt });
    if (batch.body !== undefined) freeBytes(batch.body);
    const publishing = log.publish(ingestionTopics.events, records, fairnessKeyOfProject(projectId));
    // Does not free the memory on failure, because a send may still be in progress.
    return publishing.then(() => freeBytes(memory));
  }
  const counted = (stored: Promise<unknown>, events: number) => stored.then(() => events);

  return {
    accept: (projectId, batch) => counted(publish(projectId, batch), batch.lines.length),
  };
}
