import { ingestionTopics } from '@switchboard/contracts';
import { freeBytes } from '@switchboard/engine';
import { fairnessKeyOfProject } from '@switchboard/http';
import type { Publishing } from '../records/publishing.ts';
import type { EventLines } from './event-lines.ts';
import { type Arrival, eventRecords } from './event-records.ts';

export interface Events {
  /** `isBot`: whether a known bot sent the batch. Resolves with the number of events once the event log has stored the batch. */
  accept(projectId: string, batch: EventLines, isBot?: boolean): Promise<number>;
}

export function createEvents({ log, clock }: Publishing): Events {
  // These functions are separate and not async. Otherwise each would keep the batch in memory until its records
  // are stored.
  function publish(projectId: string, batch: EventLines, isBot: boolean): Promise<unknown> {
    const sender = { projectId, receivedAt: clock.now(), isBot };
    const partitions = log.partitions(ingestionTopics.events);
    return partitions instanceof Promise
      ? partitions.then((found) => publishTo(found, batch, sender))
      : publishTo(partitions, batch, sender);
  }
  function publishTo(partitions: number, batch: EventLines, sender: Omit<Arrival, 'partitions'>) {
    const { records, memory } = eventRecords(batch, { ...sender, partitions });
    if (batch.body !== undefined) freeBytes(batch.body);
    const publishing = log.publish(ingestionTopics.events, records, fairnessKeyOfProject(sender.projectId));
    // Does not free the memory on failure, because a send may still be in progress.
    return publishing.then(() => freeBytes(memory));
  }
  const counted = (stored: Promise<unknown>, events: number) => stored.then(() => events);

  return {
    accept: (projectId, batch, isBot = false) =>
      counted(publish(projectId, batch, isBot), batch.lines.length),
  };
}
