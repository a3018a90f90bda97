import { createPolling, type Polling } from '@switchboard/resilience';
import type { Logger } from '@switchboard/runtime';
import type { Inbox } from './inbox.ts';

const INTERVAL_MS = 1_000;

interface ScheduleOptions {
  inbox: Pick<Inbox, 'announceDue'>;
  logger: Logger;
}

/** Announces scheduled messages at their time. Inboxes list them from then on even if no instance runs. */
export function createSchedule({ inbox, logger }: ScheduleOptions): Polling {
  async function look(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await inbox.announceDue()));
  }

  return createPolling(look, {
    everyMs: INTERVAL_MS,
    onFailure: (error) => logger.failed('announce scheduled messages', error),
  });
}
