import type { ConversationStatus, Turn } from '@switchboard/contracts';
import type { Hub } from '@switchboard/realtime';

/** Tells whoever listens what has happened. Never throws: what happened is stored and can be read. */
export interface Live {
  turn(conversationId: string, turn: Turn): void;
  status(conversationId: string, status: ConversationStatus): void;
}

export const conversationTopic = (conversationId: string) => `conversation:${conversationId}`;

export function createLive(hub: Pick<Hub, 'publish'>): Live {
  return {
    turn: (conversationId, turn) =>
      hub.publish(conversationTopic(conversationId), { type: 'turn', conversationId, turn }),
    status: (conversationId, status) =>
      hub.publish(conversationTopic(conversationId), { type: 'status', conversationId, status }),
  };
}
