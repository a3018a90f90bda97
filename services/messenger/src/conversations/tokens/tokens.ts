import { Unauthorized } from '@switchboard/http';
import { coalesce } from '@switchboard/resilience';
import { type Clock, hashToken, newToken } from '@switchboard/runtime';
import type { ConversationRow, ConversationState } from '../rows.ts';
import type { TokenCheck, TokenRenewal, TokensStore } from './store.ts';

/** A token expires this long after it was last used. */
const TOKEN_DAYS = 30;
/** A token expires this long after the conversation was opened, however often it is used. */
const MAX_TOKEN_DAYS = 180;

const DAY_SECONDS = 86_400;
const RENEWED_BY_MS = 60_000;
const MAX_CHECKS_AT_ONCE = 100;
const TOKEN = /^cvt_[A-Za-z0-9_-]{43}$/;
const CONVERSATION_ID = /^cnv_[0-9a-f]{32}$/;

export interface NewConversationToken {
  token: string;
  hash: string;
  expiresInSeconds: number;
  expiresAt: Date;
}

interface TokenUse {
  projectId: string;
  conversationId: string;
  token: string;
}

export interface ConversationTokens {
  issue(): NewConversationToken;
  /** Returns when the token's access to this conversation of this project ends. Undefined if it has no access now. */
  expiry(use: TokenUse): Promise<Date | undefined>;
  /** Throws the same Unauthorized for every reason. */
  require(projectId: string, conversationId: string, token: string | undefined): Promise<void>;
  /** Returns the conversation that the token opens, in one query. Throws the same Unauthorized for every reason. */
  open(projectId: string, conversationId: string, token: string | undefined): Promise<ConversationState>;
  /** Returns the expiry that a use of the token sets now. */
  renewal(): TokenRenewal;
  /**
   * Renews the token that opened a conversation. Does nothing if the expiry would move by less than a minute, so that
   * not every read writes.
   */
  renew(conversation: ConversationState): Promise<void>;
  /** Issues a token for each of the latest conversations of a verified user. */
  issueOwn(
    projectId: string,
    userId: string,
  ): Promise<(NewConversationToken & { conversation: ConversationRow })[]>;
  /** Revokes up to `limit` valid tokens, and returns their number. */
  revoke: TokensStore['revoke'];
}

interface TokensOptions {
  store: TokensStore;
  clock: Clock;
}

/** Issues and checks the tokens of conversations: 32 random bytes, stored as their SHA-256. */
export function createConversationTokens({ store, clock }: TokensOptions): ConversationTokens {
  const expiryOfUseNow = () => new Date(clock.now().getTime() + TOKEN_DAYS * DAY_SECONDS * 1000);

  /** Returns undefined if the token or the conversation id has an invalid format. */
  function checkOf({ projectId, conversationId, token }: TokenUse): TokenCheck | undefined {
    if (!TOKEN.test(token) || !CONVERSATION_ID.test(conversationId)) return undefined;
    return { projectId, conversationId, tokenHash: hashToken(token) };
  }

  async function expiry(use: TokenUse): Promise<Date | undefined> {
    const check = checkOf(use);
    return check && store.expiry(check, clock.now());
  }

  // Clients poll, so requests at the same moment share a query.
  const find = coalesce<TokenCheck, ConversationState | undefined>(
    (checks) => store.conversationsOf(checks, clock.now()),
    { gathers: true, maxBatch: MAX_CHECKS_AT_ONCE },
  );

  function issue(): NewConversationToken {
    const token = `cvt_${newToken()}`;
    const expiresInSeconds = TOKEN_DAYS * DAY_SECONDS;
    return { token, hash: hashToken(token), expiresInSeconds, expiresAt: expiryOfUseNow() };
  }

  const renewal = () => ({ now: clock.now(), expiresAt: expiryOfUseNow(), maxDays: MAX_TOKEN_DAYS });

  return {
    expiry,
    issue,
    issueOwn: (projectId, userId) => store.issue(projectId, userId, issue),
    revoke: store.revoke,
    renewal,

    async require(projectId, conversationId, token) {
      if (token === undefined || (await expiry({ projectId, conversationId, token })) === undefined)
        throw refused();
    },

    async open(projectId, conversationId, token) {
      const check = token === undefined ? undefined : checkOf({ projectId, conversationId, token });
      const conversation = check && (await find(check));
      if (conversation === undefined) throw refused();
      return conversation;
    },

    async renew({ id, createdAt, tokenExpiresAt }) {
      // The caller has a token of another device.
      if (tokenExpiresAt <= clock.now()) return;
      const latest = createdAt.getTime() + MAX_TOKEN_DAYS * DAY_SECONDS * 1000;
      const expiresAt = Math.min(expiryOfUseNow().getTime(), latest);
      if (expiresAt - tokenExpiresAt.getTime() > RENEWED_BY_MS) await store.renew(id, renewal());
    },
  };
}

const refused = () =>
  new Unauthorized('X-Service-Conversation-Token: missing, or not a valid token for this conversation.');
