import type { OperationEnv } from '@switchboard/service-kit';
import type { Context } from 'hono';
import type { ConversationTokens } from './tokens.ts';

/** Checks the conversation token, after the project key. */
export function requireConversationToken(tokens: Pick<ConversationTokens, 'require'>) {
  return {
    async authorize(c: Context<OperationEnv<'conversation'>>): Promise<void> {
      const token = c.req.header('x-service-conversation-token');
      await tokens.require(c.var.project.id, c.req.param('id') ?? '', token);
    },
  };
}
