import type { ConversationStatus, Turn } from '@switchboard/contracts';

/** Tells whoever listens what has happened. Never throws: what happened is stored and can be read. */
export interface Live {
  turn(conversationId: string, turn: Turn): void;
  status(conversationId: string, status: ConversationStatus): void;
}
