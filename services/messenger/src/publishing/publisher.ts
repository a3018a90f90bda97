import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  ConversationStatus,
  LiveConversationChange,
  LiveConversations,
  MessengerMessage,
  Turn,
} from '@switchboard/contracts';
import type { Hub } from '@switchboard/realtime';

/** A teammate as the messenger's team shows them. */
type Typist = Required<Pick<Turn, 'authorName' | 'authorAvatarUrl'>>;

/** Sends changes to visitors' sockets and agents' streams. Never throws: what matters is stored and can be read. */
export interface Publisher {
  /** Sends a turn to the visitor and to agents. */
  publishTurn(projectId: string, conversationId: string, turn: Turn): void;
  /** Sends a status to the visitor. Agents get it with the change. */
  publishStatus(conversationId: string, status: ConversationStatus): void;
  /** Tells the visitor that a teammate types. */
  publishTyping(conversationId: string, author: Typist): void;
  /** Tells the visitor's devices how far the visitor or a teammate has read. */
  publishRead(conversationId: string, by: 'visitor' | 'teammate', at: Date): void;
  /** Sends a change to the agents of a project alone. */
  publishToAgents(projectId: string, change: LiveConversationChange): void;
  /** Announces a new in-app message. Without `distinctIds`, it is for everyone in the project. */
  publishInbox(projectId: string, distinctIds?: readonly string[]): Promise<void>;
}

const PEOPLE_PER_TURN = 200;

/** Returns the topic of every socket of a project. */
export const projectTopic = (projectId: string) => `project:${projectId}`;
export const personTopic = (projectId: string, distinctId: string) =>
  `person:${JSON.stringify([projectId, distinctId])}`;
/** Returns the topic of the agents' streams of a project. A visitor's socket never joins it. */
export const agentsTopic = (projectId: string) => `agents:${projectId}`;
export const conversationTopic = (conversationId: string) => `conversation:${conversationId}`;

/** Agents get what happens within this time in one message: there are many of them, and each gets all of it. */
const GATHER_MS = 50;
/** The largest number of changes in a message to agents. */
const MAX_CHANGES = 200;

export function createPublisher(hub: Pick<Hub, 'publish'>): Publisher {
  const gathered = new Map<string, Map<unknown, LiveConversationChange>>();

  const publish = (conversationId: string, message: MessengerMessage) =>
    hub.publish(conversationTopic(conversationId), message);

  function sendGathered(projectId: string): void {
    const changes = [...(gathered.get(projectId)?.values() ?? [])];
    gathered.delete(projectId);
    for (let start = 0; start < changes.length; start += MAX_CHANGES) {
      const message: LiveConversations = {
        type: 'changes',
        changes: changes.slice(start, start + MAX_CHANGES),
      };
      hub.publish(agentsTopic(projectId), message);
    }
  }

  function publishToAgents(projectId: string, change: LiveConversationChange): void {
    const waiting = gathered.get(projectId);
    const key = keyOf(change);
    if (waiting !== undefined) {
      waiting.delete(key);
      waiting.set(key, change);
      return;
    }
    gathered.set(projectId, new Map([[key, change]]));
    setTimeout(sendGathered, GATHER_MS, projectId).unref();
  }

  return {
    publishToAgents,
    publishTurn(projectId, conversationId, turn) {
      publish(conversationId, { type: 'turn', conversationId, turn });
      publishToAgents(projectId, { kind: 'turn', conversationId, turn });
    },
    publishStatus: (conversationId, status) =>
      publish(conversationId, { type: 'status', conversationId, status }),
    publishTyping: (conversationId, author) =>
      publish(conversationId, { type: 'typing', conversationId, ...author }),
    publishRead: (conversationId, by, at) =>
      publish(conversationId, { type: 'read', conversationId, by, at: at.toISOString() }),
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

/** Presence replaces an earlier one of the same person. Every other change is its own key. */
const keyOf = (change: LiveConversationChange): unknown =>
  change.kind === 'presence' ? JSON.stringify([change.conversationId, change.sub, change.state]) : change;
