import { type Clock, hashToken, newToken, Unauthorized } from '@switchboard/service-kit';
import type { ConversationsStore, TokenRenewal } from './store.ts';

/** A token expires this long after it was last used. */
const TOKEN_DAYS = 30;
/** A token expires this long after the conversation was opened, however often it is used. */
const MAX_TOKEN_DAYS = 180;

const DAY_SECONDS = 86_400;
const TOKEN = /^cvt_[A-Za-z0-9_-]{43}$/;
const CONVERSATION_ID = /^cnv_[0-9a-f]{32}$/;

export interface NewConversationToken {
  token: string;
  hash: string;
  expiresInSeconds: number;
  expiresAt: Date;
}

export interface ConversationTokens {
  issue(): NewConversationToken;
  /** Whether the token gives access to this conversation of this project now. */
  isValid(projectId: string, conversationId: string, token: string): Promise<boolean>;
  /** Throws the same Unauthorized for every reason. */
  require(projectId: string, conversationId: string, token: string | undefined): Promise<void>;
  /** What a use of the token now makes of its expiry. */
  renewal(): TokenRenewal;
}

interface TokensOptions {
  store: Pick<ConversationsStore, 'isTokenValid'>;
  clock: Clock;
}

/** Tokens of conversations: 32 random bytes, stored as their SHA-256. */
export function createConversationTokens({ store, clock }: TokensOptions): ConversationTokens {
  const expiryOfUseNow = () => new Date(clock.now().getTime() + TOKEN_DAYS * DAY_SECONDS * 1000);

  async function isValid(projectId: string, conversationId: string, token: string): Promise<boolean> {
    if (!TOKEN.test(token) || !CONVERSATION_ID.test(conversationId)) return false;
    return store.isTokenValid({ projectId, conversationId, tokenHash: hashToken(token), now: clock.now() });
  }

  return {
    isValid,

    issue() {
      const token = `cvt_${newToken()}`;
      const expiresInSeconds = TOKEN_DAYS * DAY_SECONDS;
      return { token, hash: hashToken(token), expiresInSeconds, expiresAt: expiryOfUseNow() };
    },

    async require(projectId, conversationId, token) {
      if (token !== undefined && (await isValid(projectId, conversationId, token))) return;
      throw new Unauthorized(
        'X-Service-Conversation-Token: missing, or not a valid token for this conversation.',
      );
    },

    renewal: () => ({ expiresAt: expiryOfUseNow(), maxDays: MAX_TOKEN_DAYS }),
  };
}
