import { eventually, startReceiver } from '@switchboard/testkit';
import { z } from 'zod';
import { request } from './request.ts';
import { ANNOUNCED, PROJECTS, type Project } from './traffic.ts';

/** A message about an event that the receiver accepted. */
export interface Delivered {
  project: string;
  eventId: string;
  distinctId: string;
}

/** An HTTP server that each project has a webhook for. */
export interface WebhookReceiver {
  delivered: readonly Delivered[];
  url: string;
  stop(): Promise<void>;
}

const WEBHOOK = 'crash';
/** The receiver fails once for one event in this number. */
const FAILING = 150;
const READY_WITHIN_MS = 60_000;
const SENT_WITHIN_MS = 180_000;
const shape = z.object({ waiting: z.int(), discarded: z.int() });

/** An instance of the service of webhooks. */
interface WebhooksService {
  port: number;
  /** Returns an access token of the management API. */
  token(): Promise<string>;
}

/** Starts the receiver. It rejects the first attempt of some messages, which are sent again after seconds. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const delivered: Delivered[] = [];
  const failed = new Set<string | undefined>();
  const { url, close } = await startReceiver((response, _, { headers, json }) => {
    const { projectId, eventId, distinctId, properties } = json.data;
    const id = headers['webhook-id'];
    if (properties.number % FAILING === 0 && !failed.has(id)) {
      failed.add(id);
      response.writeHead(500).end();
      return;
    }
    delivered.push({ project: projectId, eventId, distinctId });
    response.writeHead(204).end();
  });
  return { delivered, url, stop: close };
}

/** Creates a webhook of each project for the events of the traffic that are announced. */
export async function putWebhooks({ port, token }: WebhooksService, url: string): Promise<void> {
  const { event, below } = ANNOUNCED;
  const body = {
    url,
    types: ['event'],
    events: [{ event, where: [{ attribute: 'number', op: 'lt', value: below }] }],
  };
  for (const project of PROJECTS) {
    // The instance may not know the project yet.
    await eventually(
      () => webhookOf({ port, token }, project, { method: 'PUT', body: JSON.stringify(body) }),
      {
        withinMs: READY_WITHIN_MS,
      },
    );
  }
}

/** Resolves when no message waits. Returns the number of messages that were not queued because too many waited. */
export async function untilSent(service: WebhooksService): Promise<number> {
  let discarded = 0;
  for (const project of PROJECTS) {
    const webhook = await eventually(
      async () => {
        const found = await webhookOf(service, project, { method: 'GET' });
        if (found.waiting > 0) throw new Error(`${found.waiting} messages of ${project} wait`);
        return found;
      },
      { withinMs: SENT_WITHIN_MS },
    );
    discarded += webhook.discarded;
  }
  return discarded;
}

async function webhookOf({ port, token }: WebhooksService, project: Project, init: RequestInit) {
  const url = `http://127.0.0.1:${port}/management/v1/projects/${project}/webhooks/${WEBHOOK}`;
  const headers = { Authorization: `Bearer ${await token()}` };
  return shape.parse((await request(url, { ...init, headers }, [200])).body);
}
