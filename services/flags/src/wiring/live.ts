import { projectOfRegion } from '@switchboard/http';
import { createClients } from '../clients/clients.ts';
import { clientsRoutes } from '../clients/routes.ts';
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
  const { add, app, config, database, directory, logger, region } = service;
  const sockets = openSockets(service);
  const live = createLiveChanges({ rulesets, sockets, logger });
  add(live, { drain: live.stop });
  add(sockets, { drain: sockets.close });
  const clients = add(
    createClients({ database, live, onError: (error) => logger.failed('count clients of flags', error) }),
  );
  clientsRoutes(app, { clients, ofProject: projectOfRegion(directory, region) });
  liveRoutes(app, { sockets, live });
  ofrepRoutes(app, {
    ofrep: createOfrep({ evaluation, tallies, publicUrl: config.PUBLIC_API_URL }),
    sockets,
    live,
    consoleUrl: config.CONSOLE_URL,
  });
}
