import type { Conversation } from '@switchboard/contracts';
import {
  appendTeammateTurn,
  appendTurn,
  getConversation,
  listConversations,
  listOwnConversations,
  missingPermission,
  openConversation,
  readConversation,
  revokeConversationTokens,
} from '@switchboard/contracts';
import {
  answerPrepared,
  etagOf,
  Forbidden,
  headerOf,
  isFresh,
  type OperationEnv,
  type ProjectOfRegion,
  type ServiceApp,
} from '@switchboard/http';
import type { Context, TypedResponse } from 'hono';
import { openByConversationToken, requireConversationToken } from './access.ts';
import type { ConversationLimits, Conversations } from './conversations.ts';
import type { OperatorConversations } from './operator.ts';
import type { ConversationTokens } from './tokens/tokens.ts';

interface ConversationsDeps {
  conversations: Conversations;
  operatorConversations: OperatorConversations;
  limits: Pick<ConversationLimits, 'turns' | 'reads'>;
  tokens: Pick<ConversationTokens, 'require' | 'open'>;
  ofProject: ProjectOfRegion;
}

export function conversationsRoutes(app: ServiceApp, deps: ConversationsDeps): void {
  visitorRoutes(app, deps);
  managementRoutes(app, deps);
}

function visitorRoutes(app: ServiceApp, { conversations, limits, tokens }: ConversationsDeps): void {
  const withToken = requireConversationToken(tokens, limits.turns);

  app.implement(openConversation, async (c) => {
    const language = headerOf(c, 'accept-language');
    const opened = await conversations.open(c.var.project, c.env.address, c.req.valid('json'), language);
    return c.json(opened, 201, { 'Cache-Control': 'no-store' });
  });

  app.implement(listOwnConversations, async (c) => {
    const own = await conversations.listOwn(c.var.project, c.env.address, c.req.valid('json'));
    return c.json({ conversations: own }, 200, { 'Cache-Control': 'no-store' });
  });

  app.implement(
    appendTurn,
    async (c) => {
      const { 'Idempotency-Key': key } = c.req.valid('header');
      const turn = await conversations.sendTurn(accessOf(c), c.req.valid('json'), key);
      return c.json({ turn }, 201);
    },
    withToken,
  );

  app.implement(
    getConversation,
    async (c, { access: row }) => {
      const access = { project: c.get('project'), address: c.env.address };
      const { after } = c.req.valid('query');
      const { version, conversation } = await conversations.read(access, row, after);
      return answerConversation(c, etagOf(version), conversation);
    },
    openByConversationToken(tokens, limits.reads),
  );
}

function managementRoutes(app: ServiceApp, { operatorConversations, ofProject }: ConversationsDeps): void {
  app.implement(
    listConversations,
    async (c) => {
      const { projectId } = c.req.valid('param');
      return c.json(await operatorConversations.list(projectId, c.var.person.sub, c.req.valid('query')), 200);
    },
    ofProject,
  );

  app.implement(
    readConversation,
    async (c) => {
      const { projectId, id } = c.req.valid('param');
      const { after } = c.req.valid('query');
      const { token, person } = c.var.authority;
      const reader = token === undefined ? person.sub : undefined;
      return c.json(await operatorConversations.read({ projectId, id, after, reader }), 200);
    },
    ofProject,
  );

  app.implement(
    appendTeammateTurn,
    async (c, { change }) => {
      const path = c.req.valid('param');
      const { 'Idempotency-Key': key } = c.req.valid('header');
      const { person } = c.var;
      const { authorId = person.sub, body, attachmentIds = [] } = c.req.valid('json');
      if (authorId !== person.sub && !c.var.authority.hasEverywhere('conversations.reply-as')) {
        throw new Forbidden(`authorId: ${missingPermission('conversations.reply-as')}`);
      }
      const turn = await operatorConversations.sendTurn(change, path, { authorId, body, attachmentIds }, key);
      return c.json({ turn }, 201);
    },
    ofProject,
  );

  app.implement(
    revokeConversationTokens,
    async (c, { change }) => {
      const { projectId } = c.req.valid('param');
      return c.json(
        { revoked: await operatorConversations.revokeTokens(change, projectId, c.req.valid('json')) },
        200,
      );
    },
    ofProject,
  );
}

function accessOf(c: Context<OperationEnv<'conversation'>>) {
  return { project: c.var.project, conversationId: c.req.param('id') ?? '', address: c.env.address };
}

/** The overload declares the type of the JSON, which is created only for a caller that has another version. */
function answerConversation(
  c: Context,
  etag: string,
  read: () => Promise<Conversation>,
): Promise<Response & TypedResponse<Conversation, 200, 'json'>>;
async function answerConversation(
  c: Context,
  etag: string,
  read: () => Promise<Conversation>,
): Promise<Response> {
  const body = isFresh(c, etag) ? '' : JSON.stringify(await read());
  return answerPrepared(c, { body, etag }, { 'Cache-Control': 'private, no-cache' });
}
