import { getFlagClients } from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { Clients } from './clients.ts';

interface ClientsDeps {
  clients: Pick<Clients, 'count'>;
  ofProject: ProjectOfRegion;
}

export function clientsRoutes(app: ServiceApp, { clients, ofProject }: ClientsDeps): void {
  app.implement(
    getFlagClients,
    async (c) => c.json(await clients.count(c.req.valid('param').projectId), 200),
    ofProject,
  );
}
