import { SERVICE_NAMES, type ServiceName } from '@switchboard/contracts';
import { z } from 'zod';
import { apiClient, type Call } from '../harness/call.ts';
import {
  createProject,
  type Manage,
  type Managed,
  managementClient,
  type TestProject,
} from '../harness/project.ts';
import { clusterIp } from './pods.ts';

export interface Client {
  project: TestProject;
  /** Calls the API at the gateway's Service. */
  call: Call;
  manage: Manage;
}

/** Creates a separate project for each run. Resolves when its key is known. */
export async function newProject(name: string): Promise<Client> {
  const issuer = `http://${await clusterIp('backings', 'dev')}:3000`;
  const services = new Map<ServiceName, string>();
  for (const service of SERVICE_NAMES) {
    services.set(service, `http://${await clusterIp('switchboard', service)}:3000`);
  }
  const managed: Managed = {
    tokens: {
      async mint({ sub, name: called, permissions }) {
        const answer = await fetch(`${issuer}/dev/tokens`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ sub, name: called, permissions }),
        });
        return z.object({ token: z.string() }).parse(await answer.json()).token;
      },
    },
    serving: (service) => [{ url: services.get(service) ?? '' }],
  };
  const gateway = `http://${await clusterIp('switchboard', 'gateway')}`;
  const addresses = { api: `${gateway}:4000`, events: `${gateway}:4001`, replay: `${gateway}:4002` };
  const project = await createProject(managed, { id: `${name}-${Date.now().toString(36)}`, region: 'eu' });
  return { project, call: apiClient(addresses, project), manage: await managementClient(managed) };
}
