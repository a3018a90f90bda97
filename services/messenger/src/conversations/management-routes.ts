import {
  appendTeammateTurn,
  listConversations,
  putConversationStatus,
  readConversation,
} from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/service-kit';
import type { OperatorConversations } from './operator.ts';

export function routeOperatorConversations(
  app: ServiceApp,
  conversations: OperatorConversations,
  ofProject: ProjectOfRegion,
): void {
  app.implement(
    listConversations,
    async (c) => c.json(await conversations.list(c.req.valid('param').projectId, c.req.valid('query')), 200),
    ofProject,
  );

  app.implement(
    readConversation,
    async (c) => {
      const { projectId, id } = c.req.valid('param');
      return c.json(await conversations.read(projectId, id), 200);
    },
    ofProject,
  );

  app.implement(
    appendTeammateTurn,
    async (c) => {
      const { projectId, id } = c.req.valid('param');
      const { authorId, body } = c.req.valid('json');
      return c.json({ turn: await conversations.answer(projectId, id, authorId, body) }, 201);
    },
    ofProject,
  );

  app.implement(
    putConversationStatus,
    async (c) => {
      const { projectId, id } = c.req.valid('param');
      const { status } = c.req.valid('json');
      await conversations.setStatus(projectId, id, status);
      return c.json({ status }, 200);
    },
    ofProject,
  );
}
