import { evaluateOfrepFlag, evaluateOfrepFlags, streamFlagChanges } from '@switchboard/contracts';
import {
  answerPrepared,
  headerOf,
  prepareJson,
  projectKeyOf,
  RateLimited,
  type ServiceApp,
  socketCredential,
  Unauthorized,
} from '@switchboard/http';
import type { Hub } from '@switchboard/realtime';
import type { LiveChanges } from '../live/live.ts';
import type { Ofrep } from './ofrep.ts';
import { changeEvent } from './stream.ts';

interface OfrepDeps {
  ofrep: Ofrep;
  sockets: Hub;
  live: LiveChanges;
  consoleUrl: string;
}

const RETRY_AFTER_SECONDS = 5;

const stateHeaders = (isStateKnown: boolean): Record<string, string> => ({
  'Cache-Control': 'no-store',
  ...(isStateKnown ? {} : { 'X-State': 'unavailable' }),
});

export function ofrepRoutes(app: ServiceApp, { ofrep, sockets, live, consoleUrl }: OfrepDeps): void {
  const consoleOrigin = new URL(consoleUrl).origin;

  app.implement(evaluateOfrepFlag, async (c) => {
    const { context } = c.req.valid('json');
    const { key } = c.req.valid('param');
    const { answer, isStateKnown } = await ofrep.evaluate(c.get('project').id, key, context);
    return c.json(answer, 200, stateHeaders(isStateKnown));
  });

  app.implement(evaluateOfrepFlags, async (c): Promise<Response> => {
    const { context } = c.req.valid('json');
    const { flagConfigEtag: since, usage } = c.req.valid('query');
    const project = { id: c.get('project').id, key: projectKeyOf(c) ?? '' };
    const { answer, isStateKnown } = await ofrep.evaluateAll(project, context, {
      since,
      isReported: usage === 'reported',
    });
    return answerPrepared(c, prepareJson(answer), stateHeaders(isStateKnown));
  });

  app.implement(streamFlagChanges, (c): Response => {
    const headers = { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store' };
    if (c.req.method === 'HEAD') return new Response(null, { headers });
    const key = projectKeyOf(c);
    if (key === undefined) throw new Unauthorized('Project key missing.');
    const { id } = c.get('project');
    const lastEventId = headerOf(c, 'last-event-id');
    const origin = headerOf(c, 'origin');
    const body = sockets.stream(c.env.incoming, [c.env.address, `project ${id}`], {
      credential: socketCredential(key, origin),
      encode: changeEvent(lastEventId),
      onOpen: (stream) => live.welcome(stream, id, { isClient: origin !== consoleOrigin }),
    });
    if (body === undefined) {
      throw new RateLimited(
        'Too many connections from your address or project. Retry after the time in Retry-After.',
        RETRY_AFTER_SECONDS,
      );
    }
    // Makes Node.js send the headers immediately.
    return new Response(body, { headers: { ...headers, 'Transfer-Encoding': 'chunked' } });
  });
}
