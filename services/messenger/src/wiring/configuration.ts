import { type Configurations, createConfigurations } from '../configuration/configuration.ts';
import { configurationRoutes } from '../configuration/routes.ts';
import { createConfigurationStore } from '../configuration/store.ts';
import { socketUrlUnder } from '../live/socket.ts';
import { teamRoutes } from '../team/routes.ts';
import { createTeamStore } from '../team/store.ts';
import { createTeam } from '../team/team.ts';
import type { Shared } from './shared.ts';

/** Opens the configuration of messengers and the team that they show. */
export function openConfiguration(shared: Shared): Configurations {
  const { app, config, db, directory, metrics, ofProject } = shared;
  const team = createTeam({ ...shared, store: createTeamStore(db) });
  teamRoutes(app, { team, ofProject, bodies: app.bodies });
  const configurations = createConfigurations({
    store: createConfigurationStore(db),
    team,
    directory,
    socketUrl: socketUrlUnder(config.PUBLIC_API_URL),
  });
  metrics.cache('configurations', configurations.reads);
  configurationRoutes(app, { configurations, ofProject });
  return configurations;
}
