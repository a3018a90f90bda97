import type { Conversation } from '@switchboard/contracts';
import { appendTurn, getConversation, openConversation } from '@switchboard/contracts';
import {
  answerPrepared,
  BadRequest,
  type OperationEnv,
  prepareJson,
  type ServiceApp,
} from '@switchboard/service-kit';
import type { Context, TypedResponse } from 'hono';
import type { Conversations } from './conversations.ts';
import type { ConversationTokens } from './tokens.ts';

export const TOKEN_HEADER = 'x-service-conversation-token';

/** The check of the conversation token, which comes after the project key's. */
export function conversationToken(tokens: Pick<ConversationTokens, 'require'>) {
  return {
    async authorize(c: Context<OperationEnv<'conversation'>>): Promise<void> {
      await tokens.require(c.get('project').id, c.req.param('id') ?? '', c.req.header(TOKEN_HEADER));
    },
  };
}

export function routeConversations(
  app: ServiceApp,
  conversations: Conversations,
  tokens: Pick<ConversationTokens, 'require'>,
): void {
  const withToken = conversationToken(tokens);

  app.implement(openConversation, async (c) => {
    const opened = await conversations.open(c.get('project'), c.get('address'), c.req.valid('json'));
    return c.json(opened, 201, { 'Cache-Control': 'no-store' });
  });

  app.implement(
    appendTurn,
    async (c) => {
      const { id } = c.req.valid('param');
      const key = idempotencyKey(c.req.header('idempotency-key'));
      return c.json({ turn: await conversations.send(c.get('project'), id, c.req.valid('json'), key) }, 201);
    },
    withToken,
  );

  app.implement(
    getConversation,
    async (c) => {
      const found = await conversations.read(c.get('project'), c.req.valid('param').id);
      return answerThread(c, found);
    },
    withToken,
  );
}

function idempotencyKey(header: string | undefined): string | undefined {
  const parsed = appendTurn.request.headers.safeParse({ 'idempotency-key': header });
  if (parsed.success) return parsed.data['idempotency-key'];
  throw new BadRequest(`Idempotency-Key: ${parsed.error.issues[0]?.message ?? 'not valid'}`);
}

/** The declared type says what the JSON holds, which is made once for body and ETag. */
function answerThread(c: Context, thread: Conversation): Response & TypedResponse<Conversation, 200, 'json'>;
function answerThread(c: Context, thread: Conversation): Response {
  return answerPrepared(c, prepareJson(thread), { 'Cache-Control': 'private, no-cache' });
}
