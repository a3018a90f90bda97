import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ConversationStatus, MessengerMessage, Turn } from '@switchboard/contracts';
import type { Hub } from '@switchboard/realtime';

/** Sends changes to the sockets of a conversation. Never throws: all it sends is stored and can be read. */
export interface Publisher {
  publishTurn(conversationId: string, turn: Turn): void;
  publishStatus(conversationId: string, status: ConversationStatus): void;
  /** Announces a new in-app message. Without `distinctIds`, it is for everyone in the project. */
  publishInbox(projectId: string, distinctIds?: readonly string[]): Promise<void>;
}

const PEOPLE_PER_TURN = 200;

/** Returns the topic of every socket of a project. */
export const projectTopic = (projectId: string) => `project:${projectId}`;
export const personTopic = (projectId: string, distinctId: string) =>
  `person:${JSON.stringify([projectId, distinctId])}`;
export const conversationTopic = (conversationId: string) => `conversation:${conversationId}`;

export function createPublisher(hub: Pick<Hub, 'publish'>): Publisher {
  const publish = (conversationId: string, message: MessengerMessage) =>
    hub.publish(conversationTopic(conversationId), message);
  return {
    publishTurn: (conversationId, turn) => publish(conversationId, { type: 'turn', conversationId, turn }),
    publishStatus: (conversationId, status) =>
      publish(conversationId, { type: 'status', conversationId, status }),
    async publishInbox(projectId, distinctIds) {
      const message: MessengerMessage = { type: 'inbox_changed' };
      if (distinctIds === undefined) return hub.publish(projectTopic(projectId), message);
      for (const [index, distinctId] of distinctIds.entries()) {
        hub.publish(personTopic(projectId, distinctId), message);
        // Yields to other requests, which thousands of recipients would delay.
        if (index % PEOPLE_PER_TURN === PEOPLE_PER_TURN - 1) await nextTurn();
      }
    },
  };
}
