import { eventually } from '@switchboard/testkit';
import { z } from 'zod';
import { apiClient, type Call } from '../harness/call.ts';
import {
  defineProject,
  type Manage,
  type Managed,
  managementClient,
  type TestProject,
} from '../harness/project.ts';

/** The gateway, as docker-compose.yml publishes it. */
export const GATEWAY = {
  api: 'http://127.0.0.1:4000',
  events: 'http://127.0.0.1:4001',
  replay: 'http://127.0.0.1:4002',
};
const MANAGEMENT = 'http://127.0.0.1:4003';
export const CONSOLE = 'http://127.0.0.1:4004';
export const ISSUER = 'http://127.0.0.1:4005';
const MAIL = 'http://127.0.0.1:4006';

const managed: Managed = {
  tokens: {
    async mint({ sub, name, permissions }) {
      const answer = await fetch(`${ISSUER}/dev/tokens`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ sub, name, permissions }),
      });
      return z.object({ token: z.string() }).parse(await answer.json()).token;
    },
  },
  serving: () => [{ url: MANAGEMENT }],
};

export interface Client {
  project: TestProject;
  /** Calls the API through the gateway. */
  call: Call;
  manage: Manage;
}

/** Creates a separate project for each run. Resolves when its key is known behind the gateway. */
export async function newProject(name: string): Promise<Client> {
  const id = `${name}-${Date.now().toString(36)}`;
  const project = await defineProject(managed, { id, region: 'eu' });
  const call = apiClient(GATEWAY, project);
  const person = { query: { distinct_id: 'nobody' } };
  await eventually(
    async () => {
      const asked = [call('evaluateFlags', person), call('listMessages', person), call('identify')];
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      if (statuses.some((status) => status >= 300)) throw new Error(`the key is not known: ${statuses}`);
    },
    { withinMs: 60_000 },
  );
  return { project, call, manage: await managementClient(managed) };
}

/** Returns the number of mails that were sent. */
export async function mails(): Promise<number> {
  const answer = await fetch(`${MAIL}/api/v1/messages`);
  return z.object({ total: z.int() }).parse(await answer.json()).total;
}

/** Reads the data that clients of the demo need. */
export async function readDemo() {
  const answer = await fetch(`${ISSUER}/demo.json`);
  return z
    .object({
      base_url: z.string(),
      eu_api_url: z.string(),
      eu_replay_url: z.string(),
      management_url: z.string(),
      issuer_url: z.string(),
      console_url: z.string(),
      project_id: z.string(),
      report_id: z.string(),
      project_key: z.string(),
      tokens: z.record(z.string(), z.string()),
      subs: z.record(z.string(), z.string()),
    })
    .parse(await answer.json());
}
