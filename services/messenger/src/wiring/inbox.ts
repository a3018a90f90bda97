import { createInbox } from '../inbox/inbox.ts';
import { inboxRoutes } from '../inbox/routes.ts';
import { createSchedule } from '../inbox/schedule.ts';
import { createInboxStore } from '../inbox/store.ts';
import type { Shared } from './shared.ts';

/** Opens in-app messages. */
export function openInbox(shared: Shared): void {
  const { app, db, limits, logger, ofProject, run } = shared;
  const inbox = createInbox({
    ...shared,
    store: createInboxStore(db),
    limits: {
      perAddress: limits.perMinute('messages-address', limits.messageRequestsPerAddress),
      readsPerProject: limits.perMinute('message-reads', limits.messageReadsPerProject),
    },
  });
  inboxRoutes(app, { inbox, ofProject });
  run(createSchedule({ inbox, logger }));
}
