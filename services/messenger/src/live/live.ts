import type { ConversationStatus, MessengerMessage, Turn } from '@switchboard/contracts';
import type { Hub } from '@switchboard/realtime';

/** Sends changes to the sockets subscribed to a conversation. Never throws: what it sends is stored and can be read. */
export interface Live {
  publishTurn(conversationId: string, turn: Turn): void;
  publishStatus(conversationId: string, status: ConversationStatus): void;
}

export const conversationTopic = (conversationId: string) => `conversation:${conversationId}`;

export function createLive(hub: Pick<Hub, 'publish'>): Live {
  const publish = (conversationId: string, message: MessengerMessage) =>
    hub.publish(conversationTopic(conversationId), message);
  return {
    publishTurn: (conversationId, turn) => publish(conversationId, { type: 'turn', conversationId, turn }),
    publishStatus: (conversationId, status) =>
      publish(conversationId, { type: 'status', conversationId, status }),
  };
}
