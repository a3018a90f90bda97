import { poll } from '@switchboard/resilience';
import type { Logger } from '@switchboard/runtime';
import type { Inbox } from './inbox.ts';

const INTERVAL_MS = 1_000;

interface ScheduleOptions {
  inbox: Pick<Inbox, 'announceDue'>;
  logger: Logger;
}

/** Announces scheduled messages at their time. Inboxes list them from then on even if no instance runs. */
export function createSchedule({ inbox, logger }: ScheduleOptions) {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted && (await inbox.announceDue()));
  }

  return {
    run,
    start() {
      running ??= poll(run, {
        everyMs: INTERVAL_MS,
        signal: stopping.signal,
        onFailure: (error) => logger.failed('announce scheduled messages', error),
      });
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
