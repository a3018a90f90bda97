import type { OperationEnv, RateLimit } from '@switchboard/http';
import type { Context } from 'hono';
import type { ConversationState } from './rows.ts';
import type { ConversationTokens } from './tokens/tokens.ts';

type ConversationContext = Context<OperationEnv<'conversation'>>;

/** A limit with the conversation's id as first key. Rejects requests past it before looking their token up. */
type ConversationLimit = Pick<RateLimit, 'refuseExhausted'>;

/** Checks the conversation token after the project key. */
export function requireConversationToken(
  tokens: Pick<ConversationTokens, 'require'>,
  limit?: ConversationLimit,
) {
  return {
    async authorize(c: ConversationContext): Promise<void> {
      limit?.refuseExhausted(conversationIdOf(c));
      await tokens.require(...useOf(c));
    },
  };
}

/** Checks the conversation token. The handler gets the conversation that the check reads. */
export function openByConversationToken(tokens: Pick<ConversationTokens, 'open'>, limit: ConversationLimit) {
  return {
    authorize(c: ConversationContext): Promise<ConversationState> {
      limit.refuseExhausted(conversationIdOf(c));
      return tokens.open(...useOf(c));
    },
  };
}

const conversationIdOf = (c: ConversationContext): string => c.req.param('id') ?? '';

function useOf(
  c: ConversationContext,
): [projectId: string, conversationId: string, token: string | undefined] {
  return [c.get('project').id, conversationIdOf(c), c.req.header('x-service-conversation-token')];
}
