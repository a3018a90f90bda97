import type { FlagsService } from '../config.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { createLiveChanges } from '../live/live.ts';
import { liveRoutes } from '../live/routes.ts';
import { openSockets } from '../live/sockets.ts';
import { createOfrep } from '../ofrep/ofrep.ts';
import { ofrepRoutes } from '../ofrep/routes.ts';
import type { Rulesets } from '../rulesets/rulesets.ts';
import type { Tallies } from '../usage/tallies.ts';

/** Opens the streams and sockets that announce changes of flags, and OpenFeature's protocol, which uses them. */
export function openLive(
  service: FlagsService,
  { rulesets, evaluation, tallies }: { rulesets: Rulesets; evaluation: Evaluation; tallies: Tallies },
): void {
  const { add, app, config, logger } = service;
  const sockets = openSockets(service);
  const live = createLiveChanges({ rulesets, sockets, logger });
  add(live, { drain: live.stop });
  add(sockets, { drain: sockets.close });
  liveRoutes(app, { sockets, live });
  ofrepRoutes(app, {
    ofrep: createOfrep({ evaluation, tallies, publicUrl: config.PUBLIC_API_URL }),
    sockets,
    live,
  });
}
