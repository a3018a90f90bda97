import {
  getMessengerConfig,
  listMessages,
  type MessengerMessage,
  subscribe as subscription,
  visitorSignal,
} from '@switchboard/contracts';
import { type ProjectAccess, type RateLimit, RateLimited, socketAccess } from '@switchboard/http';
import type { Socket, SocketPlan } from '@switchboard/realtime';
import { personTopic } from '../publishing/publisher.ts';
import type { Signals } from './signals.ts';
import type { Subscriptions } from './subscriptions.ts';

export const SOCKET_PATH = '/v1/messenger/socket';

const TRY_AGAIN = 1013;

/** Returns the ws or wss URL of the socket under the API's http or https URL. */
export const socketUrlUnder = (apiUrl: string) => `${apiUrl.replace(/^http/, 'ws')}${SOCKET_PATH}`;

interface SocketOptions {
  projectKey(key: string | undefined): Promise<ProjectAccess>;
  subscriptions: Pick<Subscriptions, 'subscribe'>;
  signals: Signals;
  /** Limits the subscriptions from an address in a project. */
  limit: RateLimit;
  /** Notifies the socket of configuration changes, with the version in this locale. */
  follow(socket: Socket, project: ProjectAccess, locale: string | undefined): void;
}

interface SocketRequest {
  address: string;
  origin: string | undefined;
  key: string | undefined;
  locale: string | undefined;
  distinctId: string | undefined;
}

/** Handles a visitor's socket. The project key opens it. Conversation tokens subscribe it to conversations. */
export function visitorSocket({ projectKey, subscriptions, signals, limit, follow }: SocketOptions) {
  async function receive(
    socket: Socket,
    { project, address }: { project: ProjectAccess; address: string },
    text: string,
  ): Promise<void> {
    const parsed = parseJson(text);
    const signal = visitorSignal.safeParse(parsed);
    if (signal.success) return signals.signal(socket, signal.data);
    const message = subscription.safeParse(parsed);
    // Unknown messages are ignored, so that newer clients can send more.
    if (!message.success) return;
    const { conversationId, token } = message.data;
    if (!(await isWithin(limit, `${project.id}:${address}`))) {
      socket.close(TRY_AGAIN, 'too many subscriptions');
      return;
    }
    const isSubscribed =
      typeof token === 'string' &&
      (await subscriptions.subscribe(socket, { projectId: project.id, conversationId, token }));
    const type = isSubscribed ? 'subscribed' : 'refused';
    socket.send({ type, conversationId } satisfies MessengerMessage);
  }

  return async ({ address, origin, key, locale, distinctId }: SocketRequest): Promise<SocketPlan> => {
    const access = await socketAccess(projectKey, { key, origin });
    if ('refuse' in access) return access;
    const { project, credential } = access;
    // The locale is kept as long as the socket, so it has the maximum length of the configuration's parameter.
    const { data } = getMessengerConfig.request.query.safeParse({ locale });
    const person = listMessages.request.query.safeParse({ distinct_id: distinctId });
    return {
      credential,
      onOpen(socket) {
        follow(socket, project, data?.locale);
        if (person.success) socket.join(personTopic(project.id, person.data.distinct_id));
      },
      onMessage: (socket, text) => receive(socket, { project, address }, text),
    };
  };
}

async function isWithin(limit: RateLimit, key: string): Promise<boolean> {
  try {
    await limit.consume(key);
    return true;
  } catch (error) {
    if (error instanceof RateLimited) return false;
    throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
