import type { Socket, SocketPlan } from '@switchboard/realtime';
import { type ProjectAccess, socketAccess } from '@switchboard/service-kit';
import { z } from 'zod';
import type { ConversationTokens } from '../conversations/tokens.ts';
import { conversationTopic } from './live.ts';

export const SOCKET_PATH = '/v1/messenger/socket';

interface SocketOptions {
  projectKey(key: string | undefined): Promise<ProjectAccess>;
  tokens: Pick<ConversationTokens, 'opens'>;
  /** Tells the socket of changes of the project's configuration, in the locale's language. */
  follow(socket: Socket, project: ProjectAccess, locale: string | undefined): void;
}

const subscription = z.object({
  type: z.literal('subscribe'),
  conversationId: z.string().max(200),
  token: z.unknown().optional(),
});

/** What a visitor's socket is answered: refused by its key, else conversations by their tokens. */
export function planSocket({ projectKey, tokens, follow }: SocketOptions) {
  async function subscribe(socket: Socket, project: ProjectAccess, text: string): Promise<void> {
    const asked = subscription.safeParse(parseJson(text));
    // Whatever else a client says may mean something one day.
    if (!asked.success) return;
    const { conversationId, token } = asked.data;
    const isOpen = typeof token === 'string' && (await tokens.opens(project.id, conversationId, token));
    const isJoined = isOpen && socket.join(conversationTopic(conversationId));
    socket.send({ type: isJoined ? 'subscribed' : 'refused', conversationId });
  }

  return async ({
    key,
    locale,
  }: {
    key: string | undefined;
    locale: string | undefined;
  }): Promise<SocketPlan> => {
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
