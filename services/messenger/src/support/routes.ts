import {
  addConversationNote,
  changeConversations,
  countConversations,
  getSupportSettings,
  putConversationPresence,
  putConversationStatus,
  putSupportSettings,
  searchTurns,
  streamConversations,
} from '@switchboard/contracts';
import { type ProjectOfRegion, RateLimited, type ServiceApp, streamCredential } from '@switchboard/http';
import { encodeOnce, type Hub } from '@switchboard/realtime';
import { agentsTopic } from '../publishing/publisher.ts';
import type { Support } from './support.ts';

interface SupportDeps {
  support: Support;
  hub: Pick<Hub, 'stream'>;
  ofProject: ProjectOfRegion;
}

const RETRY_AFTER_SECONDS = 5;
const STREAM_HEADERS = { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store' };

export function supportRoutes(app: ServiceApp, { support, hub, ofProject }: SupportDeps): void {
  const encode = encodeOnce();

  app.implement(
    getSupportSettings,
    async (c) => c.json(await support.settings(c.req.valid('param').projectId), 200),
    ofProject,
  );

  app.implement(
    putSupportSettings,
    async (c, { change }) => {
      const { projectId } = c.req.valid('param');
      return c.json(await support.putSettings(change, projectId, c.req.valid('json')), 200);
    },
    ofProject,
  );

  app.implement(
    countConversations,
    async (c) => {
      const { projectId } = c.req.valid('param');
      return c.json(await support.counts({ projectId, sub: c.var.person.sub }), 200);
    },
    ofProject,
  );

  app.implement(
    changeConversations,
    async (c, { change: audited }) => {
      const { projectId } = c.req.valid('param');
      const { conversationIds, change } = c.req.valid('json');
      const caller = { projectId, sub: c.var.person.sub };
      const conversations = await support.change(audited, caller, conversationIds, change);
      return c.json({ conversations }, 200);
    },
    ofProject,
  );

  app.implement(
    putConversationStatus,
    async (c, { change }) => {
      const { projectId, id } = c.req.valid('param');
      const { status } = c.req.valid('json');
      await support.setStatus(change, { projectId, sub: c.var.person.sub }, id, status);
      return c.json({ status }, 200);
    },
    ofProject,
  );

  app.implement(
    addConversationNote,
    async (c, { change }) => {
      const { projectId, id } = c.req.valid('param');
      const { 'Idempotency-Key': key } = c.req.valid('header');
      const caller = { projectId, sub: c.var.person.sub };
      const note = await support.addNote(change, caller, id, c.req.valid('json'), key);
      return c.json({ note }, 201);
    },
    ofProject,
  );

  app.implement(
    putConversationPresence,
    async (c) => {
      const { projectId, id } = c.req.valid('param');
      const { state } = c.req.valid('json');
      await support.showPresence({ projectId, sub: c.var.person.sub }, id, state);
      return c.json({ state }, 200);
    },
    ofProject,
  );

  app.implement(
    searchTurns,
    async (c) => {
      const { projectId } = c.req.valid('param');
      const { text } = c.req.valid('query');
      const matches = await support.search({ projectId, sub: c.var.person.sub }, text);
      return c.json({ matches }, 200);
    },
    ofProject,
  );

  app.implement(streamConversations, async (c): Promise<Response> => {
    if (c.req.method === 'HEAD') return new Response(null, { headers: STREAM_HEADERS });
    const project = c.get('project');
    const sharing = [c.env.address, `person ${c.get('person').sub}`, `project ${project.id}`];
    const body = hub.stream(c.env.incoming, sharing, {
      credential: streamCredential(c.get('authority'), streamConversations.permission, project),
      encode,
      onOpen(stream) {
        stream.join(agentsTopic(project.id));
        stream.send({ type: 'ready' });
      },
    });
    if (body === undefined) {
      throw new RateLimited(
        'Too many streams from your address, for you or for the project. Retry after the time in Retry-After.',
        RETRY_AFTER_SECONDS,
      );
    }
    // Makes Node.js send the headers immediately.
    return new Response(body, { headers: { ...STREAM_HEADERS, 'Transfer-Encoding': 'chunked' } });
  });
}
