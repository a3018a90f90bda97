import type { OperationEnv } from '@switchboard/service-kit';
import type { Context } from 'hono';
import type { ConversationState } from './store.ts';
import type { ConversationTokens } from './tokens.ts';

type ConversationContext = Context<OperationEnv<'conversation'>>;

/** Checks the conversation token, after the project key. */
export function requireConversationToken(tokens: Pick<ConversationTokens, 'require'>) {
  return {
    async authorize(c: ConversationContext): Promise<void> {
      await tokens.require(...useOf(c));
    },
  };
}

/** Checks the conversation token, and keeps the conversation that the check reads for the handler. */
export function openByConversationToken(tokens: Pick<ConversationTokens, 'open'>) {
  const opened = new WeakMap<object, ConversationState>();
  return {
    async authorize(c: ConversationContext): Promise<void> {
      opened.set(c.env, await tokens.open(...useOf(c)));
    },
    conversationOf(c: ConversationContext): ConversationState {
      const conversation = opened.get(c.env);
      if (conversation === undefined) throw new Error('the token of the conversation was not checked');
      return conversation;
    },
  };
}

function useOf(
  c: ConversationContext,
): [projectId: string, conversationId: string, token: string | undefined] {
  return [c.get('project').id, c.req.param('id') ?? '', c.req.header('x-service-conversation-token')];
}
