import type { Socket, SocketPlan } from '@switchboard/realtime';
import { type ProjectAccess, socketAccess } from '@switchboard/service-kit';
import { z } from 'zod';
import type { ConversationTokens } from '../conversations/tokens.ts';
import { conversationTopic } from './live.ts';

export const SOCKET_PATH = '/v1/messenger/socket';

/** The ws or wss URL of the socket under the API's http or https URL. */
export const socketUrlUnder = (apiUrl: string) => `${apiUrl.replace(/^http/, 'ws')}${SOCKET_PATH}`;

interface SocketOptions {
  projectKey(key: string | undefined): Promise<ProjectAccess>;
  tokens: Pick<ConversationTokens, 'isValid'>;
  /** Notifies the socket of configuration changes, with the version in this locale. */
  follow(socket: Socket, project: ProjectAccess, locale: string | undefined): void;
}

interface SocketQuery {
  key: string | undefined;
  locale: string | undefined;
}

const subscription = z.object({
  type: z.literal('subscribe'),
  conversationId: z.string().max(200),
  token: z.unknown().optional(),
});

/** A visitor's socket: the project key opens it, conversation tokens subscribe it to conversations. */
export function visitorSocket({ projectKey, tokens, follow }: SocketOptions) {
  async function subscribe(socket: Socket, project: ProjectAccess, text: string): Promise<void> {
    const message = subscription.safeParse(parseJson(text));
    // Unknown messages are ignored, so that newer clients can send more.
    if (!message.success) return;
    const { conversationId, token } = message.data;
    const isAllowed = typeof token === 'string' && (await tokens.isValid(project.id, conversationId, token));
    const isJoined = isAllowed && socket.join(conversationTopic(conversationId));
    socket.send({ type: isJoined ? 'subscribed' : 'refused', conversationId });
  }

  return async ({ key, locale }: SocketQuery): Promise<SocketPlan> => {
    const access = await socketAccess(projectKey, key);
    if ('refuse' in access) return access;
    const { project } = access;
    return {
      ...(key === undefined ? {} : { credential: key }),
      onOpen: (socket) => follow(socket, project, locale),
      onMessage: (socket, text) => subscribe(socket, project, text),
    };
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
