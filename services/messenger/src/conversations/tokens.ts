import { type Clock, hashToken, newToken, Unauthorized } from '@switchboard/service-kit';
import { type SQL, sql } from 'drizzle-orm';
import { conversations } from '../schema/index.ts';
import type { ConversationStore } from './store.ts';

/** How long a token is good for after it was last used to read or write, and after the conversation was opened. */
export const TOKEN_DAYS = 30;
export const LONGEST_DAYS = 180;

const DAY_SECONDS = 86_400;
const TOKEN = /^cvt_[A-Za-z0-9_-]{43}$/;
const CONVERSATION = /^cnv_[0-9a-f]{32}$/;

export interface NewConversationToken {
  token: string;
  hash: string;
  expiresInSeconds: number;
  expiresAt: Date;
}

export type ConversationTokens = ReturnType<typeof createConversationTokens>;

/** Tokens of conversations: 32 random bytes, kept as their SHA-256. */
export function createConversationTokens(store: Pick<ConversationStore, 'opens'>, clock: Clock) {
  return {
    issue(): NewConversationToken {
      const token = `cvt_${newToken()}`;
      const expiresInSeconds = TOKEN_DAYS * DAY_SECONDS;
      const expiresAt = new Date(clock.now().getTime() + expiresInSeconds * 1000);
      return { token, hash: hashToken(token), expiresInSeconds, expiresAt };
    },

    /** Whether the token opens this conversation of this project now. */
    async opens(projectId: string, conversationId: string, token: string): Promise<boolean> {
      if (!TOKEN.test(token) || !CONVERSATION.test(conversationId)) return false;
      const tokenHash = hashToken(token);
      return store.opens({ projectId, conversationId, tokenHash, now: clock.now() });
    },

    /** Throws Unauthorized, alike for every reason. */
    async require(projectId: string, conversationId: string, token: string | undefined): Promise<void> {
      if (token !== undefined && (await this.opens(projectId, conversationId, token))) return;
      throw new Unauthorized(
        'X-Service-Conversation-Token: missing, or not a valid token of this conversation.',
      );
    },

    /** The end of a token that is used now: 30 days from now, 180 from opening at the latest. */
    renewed(): SQL {
      const soonest = new Date(clock.now().getTime() + TOKEN_DAYS * DAY_SECONDS * 1000).toISOString();
      const latest = sql`${conversations.createdAt} + make_interval(days => ${sql.raw(String(LONGEST_DAYS))})`;
      return sql`least(${soonest}::timestamptz, ${latest})`;
    },
  };
}
