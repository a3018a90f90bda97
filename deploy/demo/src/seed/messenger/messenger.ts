import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { request } from '../request.ts';
import data from './data.json' with { type: 'json' };

interface SeedMessengerOptions {
  managementUrl: string;
  apiUrl: string;
  /** An access token with the permission `service.manage`. */
  token: string;
  projectId: string;
  projectKey: string;
}

export interface SeededMessenger {
  /** An identity secret of the project, for computing a userHash. */
  identity_secret: string;
}

type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<unknown>;

const withUrl = z.object({ url: z.string() });
const withId = z.object({ id: z.string() });
const withSecret = z.object({ secret: z.string() });
const opened = z.object({ conversationId: z.string(), token: z.string() });

const turn = z.looseObject({}).optional();
const conversationSchema = z.object({
  open: z.looseObject({ userId: z.string().optional() }),
  turns: z.array(z.object({ visitor: turn, teammate: turn, picture: z.string().optional() })),
  status: z.string().optional(),
});

/** Seeds the messenger through its API, as an operator and two visitors. See data.json. */
export async function seedMessenger(options: SeedMessengerOptions): Promise<SeededMessenger> {
  const { managementUrl, apiUrl, token, projectId, projectKey } = options;
  const manage = caller(`${managementUrl}/management/v1/projects/${projectId}`, token);
  const api = caller(apiUrl, projectKey);

  const team = [];
  for (const { id, ...person } of data.team) {
    await manage('PUT', `/team/${id}`, person);
    const { url } = withUrl.parse(await manage('PUT', `/team/${id}/avatar`, await picture(`${id}.svg`)));
    team.push({ ...person, avatarUrl: url });
  }
  await manage('PUT', '/messenger/config', { ...data.configuration, team });
  const { secret } = withSecret.parse(await manage('POST', '/identity-secrets'));
  for (const message of data.messages) await manage('POST', '/messages', message);
  const conversations = z.array(conversationSchema).parse(data.conversations);
  for (const conversation of conversations) await seedConversation(conversation, { manage, api, secret });
  return { identity_secret: secret };
}

interface Callers {
  manage: Call;
  api: Call;
  secret: string;
}

async function seedConversation(
  given: z.output<typeof conversationSchema>,
  { manage, api, secret }: Callers,
): Promise<void> {
  const { userId } = given.open;
  const userHash = userId && createHmac('sha256', secret).update(userId).digest('hex');
  const { conversationId, token } = opened.parse(
    await api('POST', '/v1/conversations', { ...given.open, userHash }),
  );
  const path = `/v1/conversations/${conversationId}`;
  const withToken = { 'X-Service-Conversation-Token': token };
  for (const turn of given.turns) {
    if (turn.teammate !== undefined) {
      await manage('POST', `/conversations/${conversationId}/turns`, turn.teammate);
      continue;
    }
    const attachmentIds: string[] = [];
    if (turn.picture !== undefined) {
      const upload = `${path}/attachments?name=${encodeURIComponent(turn.picture)}`;
      const file = withId.parse(await api('POST', upload, await picture(turn.picture), withToken));
      attachmentIds.push(file.id);
    }
    await api('POST', `${path}/turns`, { ...turn.visitor, attachmentIds }, withToken);
  }
  if (given.status !== undefined) {
    await manage('PUT', `/conversations/${conversationId}/status`, { status: given.status });
  }
}

const PICTURES = new URL('pictures/', import.meta.url);
const picture = (name: string) => readFile(new URL(name, PICTURES));

/** Returns a function that calls one API of the service with its credential. */
function caller(base: string, credential: string): Call {
  return async (method, path, body, headers = {}) => {
    const content = Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body);
    const options = body === undefined ? { headers } : { headers, body: content };
    return (await request(method, `${base}${path}`, credential, options)).json();
  };
}
