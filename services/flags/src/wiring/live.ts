import type { FlagsService } from '../config.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { createLiveChanges } from '../live/live.ts';
import { liveRoutes } from '../live/routes.ts';
import { openSockets } from '../live/sockets.ts';
import { createOfrep } from '../ofrep/ofrep.ts';
import { ofrepRoutes } from '../ofrep/routes.ts';
import type { Rulesets } from '../rulesets/rulesets.ts';

/** Opens the streams and sockets that announce changes of flags, and OpenFeature's protocol, which uses them. */
export function openLive(
  service: FlagsService,
  { rulesets, evaluation }: { rulesets: Rulesets; evaluation: Evaluation },
): void {
  const { add, app, config, logger } = service;
  const sockets = openSockets(service);
  const live = createLiveChanges({ rulesets, sockets, logger });
  add(live, { drain: live.stop });
  add(sockets, { drain: sockets.close });
  liveRoutes(app, { sockets, live });
  ofrepRoutes(app, {
    ofrep: createOfrep({ evaluation, publicUrl: config.PUBLIC_API_URL }),
    sockets,
    live,
  });
}
