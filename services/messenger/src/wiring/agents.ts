import { openPusher } from '@switchboard/push';
import { createPreferences } from '../agents/preferences.ts';
import { agentsRoutes } from '../agents/routes.ts';
import { createAgentsStore } from '../agents/store.ts';
import { createPushes } from '../pushes/pushes.ts';
import { pushesRoutes } from '../pushes/routes.ts';
import { createPushesStore } from '../pushes/store.ts';
import { createSubscriptions } from '../pushes/subscriptions.ts';
import { createReport } from '../report/report.ts';
import { reportRoutes } from '../report/routes.ts';
import { createReportStore } from '../report/store.ts';
import { createSupportStore } from '../support/store.ts';
import type { Shared } from './shared.ts';

/** Opens the preferences of agents, pushes to their browsers, and the report on their work. */
export function openAgents(shared: Shared): void {
  const { app, db, limits } = shared;
  const preferences = createPreferences({
    ...shared,
    store: createAgentsStore(db),
    support: createSupportStore(db),
  });
  agentsRoutes(app, { ...shared, preferences });
  openPushes(shared);
  const limit = limits.perMinute('conversation-reports', limits.reportsPerMember);
  reportRoutes(app, { ...shared, report: createReport({ store: createReportStore(db), limit }) });
}

function openPushes(shared: Shared): void {
  const { add, app, config, db, metrics } = shared;
  const store = createPushesStore(db);
  const pusher = openPusher(config, metrics);
  const subscriptions = createSubscriptions({ ...shared, store, publicKey: pusher?.publicKey });
  pushesRoutes(app, { ...shared, subscriptions });
  if (pusher === undefined) return;
  const settled = metrics.counterBy(
    'switchboard_inbox_pushes_total',
    'Pushes of turns to browsers of members that were sent, failed, or found that the browser has unsubscribed.',
    ['state'],
  );
  add(
    createPushes({
      ...shared,
      store,
      pusher,
      consoleUrl: config.CONSOLE_URL,
      onSettled: (state) => settled.add([state]),
    }),
  );
}
