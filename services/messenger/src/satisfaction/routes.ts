import { getSatisfaction, rateConversation } from '@switchboard/contracts';
import type { RateLimit, ServiceApp } from '@switchboard/http';
import { requireConversationToken } from '../conversations/access.ts';
import type { ConversationTokens } from '../conversations/tokens/tokens.ts';
import type { Satisfactions } from './satisfaction.ts';

interface SatisfactionDeps {
  satisfaction: Satisfactions;
  /** Limits the requests of a conversation and of an address. */
  limit: RateLimit<[string, string]>;
  tokens: Pick<ConversationTokens, 'require'>;
}

export function satisfactionRoutes(app: ServiceApp, { satisfaction, limit, tokens }: SatisfactionDeps): void {
  const withToken = requireConversationToken(tokens, limit);

  app.implement(
    getSatisfaction,
    async (c) => {
      const { id } = c.req.valid('param');
      await limit.consume(id, `${c.var.project.id}:${c.env.address}`);
      return c.json(await satisfaction.read(id), 200, { 'Cache-Control': 'no-store' });
    },
    withToken,
  );

  app.implement(
    rateConversation,
    async (c) => {
      const { id } = c.req.valid('param');
      await limit.consume(id, `${c.var.project.id}:${c.env.address}`);
      return c.json(await satisfaction.rate(c.var.project.id, id, c.req.valid('json')), 200);
    },
    withToken,
  );
}
